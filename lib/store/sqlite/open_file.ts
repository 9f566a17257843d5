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
  /** Whether it was made before, so that it is not made again: what was in it would be forgotten. */
  readonly isKnown: boolean;
}

/**
 * Opens a file for writing, makes it if it is missing, and brings its schema up to date. Throws
 * `StoreMismatch` for a foreign file, which stays as it is, and `StoreUnavailable`.
 */
export function openFile({ path, space, sync, isKnown }: SpaceFile): Connection {
  try {
    const bytes = bytesOf(path);
    if (isKnown && !bytes) {
      throw new StoreUnavailable(
        `"${path}" is missing or empty, and is not made anew: restore it from a backup.`,
      );
    }
    if (bytes === null) makeFile({ path, space });
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

/** Null where there is no file. */
export function bytesOf(path: string): number | null {
  try {
    return Deno.statSync(path).size;
  } catch {
    return null;
  }
}

/**
 * Made under another name and linked into place whole: of two processes that make the same file at
 * once one wins, and neither sees a half-made one. It is on the disk before it is linked: a name must
 * never lead to a file that a power cut emptied.
 */
function makeFile({ path, space }: Pick<SpaceFile, "path" | "space">): void {
  const draft = `${path}.${crypto.randomUUID()}`;
  makePrivate(draft);
  // Flushed once, when it is whole, instead of at each of the steps that make it.
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
    throw new StoreUnavailable(`Cannot make "${path}"`, { cause: error });
  } finally {
    Deno.removeSync(draft);
  }
}

function flush(path: string): void {
  using file = Deno.openSync(path, { read: true, write: true });
  file.syncSync();
}

/** Nobody else on the machine reads what projects hold; SQLite's logs take their file's mode. */
function makePrivate(path: string): void {
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (error) {
    throw new StoreUnavailable(`Cannot make "${path}": ${(error as Error).message}`, {
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
