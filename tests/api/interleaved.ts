/** Runs one request in the middle of another one. */

import type { Services } from "@/lib/services.ts";
import { withSteps } from "../support/with_steps.ts";

/** The HTTP statuses of two interleaved requests. */
export interface InterleavedStatuses {
  readonly first: number;
  /** Null if `first` had fewer steps than `at`. */
  readonly second: number | null;
}

export interface Interleaving<Act> {
  readonly first: Act;
  readonly second: Act;
  /** The step of `first`, counted from 0, before which `second` runs. */
  readonly at: number;
  /** Whether `second` waits for a lock of `first`, so that `first` must go on without it. */
  readonly waits?: boolean;
}

/** Runs `first`, and runs `second` when `first` is about to take step number `at`. */
export async function interleave<Act>(
  services: Services,
  act: (services: Services, what: Act) => Promise<number>,
  { first, second, at, waits = false }: Interleaving<Act>,
): Promise<InterleavedStatuses> {
  let [steps, inTransaction, isReached] = [0, false, false];
  const reached = Promise.withResolvers<void>();
  // Started here, because code within a transaction may only use that transaction.
  const other = reached.promise.then(() => act(services, second));
  const watched = withSteps(services, async (name) => {
    if (name === "begin") inTransaction = true;
    if (name === "committed") inTransaction = false;
    if (steps++ !== at) return;
    isReached = true;
    reached.resolve();
    // Waiting for `second` within a transaction would deadlock if `second` waits for it.
    if ((!inTransaction || name === "begin") && !waits) await other;
  });
  const status = await act(watched, first);
  return { first: status, second: isReached ? await other : null };
}
