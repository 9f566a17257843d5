import type { Definition, Filter, ListQuery } from "../port.ts";
import { filterSql } from "./filter_sql.ts";
import { type Fragment, sql } from "./fragment.ts";
import { pageShape, type PageStatement, pageStatements, tableName } from "./keyset.ts";

export interface CountStatement {
  readonly fragment: Fragment;
  readonly kept: boolean;
}

/**
 * The statements of a definition's records, written once for each filter that is used again: a
 * caller who keeps a filter object spares the driver from reading it anew.
 */
export class Statements {
  readonly table: string;
  readonly #definition: Definition;
  readonly #pages = new WeakMap<Filter, Map<string, PageStatement[]>>();
  readonly #counts = new WeakMap<Filter, CountStatement>();

  private constructor(definition: Definition) {
    this.#definition = definition;
    this.table = tableName(definition);
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

  page(query: ListQuery): PageStatement[] {
    let shapes = this.#pages.get(query.filter);
    if (shapes === undefined) this.#pages.set(query.filter, shapes = new Map());
    const shape = pageShape(query);
    let statements = shapes.get(shape);
    if (statements === undefined) {
      shapes.set(shape, statements = pageStatements(this.#definition, query));
    }
    return statements;
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
    const { sql: condition, values } = filterSql(this.#definition, filter);
    return sql(`select count(*) from ${this.table} where ${condition}`, ...values);
  }

  /** The counts that the table keeps: of all live, all deleted, and all records. */
  #keptCount(filter: Filter): Fragment | null {
    if (!this.#definition.trash) return null;
    const from = (column: string) =>
      sql(`select ${column} from counts where name = ?`, this.#definition.name);
    if (filter.op === "and" && filter.of.length === 0) return from("live + deleted");
    if (filter.op !== "eq" || filter.path !== "isDeleted") return null;
    return typeof filter.value === "boolean" ? from(filter.value ? "deleted" : "live") : null;
  }
}
