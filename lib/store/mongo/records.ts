import { type ClientSession, type Collection, type Document, Long, ObjectId } from "mongodb";
import { applyChange } from "../change.ts";
import { adviseKnowing, sortedBy } from "../advice.ts";
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
  type Writing,
} from "../port.ts";
import { recordsOf } from "../pages.ts";
import { fittingText, pageOf } from "../texts.ts";
import type { Access } from "./access.ts";
import { aggregate, referrers } from "./aggregate.ts";
import { bounded, withConnection } from "./bounded.ts";
import { CHANGES, noteOf } from "./changes.ts";
import { changeBson, exactlyIncreased } from "./change_bson.ts";
import { LIMITED } from "./connect.ts";
import { type Bson, encodeRecord, newAuthor } from "./encode.ts";
import { explained } from "./explain.ts";
import { isNotApplicable, repeatable } from "./failures.ts";
import { count, type Counted, estimate } from "./counting.ts";
import { all, filterBson, hintFor } from "./filter_bson.ts";
import { exactly } from "./foreign.ts";
import { growthMax, roomFor, sizeOf, smallerThan } from "./growth.ts";
import { areEnough, type Found, inReplies, inReply, storedOf } from "./found.ts";
import { pageBson } from "./page_bson.ts";
import { authorIn, readReply, type Reply } from "./raw_bson.ts";
import { REVISION } from "./hidden_members.ts";
import { upsert } from "./upsert.ts";
import { within } from "./within.ts";

/** How often a record may change between reading and writing it before the write gives up. */
const ATTEMPTS_MAX = 100;

/** {@linkcode Records} over one collection. */
export class MongoRecords<T extends StoredRecord> implements Records<T> {
  readonly #definition: Definition;
  readonly #access: Access;
  readonly #writing: Writing;
  readonly #collection: Collection;
  readonly #options: { readonly session?: ClientSession; readonly maxTimeMS: number };

  constructor(definition: Definition, access: Access, writing: Writing = {}) {
    this.#definition = definition;
    this.#access = access;
    this.#writing = writing;
    this.#collection = access.db.collection(definition.name);
    const { session } = access;
    this.#options = { ...(session !== null && { session }), ...LIMITED };
  }

