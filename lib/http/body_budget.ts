import { Problem } from "../problems.ts";

/** Room for the bodies that a process holds at once, of which nobody gets more than a share. */
export interface BodyBudget {
  /** @param holder Whose share the body counts towards: a project, or an address. */
  open(holder: string): HeldBody;
}

/** What is held of the bodies of one request. Dispose of it when the request has ended. */
export interface HeldBody extends Disposable {
  /**
   * Throws `SERVER_BUSY` where so many bytes more have no room.
   *
   * @param expected Bytes that will come with them, as far as is known.
   */
  add(bytes: number, expected?: number): void;
}

export function createBodyBudget(
  { bytesMax, shareBytesMax }: { bytesMax: number; shareBytesMax: number },
): BodyBudget {
  let all = 0;
  const byHolder = new Map<string, number>();

  function count(holder: string, bytes: number): void {
    all += bytes;
    const own = (byHolder.get(holder) ?? 0) + bytes;
    if (own === 0) byHolder.delete(holder);
    else byHolder.set(holder, own);
  }

  return {
    open(holder) {
      let held = 0;
      return {
        add(bytes, expected = bytes) {
          const own = byHolder.get(holder) ?? 0;
          if (all + expected > bytesMax || own + expected > shareBytesMax) {
            throw new Problem("SERVER_BUSY");
          }
          count(holder, bytes);
          held += bytes;
        },
        [Symbol.dispose]() {
          count(holder, -held);
          held = 0;
        },
      };
    },
  };
}
