import { setImmediate } from "node:timers/promises";

/** Lets whatever else waits for the event loop go first: long work is done in slices. */
export const nextTurn = (): Promise<void> => setImmediate();
