/** What is decided about a query, once for each: its statements and its explanation follow from it. */

import { boundedBy, conjuncts, fixedBy, isLookedUp, sortedBy } from "../advice.ts";
import type { Definition, Filter, Index, ListQuery, Scalar, SortKey } from "../port.ts";
import { searchedWords, searchPathsOf } from "../search.ts";
import { arrayKeyOf, elementAt, isOfType, scalarAt } from "../shape.ts";
import { type ArrayTable, arrayTableOf, arrayTablesOf } from "./array_tables.ts";
import { DOCUMENT_GUARD, GUARD } from "./budget.ts";
import { hasColumn } from "./columns.ts";
import { isSearch, type Positive } from "./filter_sql.ts";
import { literalOf } from "./pattern_sql.ts";
import { longToken, soughtGrams } from "./text_grams.ts";
import type { TextLookup } from "./words_table.ts";

/** Rows of an index that are passed over in less than a millisecond. */
export const SERVED_OFFSET_MAX = 10_000;

export interface QueryPlan {
  readonly definition: Definition;
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  /** The conditions of the filter that every match fulfils. */
  readonly conditions: readonly Filter[];
  /** The words that are searched for, in whichever part of the filter. */
  readonly words: readonly string[];
  /** A text that every match has; null where there is none, or another condition finds fewer. */
  readonly text: TextLookup | null;
  /** Whether records can be found by their words, or by pieces of their texts. */
  readonly isByWords: boolean;
  /** Whether an index finds values that the filter asks for. */
  readonly isLookedUp: boolean;
  /** The table of an array that finds records best; null where none does. */
  readonly array: ArrayLookup | null;
  /**
   * Whether an index has exactly what is asked for, in its order: then a page costs what it shows,
   * however many records there are.
   */
  readonly isServed: boolean;
  /** A condition that ends a statement once it has looked at too many rows. */
  readonly guard: string;
}

/** What a plan is made for: an offset that is far needs a guard even where an index serves the page. */
export type Planned = Pick<ListQuery, "filter" | "offset"> & Partial<Pick<ListQuery, "sort">>;

export function planQuery(
  definition: Definition,
  { filter, sort = [], offset = 0 }: Planned,
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
      (array?.isWhole ? array.isOrdered : isServedByIndex(definition, conditions, sort)),
    guard: looksIntoDocuments(definition, filter) ? DOCUMENT_GUARD : GUARD,
  };
}

