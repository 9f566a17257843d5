import { dirname } from "node:path";
import { StoreUnavailable } from "../errors.ts";
import { Busy, Connection, type Sync } from "./connection.ts";
import { sql } from "./fragment.ts";
import { checkFile, isCurrent, migrate } from "./migrations.ts";

/**
 * Opens a file for writing, makes it if it is missing, and brings its schema up to date. Throws
 * `StoreMismatch` for a foreign file, which stays as it is, and `StoreUnavailable`.
 */
export function openFile(path: string, sync: Sync): Connection {
  try {
    if (!isThere(path)) makeFile(path, sync);
    const db = new Connection(path, sync);
    try {
      checkFile(db, path);
      db.useWriteAheadLog();
      if (!isCurrent(db)) inTransaction(db, migrate);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof Busy ? new StoreUnavailable(error.message, { cause: error }) : error;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Made under another name and linked into place whole: of two processes that make the same file at
 * once one wins, and neither sees a half-made one.
 */
function makeFile(path: string, sync: Sync): void {
  const draft = `${path}.${crypto.randomUUID()}`;
  makePrivate(draft);
  const db = new Connection(draft, sync);
  try {
    db.useWriteAheadLog();
    inTransaction(db, migrate);
  } finally {
    db.close();
  }
  try {
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
