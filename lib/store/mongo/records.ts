import { type ClientSession, type Collection, type Document, Long, ObjectId } from "mongodb";
import { applyChange } from "../change.ts";
import { adviseIndexIfSlow, withIdKey } from "../advice.ts";
import type { Groups } from "../aggregation.ts";
import { SpaceFull, StoreUnavailable } from "../errors.ts";
import {
  type Aggregation,
  type Change,
  type Definition,
  type Explanation,
  type Filter,
  type FindQuery,
  type Id,
  type ListQuery,
  type Page,
  PAGE_BYTES_MAX,
  type Position,
  type Records,
  type ReferrerQuery,
  type Stored,
  type StoredRecord,
  type WriteOptions,
} from "../port.ts";
import { recordsOf } from "../pages.ts";
import { pageOf, storableText } from "../texts.ts";
import type { Access } from "./access.ts";
import { aggregate, referrers } from "./aggregate.ts";
import { withConnection, withTimeLimit } from "./bounded_reads.ts";
import { changeEntry, CHANGES } from "./changes.ts";
import { changeBson, exactIncrementConditions } from "./change_bson.ts";
import { MAX_TIME } from "./connect.ts";
import { type Bson, encodeRecord, newAuthor } from "./encode.ts";
import { explainCommand } from "./explain.ts";
import { isNotApplicable, retryOnce } from "./failures.ts";
import { count, type CountQuery, estimate } from "./counting.ts";
import { all, filterBson, hintFor } from "./filter_bson.ts";
import { withExactValues } from "./exact_positions.ts";
import { growthMax, sizeConditions, sizeMaxBefore, sizeOf } from "./growth.ts";
import { exceedPage, type PageTexts, readBatch, readCursor, toStored } from "./read_documents.ts";
import { pageBson } from "./page_bson.ts";
import { authorIn, type FindReply, readReply } from "./raw_bson.ts";
import { REVISION } from "./hidden_members.ts";
import { upsert } from "./upsert.ts";
import { inOwnTransaction } from "./in_own_transaction.ts";

/** Number of attempts to write a record that changes between reading and writing. */
const ATTEMPTS_MAX = 100;

export class MongoRecords<T extends StoredRecord> implements Records<T> {
  readonly #definition: Definition;
  readonly #access: Access;
  readonly #writing: WriteOptions;
  readonly #collection: Collection;
  readonly #options: { readonly session?: ClientSession; readonly maxTimeMS: number };

  constructor(definition: Definition, access: Access, writing: WriteOptions = {}) {
    this.#definition = definition;
    this.#access = access;
    this.#writing = writing;
    this.#collection = access.db.collection(definition.name);
    const { session } = access;
    this.#options = { ...(session !== null && { session }), ...MAX_TIME };
  }

