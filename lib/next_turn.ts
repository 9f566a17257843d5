import { setImmediate } from "node:timers/promises";

const SLICE_MS = 4;

/** Lets whatever else waits for the event loop go first: long work is done in slices. */
export const nextTurn = (): Promise<void> => setImmediate();

/**
 * Returns a function for work that waits for a store between its steps: called after each step, it
 * lets whatever else waits go first, once the work has gone on for a few milliseconds.
 */
export function turnTaker(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await nextTurn();
    began = performance.now();
  };
}

/** Works on one after the other, and lets whatever else waits go first every few milliseconds. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
