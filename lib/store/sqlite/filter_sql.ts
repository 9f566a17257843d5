import type { Definition, Filter, Scalar } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { isOfType, scalarAt } from "../shape.ts";
import { type ArrayTable, arrayTableOf, valueColumn } from "./array_tables.ts";
import { type Fragment, join, sql } from "./fragment.ts";
import { patternSql } from "./pattern_sql.ts";
import { asDouble, scalarSql } from "./columns.ts";
import { tableName } from "./table_name.ts";
import { wordsTableOf } from "./words_table.ts";

/** Returns a path as SQLite's JSON functions expect it, for binding. */
const boundPath = (path: string): string =>
  "$" + path.split(".").map((name) => "." + JSON.stringify(name)).join("");

const OPERATORS = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
type Ordering = keyof typeof OPERATORS;

/**
 * How a search is evaluated. `lookup` goes through all records with the words, which is best if
 * they are few. `test` finds records in another way and tests whether they have the words.
 */
export type SearchMode = "lookup" | "test";

/** Returns a condition that is true for matching records, and false or null for others. */
export function filterSql(
  definition: Definition,
  filter: Filter,
  mode: SearchMode = "lookup",
): Fragment {
  switch (filter.op) {
    case "and":
      return allSql(definition, filter.of, mode);
    case "or":
      return join(filter.of.map((one) => filterSql(definition, one, mode)), " or ", "0");
    case "not":
      return negate(filterSql(definition, filter.of, mode));
    case "search":
      return searchSql(definition, filter.words, mode);
    case "revision":
      return sql("rev = ?", filter.value);
    case "exists":
      return existsSql(filter.path, filter.value);
    default:
      return leafSql(definition, filter);
  }
}

const isByIds = (filter: Filter): boolean => filter.op === "in" && filter.path === "_id";

/** Whether the condition is by id. SQLite chooses the index of ids by itself. */
const isById = (filter: Filter): boolean => filter.op === "eq" && filter.path === "_id";

export const isSearch = ({ op }: Filter): boolean => op === "search";

/**
 * Returns a condition that is true for records that fulfill all conditions. Conditions by ids or
 * words take precedence over other indexes: SQLite does not know how many records are not deleted,
 * and would walk an index of all of them.
 */
export function allSql(
  definition: Definition,
  conditions: readonly Filter[],
  mode: SearchMode,
): Fragment {
  const isLeading = conditions.some(isByIds)
    ? isByIds
    : mode === "lookup" && conditions.some(isSearch) && !conditions.some(isById)
    ? isSearch
    : () => true;
  const parts = conditions.map((one) => {
    const condition = filterSql(definition, one, mode);
    return isLeading(one) ? condition : withoutIndexes(condition);
  });
  return join(parts, " and ", "1");
}

/** Prefixes a condition with a sign, which keeps SQLite from using an index for it. */
export const withoutIndexes = ({ sql, values }: Fragment): Fragment => ({
  sql: `+(${sql})`,
  values,
});

function searchSql(
  definition: Definition,
  words: readonly string[],
  mode: SearchMode,
): Fragment {
  const table = wordsTableOf(definition);
  if (table === null || words.length === 0) return sql("0");
  const { sql: matching, values } = table.matching(words);
  return { sql: `${mode === "test" ? "+" : ""}seq in (${matching})`, values };
}

type FieldCondition = Extract<Filter, { path: string }>;
export type PositiveCondition =
  | { readonly op: Ordering; readonly path: string; readonly value: Scalar }
  | Extract<FieldCondition, { op: "in" | "nin" }> & { readonly op: "in" }
  | Extract<FieldCondition, { op: "regex" }>;

function leafSql(
  definition: Definition,
  leaf: Exclude<FieldCondition, { op: "exists" }>,
): Fragment {
  if (leaf.op === "ne") return negate(leafSql(definition, { ...leaf, op: "eq" }));
  if (leaf.op === "nin") return negate(leafSql(definition, { ...leaf, op: "in" }));
  const positive = leaf as PositiveCondition; // The operators "ne" and "nin" were handled above.
  const type = scalarAt(definition, leaf.path);
  if (type !== null) return declaredSql(scalarSql(definition, leaf.path), type, positive);
  const table = arrayTableOf(definition, leaf.path);
  return table === undefined ? dynamicSql(positive) : arraySql(definition, table, positive);
}

/**
 * Returns a condition on an indexed array. Whether the array has a null element or is missing is
 * not in the array's table, and patterns are not tested there, so these conditions read the
 * document.
 */
function arraySql(definition: Definition, table: ArrayTable, leaf: PositiveCondition): Fragment {
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

/** Returns a condition on the rows of an array's table, which do not include null. */
export function elementSqlIn(
  table: ArrayTable,
  leaf: Exclude<PositiveCondition, { op: "regex" }>,
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

const negate = (one: Fragment): Fragment => ({
  sql: `(${one.sql}) is not true`,
  values: one.values,
});

function existsSql(path: string, wanted: boolean): Fragment {
  if (path === "_id") return sql(wanted ? "1" : "0");
  return sql(`json_type(doc,?) is ${wanted ? "not " : ""}null`, boundPath(path));
}

/** Returns a condition on a declared scalar, whose column has one type or null. */
export function declaredSql(value: string, type: ScalarType, leaf: PositiveCondition): Fragment {
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
  // Booleans are literals, because the planner needs to see constants.
  if (typeof operand === "boolean") return sql(`${value} ${OPERATORS[op]} ${Number(operand)}`);
  return sql(`${value} ${OPERATORS[op]} ?`, operand);
}

/** Returns a condition for a list, bound as JSON so that all lengths share a statement. */
function memberSql(value: string, operands: readonly Scalar[]): Fragment {
  const operand = typeof operands[0] === "number" ? asDouble("value") : "value";
  return sql(`${value} in (select ${operand} from json_each(?))`, JSON.stringify(operands));
}

/** Returns a condition on an undeclared path, whose value may be of any type or an array. */
function dynamicSql(leaf: PositiveCondition): Fragment {
  const path = boundPath(leaf.path);
  const element = elementSql(leaf);
  const found: Fragment = {
    sql: `json_type(doc,?) is not 'object' and exists(select 1 from json_each(doc,?) e ` +
      `where ${element.sql})`,
    values: [path, path, ...element.values],
  };
  return asksForNull(leaf) ? join([found, existsSql(leaf.path, false)], " or ", "0") : found;
}

const asksForNull = (leaf: PositiveCondition): boolean =>
  (leaf.op === "eq" && leaf.value === null) || (leaf.op === "in" && leaf.values.includes(null));

function elementSql(leaf: PositiveCondition): Fragment {
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
