import { isLookedUp, looksIntoDocuments } from "../advice.ts";
import type { Definition, Filter, ListQuery } from "../port.ts";
import { DOCUMENT_GUARD, GUARD } from "./budget.ts";
import { filterSql } from "./filter_sql.ts";
import { FirstMatch } from "./first_match.ts";
import { type Fragment, sql } from "./fragment.ts";
import { pageShape, type PageStatement, pageStatement, tableName } from "./keyset.ts";
import { SlowQueryRegistry } from "./slow_query_registry.ts";
import { isServed } from "./serving.ts";

export interface PagePlan {
  readonly statement: PageStatement;
  /** Whether it may look at more rows than it shows. */
  readonly guarded: boolean;
}

export interface CountStatement {
  readonly fragment: Fragment;
  /** Whether the table keeps it: then it costs nothing. */
  readonly kept: boolean;
}

/**
 * The statements of a definition's records, written once for each filter that is used again: a
 * caller who keeps a filter object spares the driver from reading it anew.
 */
export class Statements {
  readonly table: string;
  readonly definition: Definition;
  readonly first: FirstMatch;
  readonly slowQueries = new SlowQueryRegistry();
  readonly #pages = new WeakMap<Filter, Map<string, PagePlan>>();
  readonly #counts = new WeakMap<Filter, CountStatement>();

  private constructor(definition: Definition) {
    this.definition = definition;
    this.table = tableName(definition);
    this.first = new FirstMatch(definition, this.table);
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

  page(query: ListQuery): PagePlan {
    let shapes = this.#pages.get(query.filter);
    if (shapes === undefined) this.#pages.set(query.filter, shapes = new Map());
    const shape = pageShape(this.definition, query);
    let plan = shapes.get(shape);
    if (plan === undefined) {
      const guarded = !isServed(this.definition, query);
      const options = guarded ? { guard: this.#guard(query.filter) } : {};
      plan = { guarded, statement: pageStatement(this.definition, query, options) };
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
    return pageStatement(this.definition, query, { guard, bySort: false });
  }

  /** How to count, and whether the count is one that the table keeps. */
  count(filter: Filter): CountStatement {
    let statement = this.#counts.get(filter);
    if (statement === undefined) {
      const kept = this.#keptCount(filter);
      statement = { kept: kept !== null, fragment: kept ?? this.#counted(filter) };
      this.#counts.set(filter, statement);
    }
    return statement;
  }

  #counted(filter: Filter): Fragment {
    const { sql: condition, values } = filterSql(this.definition, filter);
    const guard = this.#guard(filter);
    return sql(`select count(*) from ${this.table} where ${guard} and (${condition})`, ...values);
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
