import { adviseIndexText } from "../advice.ts";
import type { Groups } from "../aggregation.ts";
import { applyChange } from "../change.ts";
import { and, within } from "../filter.ts";
import { groupsOf, referrersOf } from "../groups.ts";
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
  type Records,
  type ReferrerQuery,
  type Stored,
  type StoredRecord,
  type WriteOptions,
  type WrittenRecord,
} from "../port.ts";
import { bytesOf } from "../json_text.ts";
import { recordsOf } from "../pages.ts";
import { authorOf } from "../changes.ts";
import { pageOf, storableText, StoredText } from "../texts.ts";
import type { Access, SlowReads } from "./access.ts";
import type { Connection, Row } from "./connection.ts";
import { recordChanges } from "./change_table.ts";
import { aggregateSql } from "./aggregate_sql.ts";
import { explain } from "./explain.ts";
import { filterSql } from "./filter_sql.ts";
import { type Fragment, sql } from "./fragment.ts";
import { boundPage, type PageStatement } from "./keyset.ts";
import { completeRows } from "./page_texts.ts";
import { planQuery } from "./plan.ts";
import { referrersSql } from "./referrers_sql.ts";
import { readRows } from "./rows.ts";
import { readBounded } from "./slow.ts";
import { type CountStatement, firstStatement, WriteStatements } from "./statements.ts";
import { tableName } from "./table_name.ts";
import { countGrowth, type RecordsGrowth } from "./tables.ts";
import { wordsTableOf } from "./words_table.ts";

const returnNull = () => null;

/** The {@linkcode Records} of one table: `seq`, `id`, `rev`, and the record's JSON text `doc`. */
export class SqliteRecords<T extends StoredRecord> implements Records<T> {
  readonly #definition: Definition;
  readonly #access: Access;
  readonly #table: string;
  readonly #writing: WriteOptions;

  constructor(definition: Definition, access: Access, writing: WriteOptions = {}) {
    this.#definition = definition;
    this.#access = access;
    this.#writing = writing;
    this.#table = tableName(definition);
  }

  insert(record: T): Promise<Stored<T>> {
    return this.#access.write((db) => this.#insert(db, [asNew(record)])[0]!);
  }

  insertMany(records: readonly T[]): Promise<Stored<T>[]> {
    return this.#access.write((db) => this.#insert(db, records.map(asNew)));
  }

