import { RUNS } from "../property/run.ts";

/**
 * From one point at which something fails, or a process is killed, to the next: each in the full
 * matrix, else one in so many. The killed processes do not load this, nor what properties need.
 */
export const everyNth = (short: number): number => RUNS > 100 ? 1 : short;

/** How many points to pass over first: by chance, so that short runs together have all. */
export const passedOver = (stride: number): number => Math.floor(Math.random() * stride);
