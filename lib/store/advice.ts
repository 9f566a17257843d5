import { INDEX_FIELDS_MAX } from "../limits.ts";
import type { Definition, Filter, Index, ListQuery, SortKey } from "./port.ts";
import { arrayKeyOf, elementAt, scalarAt } from "./shape.ts";

/** Returns sort or index keys up to and including `_id`, which is appended if it is missing. */
export function withIdKey(keys: readonly SortKey[]): readonly SortKey[] {
  const idAt = keys.findIndex((key) => key.path === "_id");
  if (idAt >= 0) return keys.slice(0, idAt + 1);
  return [...keys, { path: "_id", descending: keys.at(-1)?.descending ?? false }];
}

/** Returns the conditions that every matching record fulfills. */
export const conjuncts = (filter: Filter): readonly Filter[] =>
  filter.op === "and" ? filter.of.flatMap(conjuncts) : [filter];

/** Whether the filter selects either live or deleted records. */
export const selectsTrashSide = (filter: Filter): boolean =>
  conjuncts(filter).some((one) => one.op === "eq" && one.path === "isDeleted");

/** Returns the field that a condition limits to one or several values; null if it does not. */
export function equalityPath(filter: Filter): string | null {
  return filter.op === "eq" || filter.op === "in" ? filter.path : null;
}

const RANGES: readonly Filter["op"][] = ["gt", "gte", "lt", "lte"];

/** Returns the field that a condition limits to a range; null if it does not. */
export const rangePath = (filter: Filter): string | null =>
  RANGES.includes(filter.op) ? (filter as Extract<Filter, { path: string }>).path : null;

/**
 * Returns the keys of the index that would help a list or count most; null if no index would, or if
 * an existing index begins with these keys.
 *
 * The keys start with the fields that the filter limits to values. Then follows the field that it
 * limits to a range or, if there is none, the sort: only matching records are then examined. Only
 * conditions that every matching record fulfills can use an index; alternatives, negations and
 * patterns cannot.
 */
export function adviseIndex(
  definition: Definition,
  { filter, sort }: Pick<ListQuery, "filter" | "sort">,
): readonly SortKey[] | null {
  const conditions = conjuncts(filter);
  const fixed = withOneArray(definition, indexable(definition, conditions.map(equalityPath)));
  if (fixed.includes("_id") || isUnique(definition, fixed)) return null;
  // The index entries of several values are not in a common order.
  const isOneValue = !conditions.some((one) => one.op === "in" && fixed.includes(one.path));
  const order = isOneValue ? indexableSortKeys(definition, sort, fixed) : [];
  const bounded = indexable(definition, conditions.map(rangePath))
    .filter((path) => !fixed.includes(path))
    .filter((path) => withOneArray(definition, [...fixed, path]).includes(path));
  const asked = [...fixed, ...bounded];
  const tails = bounded.length > 0 && !bounded.includes(order[0]?.path ?? "")
    ? bounded.map((path) => [ascending(path)])
    : [order];
  const indexes = usableIndexes(definition, asked);
  if (tails.some((tail) => isServed(indexes, fixed, tail))) return null;
  const leading = fixed.toSorted((a, b) => +isLeadingKey(indexes, b) - +isLeadingKey(indexes, a));
  const keys = [...leading.map(ascending), ...tails[0]!].slice(0, INDEX_FIELDS_MAX);
  if (keys.length === 0) return null;
  return keys.length === 1 ? [ascending(keys[0]!.path)] : keys; // Read in both directions.
}

/** Returns the keys of {@linkcode adviseIndex} in the notation of a sort. */
export function adviseIndexText(
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
): string | null {
  const keys = adviseIndex(definition, query);
  return keys === null ? null : keysText(keys);
}

/** Number of examined records up to which a longer index saves no noticeable time. */
const FEW_RECORDS = 1_000;

/**
 * Returns the keys of {@linkcode adviseIndex} for a list that examines a known number of records;
 * null if an index already limits it to few records.
 */
export const adviseIndexIfSlow = (
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
  examined: number,
): readonly SortKey[] | null =>
  examined <= FEW_RECORDS && isLookedUp(definition, conjuncts(query.filter))
    ? null
    : adviseIndex(definition, query);

/** Returns keys in the notation of sorts and indexes, such as `name,-createdAt`. */
export const keysText = (keys: readonly SortKey[]): string => keys.map(keyText).join(",");