function textLookup(definition: Definition, conditions: readonly Filter[]): TextLookup | null {
  const searched = searchPathsOf(definition);
  const isOther = (one: Filter) => isSearch(one) || fixedBy(one) === "_id";
  if (searched.length === 0 || conditions.some(isOther)) return null;
  for (const condition of conditions) {
    if (condition.op !== "regex") continue;
    const place = searched.indexOf(condition.path);
    const literal = place < 0 ? null : literalOf(condition.pattern);
    const grams = literal === null ? [] : soughtGrams(place, literal.text);
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
  const order = sortedBy(sort);
  return definition.indexes.some((index) => {
    const keys = sortedBy(index.keys);
    return keys.slice(0, fixed.size).every(({ path }) => fixed.has(path)) &&
      hasOrder(keys.slice(fixed.size), order) && isComplete(definition, index);
  });
}

/** Whether an index has one entry for each record: a unique one leaves some out. */
const isComplete = (definition: Definition, index: Index): boolean =>
  !index.unique && arrayKeyOf(definition, index) === null;

/** Whether keys of an index, read from either end, have an order. */
const hasOrder = (keys: readonly SortKey[], order: readonly SortKey[]): boolean =>
  keys.length === order.length && keys.every(({ path }, i) => path === order[i]!.path) &&
  new Set(keys.map(({ descending }, i) => descending === order[i]!.descending)).size === 1;

/**
 * Whether all that is counted lies next to each other in an index, so that as many entries are looked
 * at as are counted: values of its first keys, and a range of the next one.
 */
export function isCountedByIndex({ definition, conditions, array }: QueryPlan): boolean {
  if (array?.isWhole && array.condition.op === "eq") return true;
  const equalities = conditions.filter(isEquality);
  const ranges = conditions.filter((one) => boundedBy(one) !== null);
  const fixed = new Set(equalities.map(({ path }) => path));
  const ranged = new Set(ranges.map(boundedBy));
  const ends = new Set(ranges.map(({ op }) => op[0]));
  // Of two values or two lower ends SQLite looks one up, and compares the other.
  const isOnce = fixed.size === equalities.length && ends.size === ranges.length;
  const isOther = equalities.length + ranges.length < conditions.length;
  if (!isOnce || isOther || ranged.size > 1) return false;
  if (definition.trash && !fixed.delete("isDeleted")) return false;
  const count = fixed.size + ranged.size;
  return definition.indexes.some((index) => {
    const paths = index.keys.map(({ path }) => path).slice(0, count);
    return paths.length === count && paths.slice(0, fixed.size).every((path) => fixed.has(path)) &&
      paths.slice(fixed.size).every((path) => ranged.has(path)) && isComplete(definition, index);
  });
}

/** Whether a condition takes more than a record's columns and the keys of its indexes. */
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

/** Whether the values in an array's table suffice; patterns and null need the document. */
const isAboutElements = (filter: Filter): boolean =>
  filter.op === "in" || filter.op === "nin"
    ? !filter.values.includes(null)
    : "value" in filter && filter.value !== null;

type Found = Exclude<Positive, { op: "regex" }>;
export type Equality = { readonly op: "eq"; readonly path: string; readonly value: Scalar };

/** A condition that the table of an array can be asked, and the keys that are fixed with it. */
export interface ArrayLookup {
  readonly table: ArrayTable;
  readonly condition: Found;
  /** Equalities with scalars, by the paths of keys in front of the array and right behind it. */
  readonly fixed: ReadonlyMap<string, Equality>;
  /** Whether what is left of the keys is the order that is asked for. */
  readonly isOrdered: boolean;
  /** The conditions that the table cannot be asked. */
  readonly others: readonly Filter[];
  /** Whether there are none. */
  readonly isWhole: boolean;
}

/** Returns the look-up that has the order, else the one that fixes most. */
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
      if (!isFoundIn(table, condition)) continue;
      const lookup = lookupIn(definition, { table, condition, conditions, sort });
      if (lookup !== null && (best === null || rank(lookup) > rank(best))) best = lookup;
    }
  }
  return best;
}

const FORMS = { eq: 2, in: 1, gt: 0, gte: 0, lt: 0, lte: 0 } as const;

const rank = ({ condition, fixed, isOrdered }: ArrayLookup): number =>
  FORMS[condition.op] * 100 + (isOrdered ? 10 : 0) + fixed.size;

/** Whether the table alone knows which records fulfil the condition. */
function isFoundIn({ path, type }: ArrayTable, filter: Filter): filter is Filter & Found {
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

/** Returns null where a key in front of the array is not fixed. */
function lookupIn(
  definition: Definition,
  { table, condition, conditions, sort }: {
    table: ArrayTable;
    condition: Found;
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
    hasOrder(keys.slice(left), sortedBy(sort));
  const side = definition.trash ? conditions.find(isSide) : undefined;
  const asked: readonly (Filter | undefined)[] = [condition, ...fixed.values(), side];
  const others = conditions.filter((one) => !asked.includes(one));
  return { table, condition, fixed, isOrdered, others, isWhole: others.length === 0 };
}

const isEquality = (filter: Filter): filter is Filter & Equality => filter.op === "eq";

/** Whether a condition says which side of the trash is asked for. */
export const isSide = (filter: Filter): filter is Filter & Equality =>
  isEquality(filter) && filter.path === "isDeleted";
