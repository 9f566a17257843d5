import { Problem } from "../problems.ts";

/** Bytes of bodies, or of answers, that a process holds at once. No holder gets more than a share. */
export interface ByteBudget {
  /** @param holder Whose share the bytes count towards: a project, or an address. */
  open(holder: string): HeldBytes;
}

/** Bytes that are held for one request. Dispose of it when the request has ended. */
export interface HeldBytes extends Disposable {
  /**
   * Throws `SERVER_BUSY` where so many bytes more have no room.
   *
   * @param expected Bytes that will come with them, as far as is known.
   */
  add(bytes: number, expected?: number): void;
}

export function createByteBudget(
  { bytesMax, shareBytesMax }: { bytesMax: number; shareBytesMax: number },
): ByteBudget {
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
