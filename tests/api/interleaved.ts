/** Two things done at once, one at a step of the other. */

import type { Services } from "@/lib/services.ts";
import { stepped } from "../support/stepped.ts";

/** What both came to. */
export interface Run {
  readonly first: number;
  /** Null when there were fewer steps. */
  readonly second: number | null;
}

export interface Interleaving<Act> {
  readonly first: Act;
  readonly second: Act;
  /** The step of `first` that `second` is done at, counted from 0. */
  readonly at: number;
  /** Whether `second` waits for something that `first` holds: then that is not held up. */
  readonly waits?: boolean;
}

/** Does `first`, and `second` when it is about to take its step number `at`. */
export async function interleave<Act>(
  services: Services,
  act: (services: Services, what: Act) => Promise<number>,
  { first, second, at, waits = false }: Interleaving<Act>,
): Promise<Run> {
  let [steps, inTransaction, isReached] = [0, false, false];
  const reached = Promise.withResolvers<void>();
  // Begun here: within a transaction only the transaction itself may be asked.
  const other = reached.promise.then(() => act(services, second));
  const watched = stepped(services, async (name) => {
    if (name === "begin") inTransaction = true;
    if (name === "committed") inTransaction = false;
    if (steps++ !== at) return;
    isReached = true;
    reached.resolve();
    // A transaction that waited for what waits for it would never end.
    if ((!inTransaction || name === "begin") && !waits) await other;
  });
  const status = await act(watched, first);
  return { first: status, second: isReached ? await other : null };
}