  insert(record: T): Promise<Stored<T>> {
    return this.#access.write(async () => {
      const [stored, document] = this.#made(record);
      using _ = await this.#taken(() => sizeOf(document));
      await this.#collection.insertOne(document, this.#options);
      this.#madeSome();
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
      const made = records.map(({ value, revision }) => this.#made(value, revision));
      if (made.length === 0) return [];
      const documents = made.map(([, document]) => document);
      const bytes = () => documents.reduce((sum, one) => sum + sizeOf(one), 0);
      using _ = await this.#taken(bytes);
      await this.#access.together((session) =>
        this.#collection.insertMany(documents, { ...this.#options, session })
      );
      this.#madeSome();
      return made.map(([stored]) => stored);
    });
  }

  get(id: Id): Promise<Stored<T> | null> {
    return this.#access.run(async () => storedOf<T>(await this.#first({ _id: new ObjectId(id) })));
  }

  findOne(filter: Filter): Promise<Stored<T> | null> {
    return this.#access.run(async () => storedOf<T>(await this.#first(this.#asked(filter))));
  }

  async list(query: ListQuery): Promise<Page<T>> {
    const [{ texts, document }, total] = await this.#query(query, () =>
      this.#both(
        () => this.#withConnection((maxTimeMS) => this.#found(query, maxTimeMS)),
        () => this.#total(query),
      ));
    const page = pageOf<T>({ texts, total, examined: null }, query);
    const [first, last] = query.backwards ? [page.size - 1, 0] : [0, page.size - 1];
    const exact = (position: Position | null, index: number) =>
      position && exactly(position, this.#definition, {
        order: sortedBy(query.sort),
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
    return this.#query(
      { filter, sort: [] },
      () => this.#withConnection((maxTimeMS) => count(this.#counted(filter, maxTimeMS))),
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
    const asked = this.#asked(filter);
    const how = (command: Document) =>
      this.#withConnection((maxTimeMS) =>
        explained(db, this.#definition, { command, filter, maxTimeMS })
      );
    return await this.#query(query, async () => {
      const find = this.#find(query);
      const page = await how({ find: name, filter: find.filter, ...find.options });
      const total = query.total
        ? await how({ count: name, query: asked, ...hintFor(filter) })
        : null;
      const examined = Math.max(page.examined, total?.examined ?? 0);
      const advice = adviseKnowing(this.#definition, query, examined);
      return { index: page.index, examined, advice };
    });
  }

  updateOne(filter: Filter, change: Change): Promise<Stored<T> | null> {
    if (this.#isNotedApart) return this.#noted((records) => records.updateOne(filter, change));
    return this.#access.write(async () => {
      const asked = this.#asked(filter);
      try {
        using _ = await this.#taken(() => growthMax(this.#definition, change));
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
      isWithin: this.#access.session !== null,
    });
  }

  deleteOne(filter: Filter): Promise<Stored<T> | null> {
    if (this.#isNotedApart) return this.#noted((records) => records.deleteOne(filter));
    const query = this.#asked(filter);
    return this.#access.remove(async () => {
      const options = { ...this.#options, raw: true };
      const gone = storedOf<T>(await this.#collection.findOneAndDelete(query, options));
      if (gone !== null) await this.#note(gone, null);
      return gone;
    });
  }

  async deleteMany(filter: Filter, limit: number): Promise<number> {
    if (this.#definition.recordedAs !== undefined) return await this.#deleteNoted(filter, limit);
    const query = this.#asked(filter);
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
        // Others may have been faster with some of them.
        const gone = await this.#collection.deleteMany(all([these, query]), this.#options);
        removed += gone.deletedCount;
      }
      return removed;
    });
  }

  /** One by one: each with its note. */
  async #deleteNoted(filter: Filter, limit: number): Promise<number> {
    let removed = 0;
    while (removed < limit && await this.deleteOne(filter) !== null) removed++;
    return removed;
  }

  /** What was inserted is its own note. */
  #madeSome(): void {
    if (this.#definition.recordedAs !== undefined) this.#access.noted(0);
  }

  /** Whether a write is not part of a transaction, and needs one for its note. */
  get #isNotedApart(): boolean {
    return this.#definition.recordedAs !== undefined && this.#access.session === null;
  }

  /** A write with its note, all of it or nothing. */
  #noted<R>(write: (records: MongoRecords<T>) => Promise<R>): Promise<R> {
    return this.#access.write(() =>
      within(
        this.#access,
        (inside) => write(new MongoRecords(this.#definition, inside, this.#writing)),
      )
    );
  }

  async #note(before: Stored<T>, after: Stored<T> | null): Promise<void> {
    if (this.#definition.recordedAs === undefined) return;
    const { note, bytes } = noteOf(this.#definition, this.#writing, { before, after });
    await this.#access.db.collection(CHANGES.name).insertOne(note, this.#options);
    this.#access.noted(bytes);
  }

  /** A transaction is one conversation: its commands go one after the other. */
  async #both<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
    if (this.#access.session === null) return await Promise.all([one(), other()]);
    return [await one(), await other()];
  }

  /** A list or a count, which the server gives up after a time. */
  #query<R>(query: Pick<ListQuery, "filter" | "sort">, work: () => Promise<R>): Promise<R> {
    return bounded(this.#access, { definition: this.#definition, query }, work);
  }

  #withConnection<R>(command: (maxTimeMS: number) => Promise<R>): Promise<R> {
    return withConnection(this.#access, command);
  }

  async #total({ filter, total = false }: ListQuery): Promise<number | null> {
    if (total === false) return null;
    return await this.#withConnection((maxTimeMS) =>
      (total === "estimate" ? estimate : count)(this.#counted(filter, maxTimeMS))
    );
  }

  /** The whole reply in one pass; the driver would hand over one record after the other. */
  async #found(query: ListQuery, maxTimeMS: number): Promise<Found> {
    const { filter, options } = this.#find(query);
    const { bytesMax = PAGE_BYTES_MAX } = query;
    const { cursorId, documents } = await this.#reply({ filter, ...options, maxTimeMS });
    const first = inReply(documents, bytesMax);
    if (cursorId === 0n) return first;
    // More than one reply holds; what the server keeps of the first ends by itself if not by this.
    const { name } = this.#definition;
    const cursors = [Long.fromBigInt(cursorId)];
    await this.#access.db.command({ killCursors: name, cursors, ...LIMITED }).catch(() => {});
    if (areEnough(first.texts, bytesMax)) return first;
    const all = { ...this.#options, ...options, maxTimeMS, raw: true };
    return await inReplies(this.#collection.find(filter, all), bytesMax);
  }

  #counted(filter: Filter, maxTimeMS: number): Counted {
    const { session } = this.#access;
    const query = this.#asked(filter);
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
        limit: limit + 1, // One more than asked for tells whether the list goes on.
        batchSize: limit + 1,
        ...(offset !== undefined && { skip: offset }),
      },
    };
  }

  async #change(asked: Bson, change: Change): Promise<Stored<T> | null> {
    if (this.#access.session !== null) return await this.#changeExactly(asked, change);
    const update = changeBson(this.#definition, change);
    const room = roomFor(change, this.#definition);
    if (update === null || room <= 0) return await this.#changeExactly(asked, change);
    const conditions = [...smallerThan(room), ...exactlyIncreased(change)];
    try {
      const changed = await this.#collection.findOneAndUpdate(
        all([asked, ...conditions]),
        update as Document,
        { ...this.#options, returnDocument: "after", raw: true },
      );
      if (changed !== null || conditions.length === 0) return storedOf<T>(changed);
    } catch (error) {
      if (!isNotApplicable(error)) throw error;
    }
    return await this.#changeExactly(asked, change);
  }

  /**
   * The change as every engine applies it: on the record that was read, if it is still the same
   * when it is written. @param isTight Whether room is only to be had for what it really adds.
   */
  async #changeExactly(
    asked: Bson,
    change: Change,
    isTight = false,
  ): Promise<Stored<T> | null> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const found = await this.#first(asked);
      const before = storedOf<T>(found);
      if (found === null || before === null) return null;
      const after = applyChange(before.value, change) as T; // Callers type their own records.
      const json = fittingText(this.#definition, after);
      const changed = { json, revision: before.revision + 1, value: after };
      const same = { _id: new ObjectId(before.value._id), [REVISION]: before.revision };
      const replacement = encodeRecord(this.#definition, changed, authorIn(found));
      const added = isTight ? sizeOf(replacement) - found.length : 0;
      using _ = added > 0 ? await this.#taken(() => added) : null;
      const { matchedCount } = await this.#collection.replaceOne(
        before.revision === 0 ? { ...same, [REVISION]: null } : same,
        replacement,
        this.#options,
      );
      if (matchedCount !== 1) continue;
      await this.#note(before, changed);
      return changed;
    }
    throw new StoreUnavailable(`A record of ${this.#definition.name} changes all the time`);
  }

  async #first(filter: Bson): Promise<Uint8Array | null> {
    const one = { filter, sort: { _id: 1 }, limit: 1, singleBatch: true, ...LIMITED };
    return (await this.#reply(one)).documents[0] ?? null;
  }

  /** What a find answers, with its documents undecoded; the driver's own would take as long again. */
  async #reply(command: Document): Promise<Reply> {
    const { db, session } = this.#access;
    const find = {
      find: this.#definition.name,
      ...command,
      ...(session === null && { readConcern: { level: "majority" } }),
    };
    const ask = () => db.command(find, { raw: true, ...(session !== null && { session }) });
    return readReply((session === null ? await repeatable(ask) : await ask()).cursor);
  }

  #asked(filter: Filter): Bson {
    return filterBson(this.#definition, filter);
  }

  /** What a write needs that adds so many bytes; they are counted only where there is a bound. */
  async #taken(bytes: () => number): Promise<Disposable | null> {
    return this.#access.take === null ? null : await this.#access.take(bytes());
  }

  #made(record: T, revision = 1): [Stored<T>, Document] {
    const json = fittingText(this.#definition, record);
    const stored = { json, revision, value: record };
    const author = newAuthor(this.#definition, this.#writing);
    return [stored, encodeRecord(this.#definition, stored, author)];
  }
}
