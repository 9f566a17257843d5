/** Query plans. All statements of a query and its explanation are derived from one plan. */

import { conjuncts, equalityPath, isLookedUp, rangePath, withIdKey } from "../advice.ts";
import type { Definition, Filter, Index, ListQuery, Scalar, SortKey } from "../port.ts";
import { searchedWords, searchPathsOf } from "../search.ts";
import { arrayKeyOf, elementAt, isOfType, scalarAt } from "../shape.ts";
import { type ArrayTable, arrayTableOf, arrayTablesOf } from "./array_tables.ts";
import { DOCUMENT_GUARD, GUARD } from "./budget.ts";
import { hasColumn } from "./columns.ts";
import { isSearch, type PositiveCondition } from "./filter_sql.ts";
import { literalOf } from "./pattern_sql.ts";
import { longToken, searchGrams } from "./text_grams.ts";
import type { TextLookup } from "./words_table.ts";

/** Number of index rows that can be skipped in less than a millisecond. */
export const SERVED_OFFSET_MAX = 10_000;

export interface QueryPlan {
  readonly definition: Definition;
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  /** The conditions that every matching record fulfills. */
  readonly conditions: readonly Filter[];
  /** The words that any part of the filter searches for. */
  readonly words: readonly string[];
  /** A text that all matches contain; null if there is none, or a better condition. */
  readonly text: TextLookup | null;
  /** Whether records can be found by their words or by parts of their texts. */
  readonly isByWords: boolean;
  /** Whether an index finds values of the filter. */
  readonly isLookedUp: boolean;
  /** The array table that finds records best; null if there is none. */
  readonly array: ArrayLookup | null;
  /** Whether an index has exactly the matching records in order, so a page's cost is constant. */
  readonly isServed: boolean;
  /** A condition that aborts a statement after it has examined too many rows. */
  readonly guard: string;
}

/** The query of a plan. A large offset requires a guard even if an index serves the page. */
export type PlannedQuery = Pick<ListQuery, "filter" | "offset"> & Partial<Pick<ListQuery, "sort">>;

export function planQuery(
  definition: Definition,
  { filter, sort = [], offset = 0 }: PlannedQuery,
): QueryPlan {
  const conditions = conjuncts(filter);
  const isFound = isLookedUp(definition, conditions);
  const text = isFound ? null : textLookup(definition, conditions);
  const array = arrayLookup(definition, conditions, sort);
  return {
    definition,
    filter,
    sort,
    conditions,
    words: searchedWords(filter),
    text,
    isByWords: text !== null || conditions.some(isSearch),
    isLookedUp: isFound,
    array,
    isServed: offset <= SERVED_OFFSET_MAX &&
      (array?.coversFilter ? array.isOrdered : isServedByIndex(definition, conditions, sort)),
    guard: looksIntoDocuments(definition, filter) ? DOCUMENT_GUARD : GUARD,
  };
}

function textLookup(definition: Definition, conditions: readonly Filter[]): TextLookup | null {
  const searched = searchPathsOf(definition);
  const isOther = (one: Filter) => isSearch(one) || equalityPath(one) === "_id";
  if (searched.length === 0 || conditions.some(isOther)) return null;
  for (const condition of conditions) {
    if (condition.op !== "regex") continue;
    const place = searched.indexOf(condition.path);
    const literal = place < 0 ? null : literalOf(condition.pattern);
    const grams = literal === null ? [] : searchGrams(place, literal.text);
    if (grams.length > 0) return { path: condition.path, grams, long: longToken(place) };
  }
  return null;
}

function isServedByIndex(
  definition: Definition,
  conditions: readonly Filter[],
  sort: readonly SortKey[],
): boolean {
  const fixed = new Set<string>();
  for (const condition of conditions) {
    if (!isEquality(condition)) return false;
    const { path } = condition;
    if (fixed.has(path) || scalarAt(definition, path) === null) return false;
    fixed.add(path);
  }
  if (definition.trash) fixed.delete("isDeleted");
  const order = withIdKey(sort);
  return definition.indexes.some((index) => {
    const keys = withIdKey(index.keys);
    return keys.slice(0, fixed.size).every(({ path }) => fixed.has(path)) &&
      hasOrder(keys.slice(fixed.size), order) && hasAllRecords(definition, index);
  });
}

/** Whether an index has an entry for each record. Unique indexes lack some. */
const hasAllRecords = (definition: Definition, index: Index): boolean =>
  !index.unique && arrayKeyOf(definition, index) === null;

/** Whether index keys, read from either end, have the given order. */
const hasOrder = (keys: readonly SortKey[], order: readonly SortKey[]): boolean =>
  keys.length === order.length && keys.every(({ path }, i) => path === order[i]!.path) &&
  new Set(keys.map(({ descending }, i) => descending === order[i]!.descending)).size === 1;

/**
 * Whether the counted rows are adjacent in an index: given values of its first keys, and a range of
 * the next key. The number of examined entries then equals the count.
 */
