/** Measures the processor time and memory of work. */

import { cpuUsage, threadCpuUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface ProcessCost {
  /** Processor time of all threads, scaled to {@linkcode REFERENCE_MS}. */
  readonly processorMs: number;
  /** Processor time of this thread if that is less than of all. Its clock ticks every 10 ms. */
  readonly threadMs: number;
  /** Growth of the process's memory in bytes. */
  readonly bytes: number;
}

/** Processor time of {@linkcode reference} on the machine of the bounds, in milliseconds. */
const REFERENCE_MS = 30;

/** Returns the processor time of all threads so far, in milliseconds. */
export const processorMs = (): number => {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
};

const threadMs = (): number => {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
};

/** A moment, in processor time of this thread and of the process. */
export interface ThreadTime {
  readonly all: number;
  readonly own: number;
}

export const threadTime = (): ThreadTime => ({ all: processorMs(), own: threadMs() });

/** Returns this thread's processor time since then, scaled to {@linkcode REFERENCE_MS}. */
export const threadMsSince = ({ all, own }: ThreadTime): number =>
  Math.min(processorMs() - all, threadMs() - own) / slowness;

function reference(): number {
  const began = processorMs();
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ a: i, b: `${i}` })));
  for (let i = 0; i < 2; i++) JSON.parse(text);
  return processorMs() - began;
}

/** Returns the slowness of this machine, at least 1, so that bounds apply to any machine. */
const slownessNow = (): number =>
  Math.max(1, Math.min(reference(), reference(), reference()) / REFERENCE_MS);

let slowness = slownessNow();

setFlagsFromString("--expose-gc");

/** Frees unreachable memory, because garbage of a previous request would hide a growth. */
const collectGarbage = runInNewContext("gc") as () => void;

/** Prepares a repeated measurement by removing effects of other work. */
export function prepareMeasurement(): void {
  slowness = slownessNow();
  collectGarbage();
}

/** Number of measurements of slow work, because the process does other work too. */
const TRIES = 3;

/** Measures repeatable work: the minimum of some runs if the first exceeds the bound. */
export async function processorMsOf(work: () => Promise<unknown>, bound: number): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= bound; tries++) {
    if (tries > 0) prepareMeasurement();
    least = Math.min(least, (await costOf(work)).processorMs);
  }
  return least;
}

export async function costOf(work: () => Promise<unknown> | unknown): Promise<ProcessCost> {
  const { rss } = Deno.memoryUsage();
  const began = threadTime();
  await work();
  return {
    processorMs: (processorMs() - began.all) / slowness,
    threadMs: threadMsSince(began),
    bytes: Deno.memoryUsage().rss - rss,
  };
}
