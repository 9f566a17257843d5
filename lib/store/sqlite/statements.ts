import { LRUCache } from "lru-cache";
import type { Definition, Filter, StoredRecord } from "../port.ts";
import { type Column, columnsOf, valueOf } from "./columns.ts";
import { filterSql, type SearchWay } from "./filter_sql.ts";
import { type Fragment, sql, type SqlValue } from "./fragment.ts";
import { BOUND } from "./keyset.ts";
import { isCountedByIndex, type QueryPlan } from "./plan.ts";
import { type Source, sourceOf } from "./source.ts";
import { tableName } from "./table_name.ts";
import { type WordsTable, wordsTableOf } from "./words_table.ts";

export interface CountStatement {
  readonly fragment: Fragment;
  /** Whether the table keeps the count, so that it costs nothing. */
  readonly kept: boolean;
  /**
   * Counts without a guard what lies next to each other in an index: it takes half the time, and
   * counts no further than to a number that is bound behind its values. Null where it might look at
   * more than it counts.
   */
  readonly limited: Fragment | null;
}

/** Returns how to count what a plan is made for. */
export function countStatement(plan: QueryPlan, search: SearchWay): CountStatement {
  const kept = keptCount(plan);
  if (kept !== null) return { fragment: kept, kept: true, limited: null };
  const source = sourceOf(plan, {
    bySort: false,
    byRange: true,
    twice: false,
    isCount: true,
    search,
  });
  const { from, filter: { sql: condition, values } } = source;
  const text = `select count(*) from ${from} where ${plan.guard} and (${condition})`;
  const limited = isCountedByIndex(plan) ? limitedCount(source) : null;
  return { fragment: sql(text, ...values), kept: false, limited };
}

function limitedCount({ from, filter: { sql: condition, values } }: Source): Fragment {
  const matches = `select 1 from ${from} where ${condition} limit ${BOUND}`;
  return sql(`select count(*) from (${matches})`, ...values);
}

/** Returns the counts that the table keeps: of all live, all deleted, and all records. */
function keptCount({ definition, conditions: [first, ...others] }: QueryPlan): Fragment | null {
  if (!definition.trash && !definition.counted) return null;
  const from = (column: string) =>
    sql(`select ${column} from counts where name = ?`, definition.name);
  if (first === undefined) return from("live + deleted");
  if (others.length > 0 || first.op !== "eq" || first.path !== "isDeleted") return null;
  return typeof first.value === "boolean" ? from(first.value ? "deleted" : "live") : null;
}

/** Reads revision, text and `seq` of the first record that matches, by its id. */
export function firstStatement(definition: Definition, filter: Filter): Fragment {
  const { sql: condition, values } = filterSql(definition, filter);
  const text = `select rev, doc, seq from ${tableName(definition)} ` +
    `where ${condition} order by id limit 1`;
  return sql(text, ...values);
}

/** What is stored of a record. */
interface Row {
  readonly value: StoredRecord;
  readonly revision: number;
  readonly json: string;
}

/** The statements of definitions that were written to last, by their names and versions. */
const kept = new LRUCache<string, WriteStatements>({ max: 500 });

/** Statements that write records of one definition. */
export class WriteStatements {
  /** Null where there is nothing to search. */
  readonly words: WordsTable | null;
  readonly #definition: Definition;
  readonly #table: string;
  readonly #columns: readonly Column[];
  readonly #insert: string;

  /** Returns statements whose columns are not worked out for each write. */
  static of(definition: Definition): WriteStatements {
    const key = `${definition.name} ${definition.version}`;
    let statements = kept.get(key);
    if (statements === undefined || statements.#definition !== definition) {
      statements = new WriteStatements(definition);
      kept.set(key, statements);
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

  /** Answers the row's `seq`. */
  insert({ value, revision, json }: Row): Fragment {
    const values = this.#columns.map((column) => valueOf(column, value));
    return { sql: this.#insert, values: [value._id, revision, ...values, json] };
  }

  /** Sets what has changed alone: an index that has nothing of it is left as it is. */
  update(
    { seq, revision, json }: { seq: number; revision: number; json: string },
    before: StoredRecord,
    after: StoredRecord,
  ): Fragment {
    let set = "";
    const values: SqlValue[] = [revision, json];
    for (const column of this.#columns) {
      const value = valueOf(column, after);
      if (value === valueOf(column, before)) continue;
      set += `, ${column.name} = ?`;
      values.push(value);
    }
    values.push(seq);
    return { sql: `update ${this.#table} set rev = ?, doc = ?${set} where seq = ?`, values };
  }
}
