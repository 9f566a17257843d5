import { LRUCache } from "lru-cache";
import type { Definition, Filter, StoredRecord } from "../port.ts";
import { type Column, columnsOf, columnValue } from "./columns.ts";
import { filterSql, type SearchMode } from "./filter_sql.ts";
import { type Fragment, sql, type SqlValue } from "./fragment.ts";
import { BOUND_NUMBER } from "./keyset.ts";
import { isCountedByIndex, type QueryPlan } from "./plan.ts";
import { type RecordSource, sourceOf } from "./source.ts";
import { tableName } from "./table_name.ts";
import { type WordsTable, wordsTableOf } from "./words_table.ts";

export interface CountStatement {
  readonly fragment: Fragment;
  /** Whether the count is stored, so that reading it takes constant time. */
  readonly isStored: boolean;
  /**
   * Counts adjacent entries of an index without a guard, in half the time, up to a bound number
   * that follows the values. Null if it might examine more entries than it counts.
   */
  readonly limited: Fragment | null;
}

export function countStatement(plan: QueryPlan, search: SearchMode): CountStatement {
  const kept = storedCount(plan);
  if (kept !== null) return { fragment: kept, isStored: true, limited: null };
  const source = sourceOf(plan, {
    bySort: false,
    byRange: true,
    isSplit: false,
    isCount: true,
    search,
  });
  const { from, filter: { sql: condition, values } } = source;
  const text = `select count(*) from ${from} where ${plan.guard} and (${condition})`;
  const limited = isCountedByIndex(plan) ? limitedCount(source) : null;
  return { fragment: sql(text, ...values), isStored: false, limited };
}

function limitedCount({ from, filter: { sql: condition, values } }: RecordSource): Fragment {
  const matches = `select 1 from ${from} where ${condition} limit ${BOUND_NUMBER}`;
  return sql(`select count(*) from (${matches})`, ...values);
}

/** Returns the statement that reads a stored count of live, deleted or all records, or null. */
function storedCount({ definition, conditions: [first, ...others] }: QueryPlan): Fragment | null {
  if (!definition.trash && !definition.counted) return null;
  const from = (column: string) =>
    sql(`select ${column} from counts where name = ?`, definition.name);
  if (first === undefined) return from("live + deleted");
  if (others.length > 0 || first.op !== "eq" || first.path !== "isDeleted") return null;
  return typeof first.value === "boolean" ? from(first.value ? "deleted" : "live") : null;
}

/** Returns the statement that reads revision, text and `seq` of the first matching record by id. */
export function firstStatement(definition: Definition, filter: Filter): Fragment {
  const { sql: condition, values } = filterSql(definition, filter);
  const text = `select rev, doc, seq from ${tableName(definition)} ` +
    `where ${condition} order by id limit 1`;
  return sql(text, ...values);
}

interface Row {
  readonly value: StoredRecord;
  readonly revision: number;
  readonly json: string;
}

/** Statements of the most recently written definitions, by name and version. */
const statementsCache = new LRUCache<string, WriteStatements>({ max: 500 });

export class WriteStatements {
  /** The table of words; null if there are no search fields. */
  readonly words: WordsTable | null;
  readonly #definition: Definition;
  readonly #table: string;
  readonly #columns: readonly Column[];
  readonly #insert: string;

  /** Returns cached statements, because computing the columns for each write would be slow. */
  static of(definition: Definition): WriteStatements {
    const key = `${definition.name} ${definition.version}`;
    let statements = statementsCache.get(key);
    if (statements === undefined || statements.#definition !== definition) {
      statements = new WriteStatements(definition);
      statementsCache.set(key, statements);
    }
    return statements;
  }

  private constructor(definition: Definition) {
    this.#definition = definition;
    this.words = wordsTableOf(definition);
    this.#table = tableName(definition);
    this.#columns = columnsOf(definition);
    const names = this.#columns.map(({ name }) => `${name}, `).join("");
    const marks = "?, ".repeat(this.#columns.length);
    this.#insert =
      `insert into ${this.#table}(id, rev, ${names}doc) values(?, ?, ${marks}?) returning seq`;
  }

  /** Returns the statement that inserts a record and returns its `seq`. */
  insert({ value, revision, json }: Row): Fragment {
    const values = this.#columns.map((column) => columnValue(column, value));
    return { sql: this.#insert, values: [value._id, revision, ...values, json] };
  }

  /** Returns the statement that updates a record's changed columns, and thereby few indexes. */
  update(
    { seq, revision, json }: { seq: number; revision: number; json: string },
    before: StoredRecord,
    after: StoredRecord,
  ): Fragment {
    let set = "";
    const values: SqlValue[] = [revision, json];
    for (const column of this.#columns) {
      const value = columnValue(column, after);
      if (value === columnValue(column, before)) continue;
      set += `, ${column.name} = ?`;
      values.push(value);
    }
    values.push(seq);
    return { sql: `update ${this.#table} set rev = ?, doc = ?${set} where seq = ?`, values };
  }
}
