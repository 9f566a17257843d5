/** Divides passes into shards, which processes take from one queue to keep all cores busy. */

import { ONLY_IN_FULL, type Pass } from "./passes.ts";

/** Files of one pass that one process runs in sequence. */
export interface Shard {
  readonly pass: Pass;
  readonly files: readonly string[];
}

/** Matches suites that mostly wait for time limits and for processes to start and stop. */
const MOSTLY_WAITING =
  /^(?:tests\/(?:faults\/|api\/(?:killed_process|failing_workers)_|attacks\/resumable_connections_|acceptance\/(?:crash|live_lists_killed|long_requests|resumed_uploads|stop|webhooks|workers|two_processes|(?:s3_)?start_refusals|sqlite_disk_trouble)_)|lib\/files\/check_storage_)/;

/**
 * Number of files per shard, embedded and on MongoDB, longest suites first. Each process takes two
 * seconds to load and compile the code, so there are only as many shards as keep all cores busy.
 * Shards on the stand-in are smaller, because transactions that killed processes left open delay
 * its change streams.
 */
const SHARD_SIZES: readonly (readonly [files: RegExp, size: number, onMongodb: number])[] = [
  [MOSTLY_WAITING, 2, 1],
  [/^tests\/acceptance\//, 5, 5],
  [/^tests\/contract\//, 7, 7],
  [/^tests\/property\//, 10, 10],
  [/^tests\/attacks\//, 10, 10],
  [/^tests\//, 40, 20],
  [/^/, 100, 100],
];

/** Returns whether a shard needs little processor time. */
export const isIdle = ({ files }: Shard): boolean =>
  files.every((path) => MOSTLY_WAITING.test(path));

/** Matches files that need MongoDB only in a pass that runs on it. */
const MONGODB_ONLY_IN_PASS =
  /^(?:lib|routes|openapi|tests\/(?:acceptance|api|attacks|faults|house|pages))\//;

/** Returns whether tests of a shard may need a MongoDB server that they do not start themselves. */
export const needsMongodb = ({ pass, files }: Shard): boolean =>
  pass.database === "mongodb" || !files.every((path) => MONGODB_ONLY_IN_PASS.test(path));

const rankOf = (path: string): number =>
  ONLY_IN_FULL.test(path)
    ? SHARD_SIZES.length
    : SHARD_SIZES.findIndex(([files]) => files.test(path));

/**
 * Returns the shards of all passes in the order to run them. Long shards come first, which lets
 * short ones fill the end. MongoDB shards come before embedded ones of the same rank, because they
 * take longer. Suites that compile with tools on all cores come last, after all tests with time
 * limits.
 */
export function shardsOf(passes: readonly Pass[]): Shard[] {
  const shards: (Shard & { readonly rank: number })[] = [];
  for (const pass of passes.toReversed()) {
    for (const [rank, files] of Map.groupBy(pass.files, rankOf)) {
      const [, embedded, onMongodb] = SHARD_SIZES[rank] ?? [null, 1, 1];
      const size = pass.database === "mongodb" ? onMongodb : embedded;
      for (let at = 0; at < files.length; at += size) {
        shards.push({ pass, rank, files: files.slice(at, at + size) });
      }
    }
  }
  return shards.sort((a, b) => a.rank - b.rank);
}
