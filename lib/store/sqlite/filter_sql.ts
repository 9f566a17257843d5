import type { Definition, Filter, Scalar } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { isOfType, scalarAt } from "../shape.ts";
import { type ArrayTable, arrayTableOf, valueColumn } from "./array_tables.ts";
import { type Fragment, join, sql } from "./fragment.ts";
import { patternSql } from "./pattern_sql.ts";
import { asDouble, scalarSql } from "./columns.ts";
import { tableName } from "./table_name.ts";
import { wordsTableOf } from "./words_table.ts";

/** A path as SQLite's JSON functions take it, for binding. */
const boundPath = (path: string): string =>
  "$" + path.split(".").map((name) => "." + JSON.stringify(name)).join("");

const SIGNS = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
type Ordering = keyof typeof SIGNS;

/**
 * How records are found by words: `lookup` goes through all that have them, which is best where they
 * are few; `test` asks of those that are found in another way whether they are among them.
 */
export type SearchWay = "lookup" | "test";

/** The filter as a condition that is true for matches; false or null for everything else. */
export function filterSql(
  definition: Definition,
  filter: Filter,
  way: SearchWay = "lookup",
): Fragment {
  switch (filter.op) {
    case "and":
      return allSql(definition, filter.of, way);
    case "or":
      return join(filter.of.map((one) => filterSql(definition, one, way)), " or ", "0");
    case "not":
      return negated(filterSql(definition, filter.of, way));
    case "search":
      return searchSql(definition, filter.words, way);
    case "revision":
      return sql("rev = ?", filter.value);
    case "exists":
      return existsSql(filter.path, filter.value);
    default:
      return leafSql(definition, filter);
  }
}

const isByIds = (filter: Filter): boolean => filter.op === "in" && filter.path === "_id";

/** SQLite finds it by itself. */
const isById = (filter: Filter): boolean => filter.op === "eq" && filter.path === "_id";

export const isSearch = ({ op }: Filter): boolean => op === "search";

/**
 * Returns a condition that is true for what fulfils all of some conditions. Records asked for by
 * their ids or their words are found by them. SQLite does not know how many records are not deleted:
 * it would take an index for that, and walk through all of them.
 */
export function allSql(
  definition: Definition,
  conditions: readonly Filter[],
  way: SearchWay,
): Fragment {
  const isLeading = conditions.some(isByIds)
    ? isByIds
    : way === "lookup" && conditions.some(isSearch) && !conditions.some(isById)
    ? isSearch
    : () => true;
  const parts = conditions.map((one) => {
    const condition = filterSql(definition, one, way);
    return isLeading(one) ? condition : keptFromIndexes(condition);
  });
  return join(parts, " and ", "1");
}

/** A sign in front of a condition keeps SQLite from looking it up in an index. */
export const keptFromIndexes = ({ sql, values }: Fragment): Fragment => ({
  sql: `+(${sql})`,
  values,
});

function searchSql(
  definition: Definition,
  words: readonly string[],
  way: SearchWay,
): Fragment {
  const table = wordsTableOf(definition);
  if (table === null || words.length === 0) return sql("0");
  const { sql: matching, values } = table.matching(words);
  return { sql: `${way === "test" ? "+" : ""}seq in (${matching})`, values };
}

type Leaf = Extract<Filter, { path: string }>;
export type Positive =
  | { readonly op: Ordering; readonly path: string; readonly value: Scalar }
  | Extract<Leaf, { op: "in" | "nin" }> & { readonly op: "in" }
  | Extract<Leaf, { op: "regex" }>;

function leafSql(definition: Definition, leaf: Exclude<Leaf, { op: "exists" }>): Fragment {
  if (leaf.op === "ne") return negated(leafSql(definition, { ...leaf, op: "eq" }));
  if (leaf.op === "nin") return negated(leafSql(definition, { ...leaf, op: "in" }));
  const positive = leaf as Positive; // Neither "ne" nor "nin" is left.
  const type = scalarAt(definition, leaf.path);
  if (type !== null) return declaredSql(scalarSql(definition, leaf.path), type, positive);
  const table = arrayTableOf(definition, leaf.path);
  return table === undefined ? dynamicSql(positive) : arraySql(definition, table, positive);
}

/** Null may be an element, or there may be no array: that, like patterns, only the text can tell. */
function arraySql(definition: Definition, table: ArrayTable, leaf: Positive): Fragment {
  if (leaf.op === "regex") return dynamicSql(leaf);
  const { sql: condition, values } = elementSqlIn(table, leaf);
  const found = sql(
    `exists(select 1 from ${table.name} where ` +
      `${table.name}.seq = ${tableName(definition)}.seq and (${condition}))`,
    ...values,
  );
  if (!asksForNull(leaf)) return found;
  return join([found, dynamicSql({ op: "eq", path: leaf.path, value: null })], " or ", "0");
}

