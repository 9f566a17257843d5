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
import { MAX_TIME } from "./connect.ts";
import { CODES, hasCode } from "./error_codes.ts";
import { isTemporary, toPortError } from "./failures.ts";
import { toStored } from "./read_documents.ts";

/**
 * A snapshot of a database as of the first read. The server keeps it for five minutes by default
 * (`minSnapshotHistoryWindowInSeconds`). Afterwards, and on servers without snapshots, each page
 * reflects its own point in time.
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
    let [after, failedAfter]: [Id | null, Id | null | undefined] = [null, undefined];
    for (;;) {
      try {
        for await (const page of this.#read<T>(definition, after)) {
          yield page;
          after = page.at(-1)!.value._id;
        }
        return;
      } catch (error) {
        if (this.#session !== null && isSnapshotUnavailable(error)) await this.#abandonSnapshot();
        // If a retry makes no progress, another one will not, either.
        else if (!canContinue(error) || failedAfter === after) throw toPortError(error);
        failedAfter = after;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.endSession();
  }

  async #abandonSnapshot(): Promise<void> {
    this.#isOfOneMoment = false;
    await this.#session?.endSession();
    this.#session = null;
  }

  /** Reads with a single cursor: some servers scan everything after an id for each query. */
  async *#read<T extends StoredRecord>(
    { name }: Definition,
    after: Id | null,
  ): AsyncGenerator<Stored<T>[]> {
    const afterId = after === null ? {} : { _id: { $gt: new ObjectId(after) } };
    const session = this.#session;
    await using cursor = this.#db.collection(name).find(afterId, {
      ...MAX_TIME,
      // A separate object, because the driver writes the snapshot's time into it. In the client's
      // object, it would affect all later reads of the process.
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
      const stored = toStored<T>(document)!; // Cursors yield documents only.
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

/** Whether a new cursor helps: the server closes one after ten minutes without use. */
const canContinue = (error: unknown): boolean =>
  isTemporary(error) || hasCode(error, CODES.CursorNotFound);

/**
 * Error codes for unavailable snapshots: not supported by the server, or too old, removed by a
 * change of the collection, or from before a new primary.
 */
const NO_SNAPSHOT = [72, 115, 123, 239, 246, 9_999_001];

const isSnapshotUnavailable = (error: unknown): boolean => hasCode(error, ...NO_SNAPSHOT);
