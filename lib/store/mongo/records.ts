import { type ClientSession, type Collection, type Db, type Document, ObjectId } from "mongodb";
import { applyChange } from "../change.ts";
import { RecordTooLarge, StoreUnavailable } from "../errors.ts";
import { exceedsBytes, jsonText, parseJson, recordText } from "../json_text.ts";
import type {
  Change,
  Definition,
  Filter,
  Id,
  ListQuery,
  Page,
  Position,
  Records,
  Scalar,
  Stored,
  StoredRecord,
} from "../port.ts";
import { valueAt } from "../shape.ts";
import { changeBson } from "./change_bson.ts";
import { type Bson, encodeRecord } from "./encode.ts";
import { isNotApplicable } from "./failures.ts";
import { filterBson } from "./filter_bson.ts";
import { pageFilter, type PageShape, pageShape } from "./page_bson.ts";
import { documentJson, REVISION } from "./transcode.ts";

/** Where the records of one definition are read and written. */
export interface Access {
  readonly db: Db;
  /** Null outside a transaction. */
  readonly session: ClientSession | null;
  /** Milliseconds that one command may take on the server. */
  readonly timeLimitMs: number;
  /** Runs one call, and translates what it throws. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same after the collection and its indexes are there. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** {@linkcode write}, all or nothing of it. */
  writeAll<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
}

/** How often a record may change between reading and writing it before the write gives up. */
const ATTEMPTS_MAX = 100;

/** A record's JSON text takes at most this many times the bytes of its BSON: `\u0001` for one. */
const GROWTH_MAX = 6;

/** {@linkcode Records} over one collection. */
export class MongoRecords<T extends StoredRecord> implements Records<T> {
  readonly #definition: Definition;
  readonly #access: Access;
  readonly #collection: Collection;
  readonly #options: { readonly session?: ClientSession; readonly maxTimeMS: number };

  constructor(definition: Definition, access: Access) {
    this.#definition = definition;
    this.#access = access;
    this.#collection = access.db.collection(definition.name);
    const { session, timeLimitMs } = access;
    this.#options = { ...(session !== null && { session }), maxTimeMS: timeLimitMs };
  }