  insert(record: T): Promise<Stored<T>> {
    return this.#access.write(async () => {
      const [stored, document] = this.#encodeNew(record);
      using _ = await this.#reserve(() => sizeOf(document));
      await this.#collection.insertOne(document, this.#options);
      this.#noteInsert();
      return stored;
    });
  }

  insertMany(records: readonly T[]): Promise<Stored<T>[]> {
    return this.#insertAll(records.map((value) => ({ value, revision: 1 })));
  }

  async restore(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<void> {
    await this.#insertAll(records);
  }

  #insertAll(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<Stored<T>[]> {
    return this.#access.write(async () => {
      const made = records.map(({ value, revision }) => this.#encodeNew(value, revision));
      if (made.length === 0) return [];
      const documents = made.map(([, document]) => document);
      const bytes = () => documents.reduce((sum, one) => sum + sizeOf(one), 0);
      using _ = await this.#reserve(bytes);
      await this.#access.runInTransaction((session) =>
        this.#collection.insertMany(documents, { ...this.#options, session })
      );
      this.#noteInsert();
      return made.map(([stored]) => stored);
    });
  }

  get(id: Id): Promise<Stored<T> | null> {
    return this.#access.run(async () => toStored<T>(await this.#first({ _id: new ObjectId(id) })));
  }

  findOne(filter: Filter): Promise<Stored<T> | null> {
    return this.#access.run(async () => toStored<T>(await this.#first(this.#filterBson(filter))));
  }

  async list(query: ListQuery): Promise<Page<T>> {
    const [{ texts, document }, total] = await this.#withTimeLimit(query, () =>
      this.#both(
        () => this.#withConnection((maxTimeMS) => this.#readPage(query, maxTimeMS)),
        () => this.#total(query),
      ));
    const page = pageOf<T>({ texts, total, examined: null }, query);
    const [first, last] = query.backwards ? [page.size - 1, 0] : [0, page.size - 1];
    const exact = (position: Position | null, index: number) =>
      position && withExactValues(position, this.#definition, {
        order: withIdKey(query.sort),
        document: document(index),
      });
    return {
      ...page,
      first: () => exact(page.first(), first),
      last: () => exact(page.last(), last),
    };
  }

  find(query: FindQuery): AsyncGenerator<T> {
    return recordsOf(this, query);
  }

  count(filter: Filter): Promise<number> {
    return this.#withTimeLimit(
      { filter, sort: [] },
      () => this.#withConnection((maxTimeMS) => count(this.#countQuery(filter, maxTimeMS))),
    );
  }

  aggregate(query: Aggregation): Promise<Groups> {
    return aggregate(this.#access, this.#definition, query);
  }

  referrers(query: ReferrerQuery): Promise<ReadonlyMap<Id, readonly Id[]>> {
    return referrers(this.#access, this.#definition, query);
  }

  async explain(query: ListQuery): Promise<Explanation> {
    const { db } = this.#access;
    const { name } = this.#definition;
    const { filter } = query;
    const asked = this.#filterBson(filter);
    const explainPart = (command: Document) =>
      this.#withConnection((maxTimeMS) =>
        explainCommand(db, this.#definition, { command, filter, maxTimeMS })
      );
    return await this.#withTimeLimit(query, async () => {
      const find = this.#find(query);
      const page = await explainPart({ find: name, filter: find.filter, ...find.options });
      const total = query.total
        ? await explainPart({ count: name, query: asked, ...hintFor(filter) })
        : null;
      const examined = Math.max(page.examined, total?.examined ?? 0);
      const advice = adviseIndexIfSlow(this.#definition, query, examined);
      return { index: page.index, examined, advice };
    });
  }

  updateOne(filter: Filter, change: Change): Promise<Stored<T> | null> {
    if (this.#needsTransaction) return this.#withEntry((inner) => inner.updateOne(filter, change));
    return this.#access.write(async () => {
      const asked = this.#filterBson(filter);
      try {
        using _ = await this.#reserve(() => growthMax(this.#definition, change));
        return await this.#change(asked, change);
      } catch (error) {
        if (!(error instanceof SpaceFull)) throw error;
      }
      return await this.#changeExactly(asked, change, true);
    });
  }

  upsert(filter: Filter, change: Change, record: T): Promise<Stored<T>> {
    return upsert({
      change: () => this.updateOne(filter, change),
      insert: () => this.insert(record),
      isInTransaction: this.#access.session !== null,
    });
  }

  deleteOne(filter: Filter): Promise<Stored<T> | null> {
    if (this.#needsTransaction) return this.#withEntry((inner) => inner.deleteOne(filter));
    const query = this.#filterBson(filter);
    return this.#access.remove(async () => {
      const options = { ...this.#options, raw: true };
      const gone = toStored<T>(await this.#collection.findOneAndDelete(query, options));
      if (gone !== null) await this.#recordChange(gone, null);
      return gone;
    });
  }

  async deleteMany(filter: Filter, limit: number): Promise<number> {
    if (this.#definition.recordedAs !== undefined) return await this.#deleteRecorded(filter, limit);
    const query = this.#filterBson(filter);
    return await this.#access.remove(async () => {
      let removed = 0;
      while (removed < limit) {
        const found = await this.#collection.find(query, {
          ...this.#options,
          projection: { _id: 1 },
          limit: limit - removed,
        }).toArray();
        if (found.length === 0) break;
        const these = { _id: { $in: found.map(({ _id }) => _id) } };
        // Other processes may have deleted some of them.
        const gone = await this.#collection.deleteMany(all([these, query]), this.#options);
        removed += gone.deletedCount;
      }
      return removed;
    });
  }

  /** Deletes records one by one, each with its change log entry. */
  async #deleteRecorded(filter: Filter, limit: number): Promise<number> {
    let removed = 0;
    while (removed < limit && await this.deleteOne(filter) !== null) removed++;
    return removed;
  }

  /** Reports an insert, which does not need a change log entry. */
  #noteInsert(): void {
    if (this.#definition.recordedAs !== undefined) this.#access.noteChanges(0);
  }

  /** Whether a write needs its own transaction for its change log entry. */
  get #needsTransaction(): boolean {
    return this.#definition.recordedAs !== undefined && this.#access.session === null;
  }

  /** Runs a write and records its change in one transaction. */
  #withEntry<R>(write: (records: MongoRecords<T>) => Promise<R>): Promise<R> {
    return this.#access.write(() =>
      inOwnTransaction(
        this.#access,
        (inside) => write(new MongoRecords(this.#definition, inside, this.#writing)),
      )
    );
  }

  async #recordChange(before: Stored<T>, after: Stored<T> | null): Promise<void> {
    if (this.#definition.recordedAs === undefined) return;
    const { entry, bytes } = changeEntry(this.#definition, this.#writing, { before, after });
    await this.#access.db.collection(CHANGES.name).insertOne(entry, this.#options);
    this.#access.noteChanges(bytes);
  }

  /** Runs two reads concurrently; in a transaction, which allows only one command, in turn. */
  async #both<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
    if (this.#access.session === null) return await Promise.all([one(), other()]);
    return [await one(), await other()];
  }

  /** Runs a list or a count, which the server aborts at the time limit. */
  #withTimeLimit<R>(query: Pick<ListQuery, "filter" | "sort">, work: () => Promise<R>): Promise<R> {
    return withTimeLimit(this.#access, { definition: this.#definition, query }, work);
  }

  #withConnection<R>(command: (maxTimeMS: number) => Promise<R>): Promise<R> {
    return withConnection(this.#access, command);
  }

  async #total({ filter, total = false }: ListQuery): Promise<number | null> {
    if (total === false) return null;
    return await this.#withConnection((maxTimeMS) =>
      (total === "estimate" ? estimate : count)(this.#countQuery(filter, maxTimeMS))
    );
  }

  /** Reads a page from the first reply in one pass, unlike the driver's cursor. */
  async #readPage(query: ListQuery, maxTimeMS: number): Promise<PageTexts> {
    const { filter, options } = this.#find(query);
    const { bytesMax = PAGE_BYTES_MAX } = query;
    const { cursorId, documents } = await this.#reply({ filter, ...options, maxTimeMS });
    const first = readBatch(documents, bytesMax);
    if (cursorId === 0n) return first;
    // The page exceeds one reply. The cursor expires even if it cannot be killed.
    const { name } = this.#definition;
    const cursors = [Long.fromBigInt(cursorId)];
    await this.#access.db.command({ killCursors: name, cursors, ...MAX_TIME }).catch(() => {});
    if (exceedPage(first.texts, bytesMax)) return first;
    const all = { ...this.#options, ...options, maxTimeMS, raw: true };
    return await readCursor(this.#collection.find(filter, all), bytesMax);
  }

  #countQuery(filter: Filter, maxTimeMS: number): CountQuery {
    const { session } = this.#access;
    const query = this.#filterBson(filter);
    return { query, filter, collection: this.#collection, session, maxTimeMS };
  }

  #find(query: ListQuery) {
    const { limit, offset } = query;
    const { filter, sort } = pageBson(this.#definition, query);
    return {
      filter,
      options: {
        ...hintFor(query.filter),
        sort,
        limit: limit + 1, // One more than requested shows whether the list continues.
        batchSize: limit + 1,
        ...(offset !== undefined && { skip: offset }),
      },
    };
  }

  async #change(asked: Bson, change: Change): Promise<Stored<T> | null> {
    if (this.#access.session !== null) return await this.#changeExactly(asked, change);
    const update = changeBson(this.#definition, change);
    const sizeMax = sizeMaxBefore(change, this.#definition);
    if (update === null || sizeMax <= 0) return await this.#changeExactly(asked, change);
    const conditions = [...sizeConditions(sizeMax), ...exactIncrementConditions(change)];
    try {
      const changed = await this.#collection.findOneAndUpdate(
        all([asked, ...conditions]),
        update as Document,
        { ...this.#options, returnDocument: "after", raw: true },
      );
      if (changed !== null || conditions.length === 0) return toStored<T>(changed);
    } catch (error) {
      if (!isNotApplicable(error)) throw error;
    }
    return await this.#changeExactly(asked, change);
  }

  /**
   * Applies a change to the record that was read, if its revision is unchanged when it is written.
   *
   * @param reservesExactly Whether to reserve only the bytes that the change actually adds.
   */
  async #changeExactly(
    asked: Bson,
    change: Change,
    reservesExactly = false,
  ): Promise<Stored<T> | null> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const found = await this.#first(asked);
      const before = toStored<T>(found);
      if (found === null || before === null) return null;
      const after = applyChange(before.value, change) as T; // The caller's type.
      const json = storableText(this.#definition, after);
      const changed = { json, revision: before.revision + 1, value: after };
      const same = { _id: new ObjectId(before.value._id), [REVISION]: before.revision };
      const replacement = encodeRecord(this.#definition, changed, authorIn(found));
      const added = reservesExactly ? sizeOf(replacement) - found.length : 0;
      using _ = added > 0 ? await this.#reserve(() => added) : null;
      const { matchedCount } = await this.#collection.replaceOne(
        before.revision === 0 ? { ...same, [REVISION]: null } : same,
        replacement,
        this.#options,
      );
      if (matchedCount !== 1) continue;
      await this.#recordChange(before, changed);
      return changed;
    }
    throw new StoreUnavailable(`A record of ${this.#definition.name} keeps changing`);
  }

  async #first(filter: Bson): Promise<Uint8Array | null> {
    const one = { filter, sort: { _id: 1 }, limit: 1, singleBatch: true, ...MAX_TIME };
    return (await this.#reply(one)).documents[0] ?? null;
  }

  /** Runs a find without decoding documents, in half the time of the driver's cursor. */
  async #reply(command: Document): Promise<FindReply> {
    const { db, session } = this.#access;
    const find = {
      find: this.#definition.name,
      ...command,
      ...(session === null && { readConcern: { level: "majority" } }),
    };
    const ask = () => db.command(find, { raw: true, ...(session !== null && { session }) });
    return readReply((session === null ? await retryOnce(ask) : await ask()).cursor);
  }

  #filterBson(filter: Filter): Bson {
    return filterBson(this.#definition, filter);
  }

  /** Reserves bytes of the quota for a write. `bytes` is called only if there is a quota. */
  async #reserve(bytes: () => number): Promise<Disposable | null> {
    return this.#access.reserveBytes === null ? null : await this.#access.reserveBytes(bytes());
  }

  #encodeNew(record: T, revision = 1): [Stored<T>, Document] {
    const json = storableText(this.#definition, record);
    const stored = { json, revision, value: record };
    const author = newAuthor(this.#definition, this.#writing);
    return [stored, encodeRecord(this.#definition, stored, author)];
  }
}
