import {
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
  type WriteError,
} from "mongodb";
import { LIMITED } from "./connect.ts";

/** What is inserted into one collection. */
interface Queue {
  /** Under way. */
  commands: number;
  waiting: Waiting[];
}

interface Waiting {
  readonly document: Document;
  done(error?: unknown): void;
}

/**
 * Commands under way at once for one collection. With 32 connections 2 take a tenth less of a
 * processor, and 8 take a third more.
 */
const COMMANDS_MAX = 4;
const DOCUMENTS_MAX = 100;
/** Of its JSON text: so many as go together are less than one message holds. */
const SMALL_LENGTH_MAX = 65_536;

/**
 * Small documents that come while others of the same collection are under way go together with the
 * next command. Each succeeds or fails for itself: one that is not unique stops no other.
 */
export class InsertGroups {
  /** By namespace, while something is under way. */
  readonly #queues = new Map<string, Queue>();

  /** @param json The document's text. */
  async insert(collection: Collection, document: Document, json: string): Promise<void> {
    if (json.length > SMALL_LENGTH_MAX) {
      await collection.insertOne(document, LIMITED);
      return;
    }
    const { namespace } = collection;
    let queue = this.#queues.get(namespace);
    if (queue === undefined) this.#queues.set(namespace, queue = { commands: 0, waiting: [] });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.waiting.push({
      document,
      done: (error) => error === undefined ? resolve() : reject(error),
    });
    if (queue.commands < COMMANDS_MAX) void this.#send(collection, queue);
    await promise;
  }

  async #send(collection: Collection, queue: Queue): Promise<void> {
    queue.commands++;
    while (queue.waiting.length > 0) {
      await insertAll(collection, queue.waiting.splice(0, DOCUMENTS_MAX));
    }
    queue.commands--;
    if (queue.commands === 0) this.#queues.delete(collection.namespace);
  }
}

/** Never rejects: each is told how it ended. */
async function insertAll(collection: Collection, group: readonly Waiting[]): Promise<void> {
  const documents = group.map(({ document }) => document);
  try {
    if (documents.length === 1) await collection.insertOne(documents[0]!, LIMITED);
    else await collection.insertMany(documents, { ...LIMITED, ordered: false });
    for (const { done } of group) done();
  } catch (error) {
    const refused = refusedIn(error, group.length);
    group.forEach(({ done }, index) =>
      done(refused === null ? error : asOfOne(refused.find((one) => one.index === index)))
    );
  }
}

/** Null where the others may not be stored, or not for good. */
function refusedIn(error: unknown, count: number): readonly WriteError[] | null {
  if (!(error instanceof MongoBulkWriteError)) return null;
  const { writeErrors, insertedCount, result } = error;
  const refused = [writeErrors].flat();
  const isRestStored = insertedCount + refused.length === count &&
    result.getWriteConcernError() === undefined;
  return isRestStored ? refused : null;
}

/** As the driver tells of a document that was inserted alone. */
const asOfOne = (refused: WriteError | undefined): MongoServerError | undefined =>
  refused && new MongoServerError({ message: refused.errmsg ?? "", code: refused.code });
