/** Checkpoints: moving the contents of the write-ahead log into the database file. */
import { DatabaseSync } from "node:sqlite";
import { Connection } from "./connection.ts";
import { optimize } from "./statistics.ts";

export interface CheckpointTask {
  readonly path: string;
  /**
   * `passive` runs concurrently with readers and writers. `restart` blocks writers until the entire
   * log has been moved, so that the next write starts the log from its beginning and the file stops
   * growing. `optimize` updates the statistics of SQLite's query planner after a checkpoint.
   */
  readonly mode: "passive" | "restart" | "optimize";
}

/**
 * Maximum number of additional passive passes. SQLite flushes the database file only after a pass
 * without concurrent commits, or else in `restart`, while writers wait. The first pass moves nearly
 * everything; the additional ones are short and often succeed.
 */
const FLUSHING_PASSES = 7;
/** Duration in milliseconds from which a pass is assumed to have flushed the file. */
const FLUSHED_MS = 5;

/** Time in milliseconds that `restart` waits for old readers and other processes' writers. */
const LOCK_WAIT_MS = 50;

/**
 * `moved`: the entire log was moved, and after `restart` it starts from its beginning. `left`: some
 * of the log was not moved, which loses nothing. `taken`: another checkpoint is in progress.
 */
export type CheckpointOutcome = "moved" | "left" | "taken";

/** Runs a checkpoint. Never throws. */
export function checkpoint({ path, mode }: CheckpointTask): CheckpointOutcome {
  if (mode === "optimize") return optimizeFile(path);
  try {
    const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
    try {
      // The log is flushed before the move and the database file after it.
      db.exec("pragma synchronous = normal");
      const pass = db.prepare(`pragma wal_checkpoint(${mode})`);
      const runPass = (): CheckpointOutcome => {
        const { busy, log, checkpointed } = pass.get()!;
        // A passive checkpoint is blocked only by another checkpoint.
        if (busy !== 0) return mode === "passive" ? "taken" : "left";
        return log === checkpointed ? "moved" : "left";
      };
      const outcome = runPass();
      if (outcome !== "moved") return outcome;
      for (let left = mode === "passive" ? FLUSHING_PASSES : 0; left > 0; left--) {
        const began = performance.now();
        // The small rest is moved by `restart`.
        if (runPass() !== "moved" || performance.now() - began > FLUSHED_MS) break;
      }
      return "moved";
    } finally {
      db.close();
    }
  } catch {
    return "left";
  }
}

/** Updates the planner's statistics. The next checkpoint tries again after a failure. */
function optimizeFile(path: string): CheckpointOutcome {
  try {
    const db = new Connection(path, "normal");
    try {
      db.configureThreadWriter();
      optimize(db);
      return "moved";
    } finally {
      db.close();
    }
  } catch {
    return "left";
  }
}
