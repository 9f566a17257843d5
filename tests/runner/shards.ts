/** Passes cut into pieces that processes take from one queue, so that no core idles at an end. */

import { ONLY_IN_FULL, type Pass } from "./passes.ts";

/** Files of one pass that one process runs, one after the other. */
export interface Shard {
  readonly pass: Pass;
  readonly files: readonly string[];
}

/** What waits for time limits, and for processes to begin and end, most of its time. */
const WAITING =
  /^(?:tests\/(?:faults\/|api\/(?:killed_process|failing_workers)_|attacks\/resumable_connections_|acceptance\/(?:crash|live_lists_killed|long_requests|resumed_uploads|stop|webhooks|workers|two_processes|(?:s3_)?start_refusals|sqlite_disk_trouble)_)|lib\/files\/check_storage_)/;

/**
 * How many files make a shard, embedded and on MongoDB; those that take longest first. Each process
 * takes two seconds to load and to compile what it tests, so there are as few as keep all cores busy
 * to the end. On the stand-in, change streams wait for what killed processes left open, and behind 36
 * files the first live list began a minute late.
 */
const SIZES: readonly (readonly [files: RegExp, size: number, onMongodb: number])[] = [
  [WAITING, 2, 1],
  [/^tests\/acceptance\//, 5, 5],
  [/^tests\/contract\//, 7, 7],
  [/^tests\/property\//, 10, 10],
  [/^tests\/attacks\//, 10, 10],
  [/^tests\//, 40, 20],
  [/^/, 100, 100],
];

/** Whether a shard needs little processor time. */
export const isIdle = ({ files }: Shard): boolean => files.every((path) => WAITING.test(path));

/** Files that ask for MongoDB only in a pass that runs on it. */
const OF_A_PASS = /^(?:lib|routes|openapi|tests\/(?:acceptance|api|attacks|faults|house|pages))\//;

/** Whether tests of a shard may ask for a MongoDB server that they do not start themselves. */
export const needsMongodb = ({ pass, files }: Shard): boolean =>
  pass.database === "mongodb" || !files.every((path) => OF_A_PASS.test(path));

const rankOf = (path: string): number =>
  ONLY_IN_FULL.test(path) ? SIZES.length : SIZES.findIndex(([files]) => files.test(path));

/**
 * The shards of all passes, in the order to run them: long ones first, so that short ones end it. On
 * a server the same files take longer, so what is embedded comes last of its rank. Behind all comes
 * what compiles with tools that take every core at once: what is left then has no time limits.
 */
export function shardsOf(passes: readonly Pass[]): Shard[] {
  const shards: (Shard & { readonly rank: number })[] = [];
  for (const pass of passes.toReversed()) {
    for (const [rank, files] of Map.groupBy(pass.files, rankOf)) {
      const [, embedded, onMongodb] = SIZES[rank] ?? [null, 1, 1];
      const size = pass.database === "mongodb" ? onMongodb : embedded;
      for (let at = 0; at < files.length; at += size) {
        shards.push({ pass, rank, files: files.slice(at, at + size) });
      }
    }
  }
  return shards.sort((a, b) => a.rank - b.rank);
}
