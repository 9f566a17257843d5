import { boundedBy, conjuncts, sortedBy } from "../advice.ts";
import type { Definition, Filter, Index, ListQuery, SortKey } from "../port.ts";
import { arrayKeyOf, scalarAt } from "../shape.ts";
import { isEquality, isServedByArray, isToldByArray } from "./array_lookup.ts";
import { arrayTableOf } from "./array_tables.ts";
import { columnsOf } from "./columns.ts";

/** Rows of an index that are passed over in less than a millisecond. */
export const SERVED_OFFSET_MAX = 10_000;

/**
 * Whether an index holds exactly what is asked for, in its order: then a page costs what it shows,
 * however many records there are.
 */
export function isServed(
  definition: Definition,
  { filter, sort, offset }: Pick<ListQuery, "filter" | "sort" | "offset">,
): boolean {
  if (offset !== undefined && offset > SERVED_OFFSET_MAX) return false;
  if (isServedByArray(definition, { filter, sort })) return true;
  const fixed = new Set<string>();
  for (const condition of conjuncts(filter)) {
    if (!isEquality(condition)) return false;
    const { path } = condition;
    if (fixed.has(path) || scalarAt(definition, path) === null) return false;
    fixed.add(path);
  }
  if (definition.trash) fixed.delete("isDeleted");
  return wholeIndexes(definition).some((index) => serves(index, fixed, sortedBy(sort)));
}

/** Indexes with one entry for each record: of a unique one some are left out. */
const wholeIndexes = (definition: Definition): readonly Index[] =>
  definition.indexes.filter((index) => !index.unique && arrayKeyOf(definition, index) === null);

function serves(
  index: Index,
  fixed: ReadonlySet<string>,
  order: readonly SortKey[],
): boolean {
  const keys = sortedBy(index.keys);
  const ordered = keys.slice(fixed.size);
  return keys.slice(0, fixed.size).every(({ path }) => fixed.has(path)) &&
    ordered.length === order.length &&
    ordered.every(({ path }, i) => path === order[i]!.path) &&
    new Set(ordered.map(({ descending }, i) => descending === order[i]!.descending)).size === 1;
}

/**
 * Whether what is counted stands in an index from one place to another, so that as many entries are
 * looked at as are counted: values of its first keys, and of the next one a range.
 */
export function isToldByIndex(definition: Definition, filter: Filter): boolean {
  if (isToldByArray(definition, filter)) return true;
  const conditions = conjuncts(filter);
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
  return wholeIndexes(definition).some(({ keys }) => {
    const paths = keys.map(({ path }) => path).slice(0, count);
    return paths.length === count && paths.slice(0, fixed.size).every((path) => fixed.has(path)) &&
      paths.slice(fixed.size).every((path) => ranged.has(path));
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
      if (arrayTableOf(definition, filter.path) !== undefined) return !isAboutElements(filter);
      return filter.path !== "_id" && !columnsOf(definition).has(filter.path) &&
        !definition.indexes.some(({ keys }) => keys.some(({ path }) => path === filter.path));
  }
}

/** Whether the values in an array's table tell; patterns and null take the text. */
const isAboutElements = (filter: Filter): boolean =>
  filter.op === "in" || filter.op === "nin"
    ? !filter.values.includes(null)
    : "value" in filter && filter.value !== null;
