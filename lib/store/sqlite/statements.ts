import { isLookedUp } from "../advice.ts";
import { eq } from "../filter.ts";
import type {
  Aggregation,
  Definition,
  Filter,
  ListQuery,
  ReferrerQuery,
  Stored,
  StoredRecord,
} from "../port.ts";
import { aggregateSql } from "./aggregate_sql.ts";
import { DOCUMENT_GUARD, GUARD } from "./budget.ts";
import { searchedWords } from "../search.ts";
import { filterSql, isFoundByWords, type SearchWay } from "./filter_sql.ts";
import { type Column, columnsOf, valueOf } from "./columns.ts";
import { type Fragment, sql, type SqlValue } from "./fragment.ts";
import { type Source, sourceOf } from "./array_lookup.ts";
import { BOUND, pageShape, type PageStatement, pageStatement } from "./keyset.ts";
import { referrersSql } from "./referrers_sql.ts";
import { SlowQueryRegistry } from "./slow_query_registry.ts";
import { WordsTable } from "./words_table.ts";
import { isServed, isToldByIndex, looksIntoDocuments } from "./serving.ts";
import { tableName } from "./table_name.ts";

export interface PagePlan {
  readonly statement: PageStatement;
  /** Whether it may look at more rows than it shows. */
  readonly guarded: boolean;
  /** The same without going through all records that have words, or pieces of texts. */
  readonly tested: PageStatement;
  /** The same for queries of which one takes about as long as the other. */
  readonly shape: string;
}

export interface CountStatement {
  readonly fragment: Fragment;
  /** Whether the table keeps it: then it costs nothing. */
  readonly kept: boolean;
  /**
   * The same without a guard, of what an index tells: it takes half the time, and counts no further
   * than to a number that is bound behind its values. Null where it might look at more than it counts.
   */
  readonly limited: Fragment | null;
  /** As of a {@linkcode PagePlan}. */
  readonly tested: Fragment;
  readonly shape: string;
}

/**
 * The statements of a definition's records, written once for each filter that is used again: a
 * caller who keeps a filter object spares the driver from reading it anew.
 */
export class Statements {
  readonly table: string;
  readonly definition: Definition;
  /** Null where there is nothing to search. */
  readonly words: WordsTable | null;
  readonly slowQueries = new SlowQueryRegistry();
  readonly #columns: readonly Column[];
  readonly #insertText: string;
  readonly #pages = new WeakMap<Filter, Map<string, PagePlan>>();
  readonly #counts = new WeakMap<Filter, CountStatement>();

