import { dirname } from "node:path";
import { StoreUnavailable } from "../errors.ts";
import type { Space } from "../port.ts";
import { Busy, Connection, type Sync } from "./connection.ts";
import { sql } from "./fragment.ts";
import { checkFile, isCurrent, migrate } from "./migrations.ts";

export interface SpaceFile {
  readonly path: string;
  readonly space: Space;
  readonly sync: Sync;
  /** Whether the file must exist: a missing file means lost data and is not created again. */
  readonly mustExist: boolean;
}

/**
 * Opens a file for writing, creates it if it is missing, and migrates its schema. Throws
 * `StoreUnavailable`, and `StoreMismatch` for a foreign file, which is not changed.
 */
export function openFile({ path, space, sync, mustExist }: SpaceFile): Connection {
  try {
    const bytes = fileSize(path);
    if (mustExist && !bytes) {
      throw new StoreUnavailable(
        `"${path}" is missing or empty and is not created again: restore it from a backup.`,
      );
    }
    if (bytes === null) createFile({ path, space });
    const db = new Connection(path, sync);
    try {
      checkFile(db, path, space);
      db.useWriteAheadLog();
      if (!isCurrent(db)) inTransaction(db, (db) => migrate(db, space));
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof Busy ? new StoreUnavailable(error.message, { cause: error }) : error;
  }
}

/** Returns the size of a file in bytes; null if it does not exist. */
export function fileSize(path: string): number | null {
  try {
    return Deno.statSync(path).size;
  } catch {
    return null;
  }
}

/**
 * Creates a file under another name and links it to its path when it is complete. If two processes
 * create the same file, one of them wins and neither sees an incomplete file. The file is flushed
 * before it is linked, so that a power failure cannot leave a name with an empty file.
 */
function createFile({ path, space }: Pick<SpaceFile, "path" | "space">): void {
  const draft = `${path}.${crypto.randomUUID()}`;
  createPrivateFile(draft);
  // The file is flushed once, when it is complete, instead of at each step.
  const db = new Connection(draft, "off");
  try {
    db.useWriteAheadLog();
    inTransaction(db, (db) => migrate(db, space));
  } finally {
    db.close();
  }
  try {
    flush(draft);
    Deno.linkSync(draft, path);
    using folder = Deno.openSync(dirname(path));
    folder.syncSync();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw new StoreUnavailable(`Cannot create "${path}"`, { cause: error });
  } finally {
    Deno.removeSync(draft);
  }
}

function flush(path: string): void {
  using file = Deno.openSync(path, { read: true, write: true });
  file.syncSync();
}

/** Creates a file that only its owner can read. SQLite's log files inherit its mode. */
function createPrivateFile(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    throw new StoreUnavailable(`Cannot create "${path}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function inTransaction(db: Connection, work: (db: Connection) => void): void {
  db.run(sql("begin immediate"));
  try {
    work(db);
    db.run(sql("commit"));
  } catch (error) {
    db.run(sql("rollback"));
    throw error;
  }
}
