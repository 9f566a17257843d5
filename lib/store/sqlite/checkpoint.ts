/** Moves what the write-ahead log holds into the database file, and flushes both. */
import { DatabaseSync } from "node:sqlite";
import { Connection } from "./connection.ts";
import { optimize } from "./statistics.ts";

export interface CheckpointTask {
  readonly path: string;
  /**
   * `passive` goes on beside readers and writers. `restart` keeps writers out until all is moved,
   * so that the log begins anew and its file stops growing. `optimize` brings the statistics up to
   * date that SQLite plans by, behind a checkpoint.
   */
  readonly mode: "passive" | "restart" | "optimize";
}

/**
 * SQLite flushes the file behind a pass during which nothing was committed, and else not before
 * `restart`, for which writers wait. The first pass copies nearly all; of these, which are short,
 * each has a chance of about a half.
 */
const FLUSHING_PASSES = 7;
/** One of them that takes longer has flushed. */
const FLUSHED_MS = 5;

/** For readers of an older state and for writers of other processes to end, in `restart`. */
const LOCK_WAIT_MS = 50;

/**
 * `moved` is all of it, and with `restart` the log begins anew; of `left` some stays in the log, where
 * it is as safe. `taken`: somebody else is at it.
 */
export type CheckpointOutcome = "moved" | "left" | "taken";

/** Throws nothing. */
export function checkpoint({ path, mode }: CheckpointTask): CheckpointOutcome {
  if (mode === "optimize") return optimized(path);
  try {
    const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
    try {
      // The log is flushed before and the file after what is moved.
      db.exec("pragma synchronous = normal");
      const pass = db.prepare(`pragma wal_checkpoint(${mode})`);
      const once = (): CheckpointOutcome => {
        const { busy, log, checkpointed } = pass.get()!;
        // A passive one waits for nobody but who makes another.
        if (busy !== 0) return mode === "passive" ? "taken" : "left";
        return log === checkpointed ? "moved" : "left";
      };
      const outcome = once();
      if (outcome !== "moved") return outcome;
      for (let left = mode === "passive" ? FLUSHING_PASSES : 0; left > 0; left--) {
        const began = performance.now();
        // What one leaves is little, and `restart` moves it.
        if (once() !== "moved" || performance.now() - began > FLUSHED_MS) break;
      }
      return "moved";
    } finally {
      db.close();
    }
  } catch {
    return "left";
  }
}

/** What fails is done behind the next checkpoint. */
function optimized(path: string): CheckpointOutcome {
  try {
    const db = new Connection(path, "normal");
    try {
      db.leaveCheckpoints();
      optimize(db);
      return "moved";
    } finally {
      db.close();
    }
  } catch {
    return "left";
  }
}