export function isCountedByIndex({ definition, conditions, array }: QueryPlan): boolean {
  if (array?.coversFilter && array.condition.op === "eq") return true;
  const equalities = conditions.filter(isEquality);
  const ranges = conditions.filter((one) => rangePath(one) !== null);
  const fixed = new Set(equalities.map(({ path }) => path));
  const ranged = new Set(ranges.map(rangePath));
  const ends = new Set(ranges.map(({ op }) => op[0]));
  // SQLite looks up only one of two values or lower bounds of a key, and compares the other.
  const isOnce = fixed.size === equalities.length && ends.size === ranges.length;
  const isOther = equalities.length + ranges.length < conditions.length;
  if (!isOnce || isOther || ranged.size > 1) return false;
  if (definition.trash && !fixed.delete("isDeleted")) return false;
  const count = fixed.size + ranged.size;
  return definition.indexes.some((index) => {
    const paths = index.keys.map(({ path }) => path).slice(0, count);
    return paths.length === count && paths.slice(0, fixed.size).every((path) => fixed.has(path)) &&
      paths.slice(fixed.size).every((path) => ranged.has(path)) && hasAllRecords(definition, index);
  });
}

/** Whether a condition needs more than a record's columns and index keys. */
export function looksIntoDocuments(definition: Definition, filter: Filter): boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.of.some((one) => looksIntoDocuments(definition, one));
    case "not":
      return looksIntoDocuments(definition, filter.of);
    case "revision":
    case "search":
      return false;
    case "exists":
      return true;
    default:
      if (filter.path === "_id" || hasColumn(definition, filter.path)) return false;
      if (arrayTableOf(definition, filter.path) !== undefined) return !isAboutElements(filter);
      return !definition.indexes.some(({ keys }) => keys.some(({ path }) => path === filter.path));
  }
}

/** Whether the array's table suffices. Patterns and null need the document. */
const isAboutElements = (filter: Filter): boolean =>
  filter.op === "in" || filter.op === "nin"
    ? !filter.values.includes(null)
    : "value" in filter && filter.value !== null;

type ArrayCondition = Exclude<PositiveCondition, { op: "regex" }>;
export type Equality = { readonly op: "eq"; readonly path: string; readonly value: Scalar };

/** A condition that an array's table can answer, with other keys that it fixes. */
export interface ArrayLookup {
  readonly table: ArrayTable;
  readonly condition: ArrayCondition;
  /** Equalities on scalar keys before the array and directly after it, by path. */
  readonly fixed: ReadonlyMap<string, Equality>;
  /** Whether the remaining keys provide the requested order. */
  readonly isOrdered: boolean;
  /** The conditions that the table cannot answer. */
  readonly others: readonly Filter[];
  /** Whether the table answers all conditions. */
  readonly coversFilter: boolean;
}

/** Returns the lookup that provides the order, or else the one that fixes most keys. */
function arrayLookup(
  definition: Definition,
  conditions: readonly Filter[],
  sort: readonly SortKey[],
): ArrayLookup | null {
  const isOfArray = (one: Filter) => "path" in one && elementAt(definition, one.path) !== null;
  if (!conditions.some(isOfArray)) return null;
  let best: ArrayLookup | null = null;
  for (const table of arrayTablesOf(definition)) {
    for (const condition of conditions) {
      if (!isServedByTable(table, condition)) continue;
      const lookup = arrayLookupIn(definition, { table, condition, conditions, sort });
      if (lookup !== null && (best === null || rank(lookup) > rank(best))) best = lookup;
    }
  }
  return best;
}

const OPERATOR_RANKS = { eq: 2, in: 1, gt: 0, gte: 0, lt: 0, lte: 0 } as const;

const rank = ({ condition, fixed, isOrdered }: ArrayLookup): number =>
  OPERATOR_RANKS[condition.op] * 100 + (isOrdered ? 10 : 0) + fixed.size;

/** Whether the array's table alone determines which records fulfill the condition. */
function isServedByTable(
  { path, type }: ArrayTable,
  filter: Filter,
): filter is Filter & ArrayCondition {
  switch (filter.op) {
    case "in":
      return filter.path === path && !filter.values.includes(null);
    case "eq":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return filter.path === path && isOfType(type, filter.value);
    default:
      return false;
  }
}

/** Returns a lookup in an array's table; null if a key before the array is not fixed. */
function arrayLookupIn(
  definition: Definition,
  { table, condition, conditions, sort }: {
    table: ArrayTable;
    condition: ArrayCondition;
    conditions: readonly Filter[];
    sort: readonly SortKey[];
  },
): ArrayLookup | null {
  const fixed = new Map<string, Equality>();
  const keys = table.keys.filter(({ path }) => !(definition.trash && path === "isDeleted"));
  const at = keys.findIndex(({ path }) => path === table.path);
  let left = keys.length;
  for (const [i, { path }] of keys.entries()) {
    if (i === at) continue;
    const equality = conditions.filter(isEquality).find((one) => one.path === path);
    if (equality === undefined) {
      if (i < at) return null;
      left = i;
      break;
    }
    fixed.set(path, equality);
  }
  const isOrdered = condition.op === "eq" &&
    hasOrder(keys.slice(left), withIdKey(sort));
  const side = definition.trash ? conditions.find(isTrashCondition) : undefined;
  const asked: readonly (Filter | undefined)[] = [condition, ...fixed.values(), side];
  const others = conditions.filter((one) => !asked.includes(one));
  return { table, condition, fixed, isOrdered, others, coversFilter: others.length === 0 };
}

const isEquality = (filter: Filter): filter is Filter & Equality => filter.op === "eq";

/** Whether a condition selects live or deleted records. */
export const isTrashCondition = (filter: Filter): filter is Filter & Equality =>
  isEquality(filter) && filter.path === "isDeleted";
