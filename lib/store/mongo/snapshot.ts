import { type ClientSession, type Db, MongoServerError, ObjectId } from "mongodb";
import { bytesOf } from "../json_text.ts";
import {
  type Definition,
  type Id,
  type Snapshot,
  SNAPSHOT_BYTES,
  SNAPSHOT_RECORDS,
  type Stored,
  type StoredRecord,
} from "../port.ts";
import { LIMITED } from "./connect.ts";
import { repeatable, translated } from "./failures.ts";
import { storedOf } from "./found.ts";

/**
 * A database as it was at the first read, as long as the server keeps that: for five minutes, if it
 * is not set otherwise (`minSnapshotHistoryWindowInSeconds`). From there on, and on a server without
 * snapshots, each page is of its own moment.
 */
export class MongoSnapshot implements Snapshot, AsyncDisposable {
  readonly #db: Db;
  #session: ClientSession | null;
  #isOfOneMoment = true;

  constructor(db: Db) {
    this.#db = db;
    this.#session = db.client.startSession({ snapshot: true });
  }

  get isOfOneMoment(): boolean {
    return this.#isOfOneMoment;
  }

  async page<T extends StoredRecord>(
    definition: Definition,
    after: Id | null,
  ): Promise<Stored<T>[]> {
    const read = () => repeatable(() => this.#read<T>(definition, after));
    try {
      return await read().catch(async (error) => {
        if (this.#session === null || !isWithoutSnapshot(error)) throw error;
        await this.#leave();
        return await read();
      });
    } catch (error) {
      throw translated(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.endSession();
  }

  async #leave(): Promise<void> {
    this.#isOfOneMoment = false;
    await this.#session?.endSession();
    this.#session = null;
  }

  async #read<T>({ name }: Definition, after: Id | null): Promise<Stored<T>[]> {
    const behind = after === null ? {} : { _id: { $gt: new ObjectId(after) } };
    const session = this.#session;
    await using cursor = this.#db.collection(name).find(behind, {
      ...LIMITED,
      // An object of its own: the driver writes the moment of a snapshot into the client's otherwise,
      // and every later read of the process would ask for that moment.
      readConcern: { level: session === null ? "majority" : "snapshot" },
      ...(session !== null && { session }),
      sort: { _id: 1 },
      limit: SNAPSHOT_RECORDS,
      raw: true,
    });
    const found: Stored<T>[] = [];
    let bytes = 0;
    for await (const document of cursor) {
      const stored = storedOf<T>(document)!; // Cursors give documents alone.
      bytes += bytesOf(stored.json);
      if (bytes > SNAPSHOT_BYTES && found.length > 0) break;
      found.push(stored);
    }
    return found;
  }
}

/**
 * The server has none (too old, or another engine), or no longer has this one: too old, gone with a
 * change of the collection, or of a state before a new primary's.
 */
const WITHOUT = new Set([72, 115, 123, 239, 246, 9_999_001]);

const isWithoutSnapshot = (error: unknown): boolean =>
  error instanceof MongoServerError && WITHOUT.has(error.code as number);
