import { Problem } from "../problems.ts";

/** Limits the memory of a process for bodies or answers, in total and for each holder. */
export interface ByteBudget {
  /** @param holder The project or address to whose share the bytes are charged. */
  open(holder: string): ByteReservation;
}

/** Bytes that are reserved for one request. Dispose of it when the request has ended. */
export interface ByteReservation extends Disposable {
  /** Throws `SERVER_BUSY` if the budget cannot take `bytes`, or `expected` if that is more. */
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
      let reserved = 0;
      return {
        add(bytes, expected = bytes) {
          const own = byHolder.get(holder) ?? 0;
          if (all + expected > bytesMax || own + expected > shareBytesMax) {
            throw new Problem("SERVER_BUSY");
          }
          count(holder, bytes);
          reserved += bytes;
        },
        [Symbol.dispose]() {
          count(holder, -reserved);
          reserved = 0;
        },
      };
    },
  };
}
