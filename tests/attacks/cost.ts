/** What a piece of work takes of the process: processor time and memory. */

import { cpuUsage, threadCpuUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Cost {
  /** Of all threads, scaled to {@linkcode REFERENCE_MS}. */
  readonly processorMs: number;
  /** The same of this thread alone, where it is less; its clock ticks every 10 ms. */
  readonly threadMs: number;
  /** By which the process grew. */
  readonly bytes: number;
}

/** Processor time of {@linkcode reference} on the machine that the bounds were measured on. */
const REFERENCE_MS = 30;

/** Of all threads of the process so far. */
export const processorMs = (): number => {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
};

const threadMs = (): number => {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
};

/** A moment by the processor time of this thread, and by that of the process. */
export interface ThreadTime {
  readonly all: number;
  readonly own: number;
}

export const threadTime = (): ThreadTime => ({ all: processorMs(), own: threadMs() });

/** Processor time of this thread since then, scaled to {@linkcode REFERENCE_MS}. */
export const threadMsSince = ({ all, own }: ThreadTime): number =>
  Math.min(processorMs() - all, threadMs() - own) / slowness;

function reference(): number {
  const began = processorMs();
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ a: i, b: `${i}` })));
  for (let i = 0; i < 2; i++) JSON.parse(text);
  return processorMs() - began;
}

/** How much slower this machine is, at least 1: a bound on time would else be one on machines. */
const slownessNow = (): number =>
  Math.max(1, Math.min(reference(), reference(), reference()) / REFERENCE_MS);

let slowness = slownessNow();

setFlagsFromString("--expose-gc");

/**
 * Gives back what nobody holds any more: without that, what a request takes hides in what the one
 * before it has left.
 */
const collectGarbage = runInNewContext("gc") as () => void;

/** Before something is measured again: what else was going on may have made the difference. */
export function settle(): void {
  slowness = slownessNow();
  collectGarbage();
}

/** How often work that took too long is measured again: what else the process did is no fault of it. */
const TRIES = 3;

/** Processor time of work that can be done again: the least of some times, where the first is too much. */
export async function processorMsOf(work: () => Promise<unknown>, bound: number): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= bound; tries++) {
    if (tries > 0) settle();
    least = Math.min(least, (await costOf(work)).processorMs);
  }
  return least;
}

export async function costOf(work: () => Promise<unknown> | unknown): Promise<Cost> {
  const { rss } = Deno.memoryUsage();
  const began = threadTime();
  await work();
  return {
    processorMs: (processorMs() - began.all) / slowness,
    threadMs: threadMsSince(began),
    bytes: Deno.memoryUsage().rss - rss,
  };
}