export const keyText = ({ path, descending }: SortKey): string => `${descending ? "-" : ""}${path}`;

/** Whether an index serves any of the conditions; on scalars only `eq` and `in`. */
export function isLookedUp(definition: Definition, conditions: readonly Filter[]): boolean {
  const fixed = indexable(definition, conditions.map(equalityPath));
  const arrays = indexable(definition, conditions.map(rangePath))
    .filter((path) => elementAt(definition, path) !== null);
  if (fixed.includes("_id")) return true;
  const asked = [...fixed, ...arrays];
  return indexesOf(definition).some((index) =>
    (fixed.includes(index.keys[0]!.path) ||
      arrays.some((path) => isReachable(index.keys, path, fixed))) &&
    isUsable(definition, index, asked)
  );
}

/** Whether a path is among the keys of an index and all keys before it are limited to values. */
function isReachable(keys: readonly SortKey[], path: string, fixed: readonly string[]): boolean {
  const at = keys.findIndex((key) => key.path === path);
  return at >= 0 && keys.slice(0, at).every((key) => fixed.includes(key.path));
}

/** Returns the distinct indexable paths. Every index contains the trash flag anyway. */
const indexable = (definition: Definition, paths: readonly (string | null)[]): string[] =>
  [
    ...new Set(paths.filter((path) => path !== null && isIndexable(definition, path))),
  ] as string[]; // The filter removes null.

const TRASH_FIELDS: readonly string[] = ["isDeleted", "deletedAt"];

const isIndexable = (definition: Definition, path: string): boolean =>
  (scalarAt(definition, path) !== null || elementAt(definition, path) !== null) &&
  !(definition.trash && TRASH_FIELDS.includes(path));

/** Removes all array paths but the first, because an index has at most one array. */
function withOneArray(definition: Definition, paths: readonly string[]): string[] {
  const first = paths.find((path) => elementAt(definition, path) !== null);
  return paths.filter((path) => path === first || elementAt(definition, path) === null);
}

/** Returns the sort keys that can follow the given leading fields in an index. */
function indexableSortKeys(
  definition: Definition,
  sort: readonly SortKey[],
  fixed: readonly string[],
): SortKey[] {
  const keys = sort.filter(({ path }) => !fixed.includes(path));
  const end = keys.findIndex(({ path }) => path === "_id" || !isIndexable(definition, path));
  return end < 0 ? keys : keys.slice(0, end);
}

/** Whether a unique index guarantees at most one record with given values of these fields. */
const isUnique = (definition: Definition, fixed: readonly string[]): boolean =>
  definition.indexes.some(({ unique, keys }) =>
    unique && keys.every(({ path }) => fixed.includes(path))
  );

/** Whether an index begins with the leading fields in any order and continues with the keys. */
function isServed(
  indexes: readonly Index[],
  fixed: readonly string[],
  tail: readonly SortKey[],
): boolean {
  return indexes.some(({ keys }) => {
    const [leading, behind] = [keys.slice(0, fixed.length), keys.slice(fixed.length)];
    // An index that is read backwards has all directions reversed.
    const isTurned = behind[0]?.descending !== tail[0]?.descending;
    return leading.every(({ path }) => fixed.includes(path)) &&
      leading.length === fixed.length &&
      tail.every(({ path, descending }, i) =>
        behind[i]?.path === path && (behind[i].descending !== descending) === isTurned
      );
  });
}

const isLeadingKey = (indexes: readonly Index[], path: string): boolean =>
  path === "_id" || indexes.some(({ keys }) => keys[0]?.path === path);

/**
 * Returns the indexes that a query can use. An array index has no entries for empty arrays, so it
 * can be used only if the query has a condition on the array.
 */
const usableIndexes = (definition: Definition, asked: readonly string[]): readonly Index[] =>
  indexesOf(definition).filter((index) => isUsable(definition, index, asked));

function isUsable(definition: Definition, index: Index, asked: readonly string[]): boolean {
  const array = arrayKeyOf(definition, index);
  return array === null || asked.includes(array);
}

const indexesOf = ({ indexes, expiry }: Definition): readonly Index[] =>
  expiry === undefined ? indexes : [...indexes, { keys: [ascending(expiry)] }];

const ascending = (path: string): SortKey => ({ path, descending: false });
