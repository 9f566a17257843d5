import { Problem } from "../problems.ts";

/** Limits the number of requests that a process works on, in total and for each caller. */
export interface RequestShares {
  /** Throws `SERVER_BUSY` if the caller has as many requests in progress as allowed. */
  assertAvailable(caller: string): void;
  /** Counts a request of the caller until `work` settles. */
  track(caller: string, work: Promise<unknown>): void;
}

/**
 * @param max Maximum for all callers, which a caller without a request may exceed, so that callers
 * cannot lock each other out. @param shareMax Maximum number for one caller.
 */
export function createRequestShares(
  { max, shareMax }: { max: number; shareMax: number },
): RequestShares {
  let all = 0;
  const byCaller = new Map<string, number>();

  return {
    assertAvailable(caller) {
      // The common case: no caller can have reached its share.
      if (all < shareMax) return;
      const own = byCaller.get(caller) ?? 0;
      if (own >= shareMax || (all >= max && own > 0)) throw new Problem("SERVER_BUSY");
    },
    track(caller, work) {
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
