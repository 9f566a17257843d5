import { setImmediate } from "node:timers/promises";

const SLICE_MS = 4;

/** Resolves after other tasks of the event loop. Long work calls it between slices. */
export const nextTurn = (): Promise<void> => setImmediate();

/** Returns a function for long work to call, which lets other tasks run every few milliseconds. */
export function createTurnTaker(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await nextTurn();
    began = performance.now();
  };
}

/** Processes items in order, and lets other tasks of the event loop run every few milliseconds. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
