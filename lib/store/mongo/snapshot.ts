import { type ClientSession, type Db, ObjectId } from "mongodb";
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
import { CODES, hasCode } from "./error_codes.ts";
import { isPassing, translated } from "./failures.ts";
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

  async *pages<T extends StoredRecord>(
    definition: Definition,
  ): AsyncGenerator<readonly Stored<T>[]> {
    let [after, failedBehind]: [Id | null, Id | null | undefined] = [null, undefined];
    for (;;) {
      try {
        for await (const page of this.#read<T>(definition, after)) {
          yield page;
          after = page.at(-1)!.value._id;
        }
        return;
      } catch (error) {
        if (this.#session !== null && isWithoutSnapshot(error)) await this.#leave();
        // Where it gets no further, it will not.
        else if (!mayGoOn(error) || failedBehind === after) throw translated(error);
        failedBehind = after;
      }
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

  /** By one cursor: some servers look at all that is behind an id for each question. */
  async *#read<T extends StoredRecord>(
    { name }: Definition,
    after: Id | null,
  ): AsyncGenerator<Stored<T>[]> {
    const behind = after === null ? {} : { _id: { $gt: new ObjectId(after) } };
    const session = this.#session;
    await using cursor = this.#db.collection(name).find(behind, {
      ...LIMITED,
      // An object of its own: the driver writes the moment of a snapshot into the client's otherwise,
      // and every later read of the process would ask for that moment.
      readConcern: { level: session === null ? "majority" : "snapshot" },
      ...(session !== null && { session }),
      sort: { _id: 1 },
      hint: { _id: 1 },
      batchSize: SNAPSHOT_RECORDS,
      raw: true,
    });
    let page: Stored<T>[] = [];
    let bytes = 0;
    for await (const document of cursor) {
      const stored = storedOf<T>(document)!; // Cursors give documents alone.
      const length = bytesOf(stored.json);
      if (
        page.length === SNAPSHOT_RECORDS || (page.length > 0 && bytes + length > SNAPSHOT_BYTES)
      ) {
        yield page;
        [page, bytes] = [[], 0];
      }
      page.push(stored);
      bytes += length;
    }
    if (page.length > 0) yield page;
  }
}

/** A cursor that nobody has asked anything for ten minutes is gone. */
const mayGoOn = (error: unknown): boolean =>
  isPassing(error) || hasCode(error, CODES.CursorNotFound);

/**
 * The server has none (too old, or another engine), or no longer has this one: too old, gone with a
 * change of the collection, or of a state before a new primary's.
 */
const WITHOUT = [72, 115, 123, 239, 246, 9_999_001];

const isWithoutSnapshot = (error: unknown): boolean => hasCode(error, ...WITHOUT);
