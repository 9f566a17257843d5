import { PASSWORD_QUEUE_MAX, PASSWORD_QUEUE_PER_ADDRESS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

/**
 * Admits requests that hash a password, or check one, to the queue for it: so many for each
 * network, so that nobody fills the queue of others, and so many in all. Protects the process, so
 * each has its own.
 */
export interface PasswordQueue {
  /** Throws `PASSWORDS_BUSY` before anything of `work` is done. */
  run<T>(network: string, work: () => Promise<T>): Promise<T>;
}

const RETRY_SECONDS = 2;

export function createPasswordQueue(
  { perNetwork = PASSWORD_QUEUE_PER_ADDRESS_MAX, inAll = PASSWORD_QUEUE_MAX }: {
    readonly perNetwork?: number;
    readonly inAll?: number;
  } = {},
): PasswordQueue {
  /** Requests in the queue or at work, by network; never 0. */
  const counts = new Map<string, number>();
  let all = 0;
  return {
    async run(network, work) {
      const count = counts.get(network) ?? 0;
      if (count >= perNetwork || all >= inAll) {
        throw new Problem("PASSWORDS_BUSY", { retryAfter: RETRY_SECONDS });
      }
      counts.set(network, count + 1);
      all++;
      try {
        return await work();
      } finally {
        all--;
        const left = counts.get(network)! - 1;
        if (left === 0) counts.delete(network);
        else counts.set(network, left);
      }
    },
  };
}
