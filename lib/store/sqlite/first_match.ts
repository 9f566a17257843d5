import type { Definition, Filter } from "../port.ts";
import { scalarAt, type ScalarType } from "../shape.ts";
import { filterSql, fits } from "./filter_sql.ts";
import { type Fragment, sql, type SqlValue } from "./fragment.ts";

/** Longer conjunctions are written anew each time. */
const EQUALITIES_MAX = 4;

/**
 * Finds the first record that a filter matches: its revision, text and `seq`. Most often a few
 * declared scalars are to equal given values; that is written once for each sequence of paths, and
 * only values are bound anew.
 */
export class FirstMatch {
  readonly #definition: Definition;
  readonly #table: string;
  readonly #written = new Written(null);

  constructor(definition: Definition, table: string) {
    this.#definition = definition;
    this.#table = table;
  }

  statement(filter: Filter): Fragment {
    return this.#remembered(filter) ?? this.#anew(filter);
  }

  #anew(filter: Filter): Fragment {
    const { sql: condition, values } = filterSql(this.#definition, filter);
    return sql(
      `select rev, doc, seq from ${this.#table} where ${condition} order by id limit 1`,
      ...values,
    );
  }

  /** Null where anything but equalities of declared scalars is asked for. */
  #remembered(filter: Filter): Fragment | null {
    // Built flat; to look deeper, as `conjuncts` does, costs half of what is saved here.
    const equalities = filter.op === "and" ? filter.of : [filter];
    if (equalities.length > EQUALITIES_MAX) return null;
    const values: SqlValue[] = [];
    let written = this.#written;
    let booleans = 0;
    for (const one of equalities) {
      if (one.op !== "eq") return null;
      const { path, value } = one;
      written = written.behind(this.#definition, path);
      if (written.type === null || !fits(written.type, value)) return null;
      // Booleans stand literally: what they are is a matter of the text.
      if (typeof value === "boolean") booleans = booleans * 2 + Number(value);
      else values.push(value);
    }
    const text = written.texts[booleans] ??= this.#anew(filter).sql;
    return { sql: text, values };
  }
}

/** What was written for the paths up to here, and for those that go on from here. */
class Written {
  /** Of the last path; null where nothing is declared there. */
  readonly type: ScalarType | null;
  /** By the boolean values among the operands, as binary digits. */
  readonly texts: string[] = [];
  readonly #next = new Map<string, Written>();

  constructor(type: ScalarType | null) {
    this.type = type;
  }

  behind(definition: Definition, path: string): Written {
    let next = this.#next.get(path);
    if (next === undefined) {
      const type = scalarAt(definition, path);
      if (type === null) return UNDECLARED;
      this.#next.set(path, next = new Written(type));
    }
    return next;
  }
}

/** Never written to: paths that are not declared are without number. */
const UNDECLARED = new Written(null);