/** What a condition asks of the values in the table of an array; null is none of them. */
export function elementSqlIn(
  table: ArrayTable,
  leaf: Exclude<Positive, { op: "regex" }>,
): Fragment {
  const column = valueColumn(table);
  if (leaf.op !== "in") {
    return leaf.value === null ? sql("0") : declaredSql(column, table.type, leaf);
  }
  return declaredSql(column, table.type, {
    ...leaf,
    values: leaf.values.filter((value) => value !== null),
  });
}

const negated = (one: Fragment): Fragment => ({
  sql: `(${one.sql}) is not true`,
  values: one.values,
});

function existsSql(path: string, wanted: boolean): Fragment {
  if (path === "_id") return sql(wanted ? "1" : "0");
  return sql(`json_type(doc,?) is ${wanted ? "not " : ""}null`, boundPath(path));
}

/** Declared scalars hold values of one type or null, so the bare value can be compared. */
export function declaredSql(value: string, type: ScalarType, leaf: Positive): Fragment {
  const fitting = (operand: Scalar) => isOfType(type, operand);
  if (leaf.op === "regex") {
    return FIELD_TYPES[type].sql === "text" ? patternSql(value, leaf.pattern) : sql("0");
  }
  if (leaf.op === "in") {
    const parts: Fragment[] = [];
    const present = leaf.values.filter(fitting);
    if (present.length > 0) parts.push(memberSql(value, present));
    if (leaf.values.includes(null)) parts.push(sql(`${value} is null`));
    return join(parts, " or ", "0");
  }
  if (leaf.value === null) return sql(leaf.op === "eq" ? `${value} is null` : "0");
  return fitting(leaf.value) ? compareSql(value, leaf.op, leaf.value) : sql("0");
}

function compareSql(value: string, op: Ordering, operand: Exclude<Scalar, null>): Fragment {
  // Booleans stand literally, so that the planner sees the constant that it may need.
  if (typeof operand === "boolean") return sql(`${value} ${SIGNS[op]} ${Number(operand)}`);
  return sql(`${value} ${SIGNS[op]} ?`, operand);
}

/** One bound list, however long, so that lists of all lengths share a statement. */
function memberSql(value: string, operands: readonly Scalar[]): Fragment {
  const operand = typeof operands[0] === "number" ? asDouble("value") : "value";
  return sql(`${value} in (select ${operand} from json_each(?))`, JSON.stringify(operands));
}

/** Anything may lie at the path: `json_each` yields a scalar itself and an array's elements. */
function dynamicSql(leaf: Positive): Fragment {
  const path = boundPath(leaf.path);
  const element = elementSql(leaf);
  const found: Fragment = {
    sql: `json_type(doc,?) is not 'object' and exists(select 1 from json_each(doc,?) e ` +
      `where ${element.sql})`,
    values: [path, path, ...element.values],
  };
  return asksForNull(leaf) ? join([found, existsSql(leaf.path, false)], " or ", "0") : found;
}

const asksForNull = (leaf: Positive): boolean =>
  (leaf.op === "eq" && leaf.value === null) || (leaf.op === "in" && leaf.values.includes(null));

function elementSql(leaf: Positive): Fragment {
  if (leaf.op === "regex") return withType("e.type = 'text'", patternSql("e.atom", leaf.pattern));
  if (leaf.op === "in") {
    const kinds = Map.groupBy(leaf.values, typeOf);
    const parts = [...kinds].map(([types, operands]) =>
      types === NULL_TYPE ? sql(types) : withType(types, memberSql(atomSql(operands[0]!), operands))
    );
    return join(parts, " or ", "0");
  }
  if (leaf.value === null) return sql(leaf.op === "eq" ? NULL_TYPE : "0");
  return withType(typeOf(leaf.value), compareSql(atomSql(leaf.value), leaf.op, leaf.value));
}

const atomSql = (operand: Scalar): string =>
  typeof operand === "number" ? asDouble("e.atom") : "e.atom";

const NULL_TYPE = "e.type = 'null'";

function typeOf(operand: Scalar): string {
  if (operand === null) return NULL_TYPE;
  if (typeof operand === "number") return "e.type in ('integer','real')";
  return typeof operand === "boolean" ? "e.type in ('true','false')" : "e.type = 'text'";
}

const withType = (type: string, condition: Fragment): Fragment => ({
  sql: `${type} and (${condition.sql})`,
  values: condition.values,
});