  private constructor(definition: Definition) {
    this.definition = definition;
    this.table = tableName(definition);
    this.words = WordsTable.of(definition);
    this.#columns = [...columnsOf(definition).values()];
    const names = this.#columns.map(({ name }) => `${name}, `).join("");
    const marks = "?, ".repeat(this.#columns.length);
    this.#insertText =
      `insert into ${this.table}(id, rev, ${names}doc) values(?, ?, ${marks}?) returning seq`;
  }

  static readonly #of = new WeakMap<Definition, Statements>();

  static of(definition: Definition): Statements {
    let statements = Statements.#of.get(definition);
    if (statements === undefined) {
      statements = new Statements(definition);
      Statements.#of.set(definition, statements);
    }
    return statements;
  }

  /** Reads revision, text and `seq` of the first record that matches, by its id. */
  first(filter: Filter): Fragment {
    const { sql: condition, values } = filterSql(this.definition, filter);
    const text = `select rev, doc, seq from ${this.table} where ${condition} order by id limit 1`;
    return sql(text, ...values);
  }

  /** Answers the row's `seq`. */
  insert(
    { value, revision, json }: Pick<Stored, "value" | "revision" | "json">,
  ): Fragment {
    const values = this.#columns.map((column) => valueOf(column, value));
    return { sql: this.#insertText, values: [value._id, revision, ...values, json] };
  }

  /** Only what has changed is set: an index that holds nothing of it is left as it is. */
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
    return { sql: `update ${this.table} set rev = ?, doc = ?${set} where seq = ?`, values };
  }

  page(query: ListQuery): PagePlan {
    let shapes = this.#pages.get(query.filter);
    if (shapes === undefined) this.#pages.set(query.filter, shapes = new Map());
    const shape = pageShape(this.definition, query);
    let plan = shapes.get(shape);
    if (plan === undefined) {
      const guarded = !isServed(this.definition, query);
      const options = guarded ? { guard: this.#guard(query.filter) } : {};
      const statement = pageStatement(this.definition, query, options);
      const tested = isFoundByWords(this.definition, query.filter)
        ? pageStatement(this.definition, query, { ...options, search: "test" })
        : statement;
      plan = { guarded, statement, tested, shape: shapeOf(tested.sql.seq, query.filter) };
      shapes.set(shape, plan);
    }
    return plan;
  }

  /**
   * The same page by an index that the filter can use, whatever the sort; null if there is no such
   * index. SQLite prefers one over the sort, which is best where much matches; where little does,
   * it is walked to its end.
   */
  sought(query: ListQuery): PageStatement | null {
    if (isServed(this.definition, query) || !isLookedUp(this.definition, query.filter)) return null;
    const guard = this.#guard(query.filter);
    return pageStatement(this.definition, query, { guard, bySort: false, search: "test" });
  }

  /** How to count, and whether the count is one that the table keeps. */
  count(filter: Filter): CountStatement {
    let statement = this.#counts.get(filter);
    if (statement === undefined) {
      statement = this.#countStatement(filter);
      this.#counts.set(filter, statement);
    }
    return statement;
  }

  #countStatement(filter: Filter): CountStatement {
    const kept = this.#keptCount(filter);
    if (kept !== null) {
      const shape = shapeOf(kept.sql, filter);
      return { fragment: kept, kept: true, limited: null, tested: kept, shape };
    }
    const source = this.#toCount(filter, "lookup");
    const fragment = this.#guardedCount(source, filter);
    const tested = isFoundByWords(this.definition, filter)
      ? this.#guardedCount(this.#toCount(filter, "test"), filter)
      : fragment;
    const limited = isToldByIndex(this.definition, filter) ? limitedCount(source) : null;
    return { fragment, kept: false, limited, tested, shape: shapeOf(tested.sql, filter) };
  }

  aggregate(query: Aggregation): Fragment {
    const { keys, figures, filter } = query;
    const isRead = [...keys, ...figures].some((one) =>
      "path" in one && looksIntoDocuments(this.definition, eq(one.path, null))
    );
    const guard = isRead ? DOCUMENT_GUARD : this.#guard(filter);
    return aggregateSql(this.definition, query, guard);
  }

  referrers(query: ReferrerQuery): Fragment {
    return referrersSql(this.definition, query, this.#guard(query.filter));
  }

  #guardedCount({ from, filter: { sql: condition, values } }: Source, filter: Filter): Fragment {
    const guard = this.#guard(filter);
    return sql(`select count(*) from ${from} where ${guard} and (${condition})`, ...values);
  }

  #toCount(filter: Filter, search: SearchWay): Source {
    return sourceOf(
      this.definition,
      { filter, sort: [] },
      { bySort: false, byRange: true, twice: false, isCount: true, search },
    );
  }

  #guard(filter: Filter): string {
    return looksIntoDocuments(this.definition, filter) ? DOCUMENT_GUARD : GUARD;
  }

  /** The counts that the table keeps: of all live, all deleted, and all records. */
  #keptCount(filter: Filter): Fragment | null {
    if (!this.definition.trash && !this.definition.counted) return null;
    const from = (column: string) =>
      sql(`select ${column} from counts where name = ?`, this.definition.name);
    if (filter.op === "and" && filter.of.length === 0) return from("live + deleted");
    if (filter.op !== "eq" || filter.path !== "isDeleted") return null;
    return typeof filter.value === "boolean" ? from(filter.value ? "deleted" : "live") : null;
  }
}

function limitedCount({ from, filter: { sql: condition, values } }: Source): Fragment {
  const matches = `select 1 from ${from} where ${condition} limit ${BOUND}`;
  return sql(`select count(*) from (${matches})`, ...values);
}

/** What one search takes says nothing of other words. */
function shapeOf(text: string, filter: Filter): string {
  const words = searchedWords(filter);
  return words.length === 0 ? text : `${text} ${words.join(" ")}`;
}
