import { RUNS } from "../property/run.ts";

/**
 * Distance between the tested fail points: 1 in the full matrix, otherwise `short`. This module is
 * not loaded by the processes that tests kill, because they need none of the property tests' code.
 */
export const everyNth = (short: number): number => RUNS > 100 ? 1 : short;

/** Random number of fail points to skip, by which short runs together cover all. */
export const randomOffset = (stride: number): number => Math.floor(Math.random() * stride);
