import { RUNS } from "../property/run.ts";

/**
 * From one step to the next before which a process is killed: each in the full matrix, else every
 * second one. The killed processes do not load this, nor what properties need.
 */
export const STRIDE = RUNS > 100 ? 1 : 2;