  restore(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<void> {
    return this.#access.write((db) => void this.#insert(db, records));
  }

  get(id: Id): Promise<Stored<T> | null> {
    return this.#access.read((db) => {
      const row = db.get(sql(`select rev, doc from ${this.#table} where id = ?`, id));
      return row === undefined ? null : toStored<T>(row);
    }, returnNull);
  }

  findOne(filter: Filter): Promise<Stored<T> | null> {
    return this.#access.read((db) => {
      const row = this.#find(db, filter);
      return row === undefined ? null : toStored<T>(row);
    }, returnNull);
  }

  list(query: ListQuery): Promise<Page<T>> {
    const [access, table] = [this.#access, this.#table];
    const plan = planQuery(this.#definition, query);
    const isCounted = query.total !== undefined && query.total !== false;
    return readBounded({ access, plan, page: query, isCounted }, {
      onEventLoop: (db, { page, count }) => {
        const { slow } = access;
        const chosen = { table, page: page!, count, query, slow };
        // A transaction already reads a consistent state.
        return slow === null
          ? readPage(db, chosen)
          : inReadTransaction(db, () => readPage(db, chosen));
      },
      fromThread: ({ texts, total, examined }) =>
        pageOf({ texts, total, examined: examinedRows(examined, texts, query) }, query),
      empty: () => pageOf({ texts: [], total: isCounted ? 0 : null, examined: 0 }, query),
    });
  }

  find(query: FindQuery): AsyncGenerator<T> {
    return recordsOf(this, query);
  }

  count(filter: Filter): Promise<number> {
    const plan = planQuery(this.#definition, { filter });
    return readBounded({ access: this.#access, plan, page: null, isCounted: true }, {
      onEventLoop: (db, { count }) => countRecords(db, count!, this.#access.slow),
      fromThread: ({ total }) => total!,
      empty: () => 0,
    });
  }

  async aggregate(query: Aggregation): Promise<Groups> {
    const { filter, keys, bytesMax = PAGE_BYTES_MAX } = query;
    const plan = planQuery(this.#definition, { filter });
    const sort = keys.slice(0, 1).map(({ path }) => ({ path, descending: false }));
    const rows = await readRows({
      access: this.#access,
      plan,
      statement: aggregateSql(plan, query),
      bytesMax,
      advice: adviseIndexText(this.#definition, { filter, sort }),
    });
    return groupsOf(this.#definition, query, rows);
  }

  async referrers(query: ReferrerQuery): Promise<ReadonlyMap<Id, readonly Id[]>> {
    const { filter, path, ids } = query;
    if (ids.length === 0) return new Map();
    const plan = planQuery(this.#definition, query);
    const rows = await readRows({
      access: this.#access,
      plan,
      statement: referrersSql(plan, query),
      bytesMax: null,
      advice: adviseIndexText(this.#definition, {
        filter: and(within(path, ids), filter),
        sort: [],
      }),
    });
    return referrersOf(rows as readonly (readonly [Id, Id])[]); // Both columns contain ids.
  }

  explain(query: ListQuery): Promise<Explanation> {
    return explain({
      plan: planQuery(this.#definition, query),
      planOf: (statement) => this.#access.read((db) => db.planOf(statement)),
      isSelective: (lookup) =>
        this.#access.read(
          (db) => wordsTableOf(this.#definition)!.isSelective(db, lookup),
          () => true,
        ),
      count: (one) => this.count(one),
    }, query);
  }

  updateOne(filter: Filter, change: Change): Promise<Stored<T> | null> {
    return this.#access.write((db) => this.#change(db, filter, change), returnNull);
  }

  upsert(filter: Filter, change: Change, record: T): Promise<Stored<T>> {
    return this.#access.write((db) =>
      this.#change(db, filter, change) ?? this.#insert(db, [asNew(record)])[0]!
    );
  }

  deleteOne(filter: Filter): Promise<Stored<T> | null> {
    return this.#access.write((db) => {
      const row = this.#find(db, filter);
      return row === undefined ? null : this.#delete(db, [row])[0]!;
    }, returnNull);
  }

  deleteMany(filter: Filter, limit: number): Promise<number> {
    const { sql: condition, values } = filterSql(this.#definition, filter);
    const matching = sql(
      `select rev, doc, seq from ${this.#table} where ${condition} limit ?`,
      ...values,
      limit,
    );
    return this.#access.write((db) => {
      const rows = db.all(matching);
      return this.#delete(db, rows).length;
    }, () => 0);
  }

  #change(db: Connection, filter: Filter, change: Change): Stored<T> | null {
    const row = this.#find(db, filter);
    if (row === undefined) return null;
    const before = toStored<T>(row);
    const after = applyChange(before.value, change) as T; // The caller's type.
    const json = storableText(this.#definition, after);
    const revision = before.revision + 1;
    const seq = seqOf(row);
    const statements = WriteStatements.of(this.#definition);
    db.run(statements.update({ seq, revision, json }, before.value, after));
    runIfAny(db, statements.words?.update(seq, before.value, after));
    const changed = { json, revision, value: after };
    this.#recordWrite(db, [{ before, after: changed }]);
    return changed;
  }

  /** Inserts rows before words: alternating would make SQLite write words out for each row. */
  #insert(db: Connection, records: readonly Pick<Stored<T>, "value" | "revision">[]): Stored<T>[] {
    const inserted = records.map(({ value, revision }) => ({
      json: storableText(this.#definition, value),
      revision,
      value,
    }));
    const statements = WriteStatements.of(this.#definition);
    const rows = inserted.map((one) => db.get(statements.insert(one))!);
    for (const [i, [seq]] of rows.entries()) {
      runIfAny(db, statements.words?.insert(seq as number, inserted[i]!.value));
    }
    this.#recordWrite(db, inserted.map((after) => ({ before: null, after })));
    return inserted;
  }

  #delete(db: Connection, rows: readonly Row[]): Stored<T>[] {
    const { words } = WriteStatements.of(this.#definition);
    for (const row of rows) {
      db.run(sql(`delete from ${this.#table} where seq = ?`, seqOf(row)));
      runIfAny(db, words?.delete(seqOf(row)));
    }
    const gone = rows.map((row) => toStored<T>(row));
    this.#recordWrite(db, gone.map((before) => ({ before, after: null })));
    return gone;
  }

  #find(db: Connection, filter: Filter): Row | undefined {
    return db.get(firstStatement(this.#definition, filter));
  }

  /** Records changes and counts bytes of written records. Throws `SpaceFull`. */
  #recordWrite(db: Connection, written: readonly WrittenRecord[]): void {
    if (written.length === 0) return;
    if (this.#definition.recordedAs !== undefined) {
      const by = authorOf(this.#definition, this.#writing);
      recordChanges(db, this.#definition, { written, by });
    }
    if (!this.#definition.trash && !this.#definition.counted) return;
    const { live, deleted, bytes } = growthOf(written);
    if (live === 0 && deleted === 0 && bytes === 0) return;
    countGrowth(db, this.#definition, { live, deleted, bytes }, this.#writing.quota);
  }
}

function growthOf(written: readonly WrittenRecord[]): RecordsGrowth {
  let [live, deleted, bytes] = [0, 0, 0];
  const add = (record: Stored | null, sign: 1 | -1) => {
    if (record === null) return;
    bytes += sign * bytesOf(record.json);
    if (record.value.isDeleted === true) deleted += sign;
    else live += sign;
  };
  for (const { before, after } of written) {
    add(before, -1);
    add(after, 1);
  }
  return { live, deleted, bytes };
}

interface PageRead {
  readonly table: string;
  readonly page: PageStatement;
  readonly count: CountStatement | null;
  readonly query: ListQuery;
  readonly slow: SlowReads | null;
}

function readPage<T>(
  db: Connection,
  { table, page, count, query, slow }: PageRead,
): Page<T> {
  const seen = db.rowsExamined;
  const rows = completeRows(db, db.all(boundPage(page, "seq, text", query)), { table, query });
  const texts = rows.map(([, text]) => text as string);
  const total = count && countRecords(db, count, slow);
  const examined = examinedRows(db.rowsExamined - seen, texts, query);
  return pageOf({ texts, total, examined }, query);
}

/** Returns the approximate number of examined rows, at least those that are returned. */
const examinedRows = (seen: number, texts: readonly string[], { offset = 0 }: ListQuery): number =>
  Math.max(seen, offset + texts.length);

function inReadTransaction<T>(db: Connection, work: () => T): T {
  db.run(BEGIN);
  try {
    return work();
  } finally {
    db.run(COMMIT);
  }
}

const BEGIN = sql("begin");
const COMMIT = sql("commit");

/** Counts records. A count beyond the limit exceeds the budget, so the read is given up. */
function countRecords(
  db: Connection,
  { fragment, limited }: CountStatement,
  slow: SlowReads | null,
): number {
  if (limited === null || slow === null) return (db.get(fragment)?.[0] ?? 0) as number;
  const { sql: text, values } = limited;
  const total = db.get(sql(text, ...values, slow.rowsMax + 1))![0] as number;
  db.addExaminedRows(total);
  return total;
}

function runIfAny(db: Connection, statement: Fragment | null | undefined): void {
  if (statement) db.run(statement);
}

const asNew = <T>(value: T) => ({ value, revision: 1 });

const seqOf = (row: Row): number => row[2] as number;

const toStored = <T>([revision, json]: Row): Stored<T> =>
  new StoredText(json as string, revision as number);