  insert(record: T): Promise<Stored<T>> {
    return this.#access.write(async () => {
      const [stored, document] = this.#made(record);
      await this.#collection.insertOne(document, this.#options);
      return stored;
    });
  }

  insertMany(records: readonly T[]): Promise<Stored<T>[]> {
    return this.#access.writeAll(async (session) => {
      const made = records.map((record) => this.#made(record));
      if (made.length === 0) return [];
      await this.#collection.insertMany(made.map(([, document]) => document), {
        ...this.#options,
        session,
      });
      return made.map(([stored]) => stored);
    });
  }

  get(id: Id): Promise<Stored<T> | null> {
    return this.#access.run(async () => this.#stored(await this.#first({ _id: new ObjectId(id) })));
  }

  findOne(filter: Filter): Promise<Stored<T> | null> {
    return this.#access.run(async () =>
      this.#stored(await this.#first(filterBson(this.#definition, filter), { _id: 1 }))
    );
  }

  async list(query: ListQuery): Promise<Page> {
    const [texts, total] = await this.#both(
      () => this.#texts(query),
      () => query.total ? this.count(query.filter) : Promise.resolve(null),
    );
    const more = texts.length > query.limit;
    if (more) texts.pop();
    if (query.backwards) texts.reverse();
    return {
      items: texts.join(","),
      size: texts.length,
      more,
      total,
      first: () => position(texts[0], query),
      last: () => position(texts.at(-1), query),
    };
  }

  count(filter: Filter): Promise<number> {
    const query = filterBson(this.#definition, filter);
    return this.#access.run(async () => {
      if (this.#access.session !== null) {
        return await this.#collection.countDocuments(query, this.#options);
      }
      const { maxTimeMS } = this.#options;
      return await this.#collection.count(query, { maxTimeMS });
    });
  }

  updateOne(filter: Filter, change: Change): Promise<Stored<T> | null> {
    return this.#access.write(async () => {
      const query = filterBson(this.#definition, filter);
      if (this.#access.session !== null) return await this.#changeExactly(query, change);
      const update = changeBson(this.#definition, change);
      if (update === null) return await this.#changeExactly(query, change);
      const { bytesMax } = this.#definition;
      const room = bytesMax === undefined ? Infinity : roomFor(change, bytesMax);
      if (room <= 0) return await this.#changeExactly(query, change);
      try {
        const changed = await this.#collection.findOneAndUpdate(
          room === Infinity ? query : { $and: [query, smallerThan(room)] },
          update as Document,
          { ...this.#options, returnDocument: "after", raw: true },
        );
        if (changed !== null || room === Infinity) return this.#stored(changed);
      } catch (error) {
        if (!isNotApplicable(error)) throw error;
      }
      return await this.#changeExactly(query, change);
    });
  }

  deleteOne(filter: Filter): Promise<Stored<T> | null> {
    const query = filterBson(this.#definition, filter);
    return this.#access.write(async () =>
      this.#stored(
        await this.#collection.findOneAndDelete(query, { ...this.#options, raw: true }),
      )
    );
  }

  deleteMany(filter: Filter, limit: number): Promise<number> {
    const query = filterBson(this.#definition, filter);
    return this.#access.write(async () => {
      let removed = 0;
      while (removed < limit) {
        const found = await this.#collection.find(query, {
          ...this.#options,
          projection: { _id: 1 },
          limit: limit - removed,
        }).toArray();
        if (found.length === 0) break;
        const these = { _id: { $in: found.map(({ _id }) => _id) } };
        // Others may have been faster with some of them.
        const gone = await this.#collection.deleteMany({ $and: [these, query] }, this.#options);
        removed += gone.deletedCount;
      }
      return removed;
    });
  }

  /** A transaction is one conversation: its commands go one after the other. */
  async #both<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
    if (this.#access.session === null) return await Promise.all([one(), other()]);
    return [await one(), await other()];
  }

  /** One record more than asked for tells whether the list goes on. */
  #texts(query: ListQuery): Promise<string[]> {
    const { from, limit, offset } = query;
    const shape = this.#shape(query);
    return this.#access.run(async () => {
      const found: unknown[] = await this.#collection.find(pageFilter(shape, from), {
        ...this.#options,
        sort: shape.sort,
        limit: limit + 1,
        batchSize: limit + 1,
        ...(offset !== undefined && { skip: offset }),
        raw: true,
      }).toArray();
      return found.map((one) => documentJson(one as Uint8Array).json); // Bytes, because it is raw.
    });
  }

  #shape(query: ListQuery): PageShape {
    return pageShape(this.#definition, query);
  }

  /**
   * The change as every engine applies it: on the record that was read, if it is still the same
   * when it is written.
   */
  async #changeExactly(query: Bson, change: Change): Promise<Stored<T> | null> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const before = this.#stored(await this.#first(query, { _id: 1 }));
      if (before === null) return null;
      const after = applyChange(before.value, change) as T; // Callers type their own records.
      const json = this.#text(after);
      const revision = before.revision + 1;
      const same = { _id: new ObjectId(before.value._id), [REVISION]: before.revision };
      const { matchedCount } = await this.#collection.replaceOne(
        before.revision === 0 ? { ...same, [REVISION]: null } : same,
        encodeRecord(this.#definition, after, revision),
        this.#options,
      );
      if (matchedCount === 1) return { json, revision, value: after };
    }
    throw new StoreUnavailable(`A record of ${this.#definition.name} changes all the time`);
  }

  async #first(query: Bson, sort?: { readonly _id: 1 }): Promise<Uint8Array | null> {
    const options = { ...this.#options, ...(sort && { sort }), raw: true };
    return await this.#collection.findOne(query, options) as Uint8Array | null;
  }

  #made(record: T): [Stored<T>, Document] {
    const json = this.#text(record);
    return [{ json, revision: 1, value: record }, encodeRecord(this.#definition, record, 1)];
  }

  #text(record: StoredRecord): string {
    const json = recordText(record);
    const { bytesMax } = this.#definition;
    if (bytesMax !== undefined && exceedsBytes(json, bytesMax)) throw new RecordTooLarge(bytesMax);
    return json;
  }

  #stored(document: unknown): Stored<T> | null {
    if (document === null) return null;
    const { json, revision } = documentJson(document as Uint8Array); // Every reader asks for bytes.
    let parsed: T | undefined;
    return {
      json,
      revision,
      get value() {
        return parsed ??= parseJson(json) as T;
      },
    };
  }
}

/** Bytes that a stored record may have so that it cannot exceed `bytesMax` by the change. */
function roomFor({ replace, set, increment }: Change, bytesMax: number): number {
  const added = jsonText({ ...replace, ...set, ...increment }).length * 3; // At most, in UTF-8.
  return Math.floor((bytesMax - added) / GROWTH_MAX);
}

const smallerThan = (bytes: number): Bson => ({
  $expr: { $lte: [{ $bsonSize: "$$ROOT" }, bytes] },
});

function position(json: string | undefined, { sort }: ListQuery): Position | null {
  if (json === undefined) return null;
  const record = parseJson(json) as StoredRecord;
  return {
    values: sort.map(({ path }) => (valueAt(record, path) ?? null) as Scalar), // Sorts are scalars.
    id: record._id,
  };
}
