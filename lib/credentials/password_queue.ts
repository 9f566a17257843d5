import { PASSWORD_QUEUE_MAX, PASSWORD_QUEUE_PER_ADDRESS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

/** Limits waiting requests in all and per network, so that one network cannot fill the queue. */
export interface PasswordQueue {
  /** Runs `work`. Throws `PASSWORDS_BUSY` without running it if the queue is full. */
  run<T>(network: string, work: () => Promise<T>): Promise<T>;
}

const RETRY_SECONDS = 2;

export function createPasswordQueue(
  { perNetwork = PASSWORD_QUEUE_PER_ADDRESS_MAX, inAll = PASSWORD_QUEUE_MAX }: {
    readonly perNetwork?: number;
    readonly inAll?: number;
  } = {},
): PasswordQueue {
  /** Number of waiting and running requests of each network; never 0. */
  const counts = new Map<string, number>();
  let total = 0;
  return {
    async run(network, work) {
      const count = counts.get(network) ?? 0;
      if (count >= perNetwork || total >= inAll) {
        throw new Problem("PASSWORDS_BUSY", { retryAfter: RETRY_SECONDS });
      }
      counts.set(network, count + 1);
      total++;
      try {
        return await work();
      } finally {
        total--;
        const left = counts.get(network)! - 1;
        if (left === 0) counts.delete(network);
        else counts.set(network, left);
      }
    },
  };
}
