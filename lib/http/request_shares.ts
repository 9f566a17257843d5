import { Problem } from "../problems.ts";

/** What a process works on at once, of which no caller takes more than a share. */
export interface RequestShares {
  /** Throws `SERVER_BUSY` where the caller has as much under way as it may. */
  assertRoom(caller: string): void;
  /** Counts a piece of the caller's work until it has ended, however it does. */
  count(caller: string, work: Promise<unknown>): void;
}

/**
 * @param max Of all callers together. Whoever has nothing under way is let in beyond it: nobody is
 * shut out by others.
 * @param shareMax Of one caller.
 */
export function createRequestShares(
  { max, shareMax }: { max: number; shareMax: number },
): RequestShares {
  let all = 0;
  const byCaller = new Map<string, number>();

  return {
    assertRoom(caller) {
      // Most of the time there is room for everybody, and nobody has to be looked up.
      if (all < shareMax) return;
      const own = byCaller.get(caller) ?? 0;
      if (own >= shareMax || (all >= max && own > 0)) throw new Problem("SERVER_BUSY");
    },
    count(caller, work) {
      all++;
      byCaller.set(caller, (byCaller.get(caller) ?? 0) + 1);
      const end = () => {
        all--;
        const left = byCaller.get(caller)! - 1;
        if (left > 0) byCaller.set(caller, left);
        else byCaller.delete(caller);
      };
      work.then(end, end);
    },
  };
}
