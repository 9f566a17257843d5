import { INDEX_FIELDS_MAX } from "../limits.ts";
import type { Definition, Filter, Index, ListQuery, SortKey } from "./port.ts";
import { arrayKeyOf, elementAt, scalarAt } from "./shape.ts";

/** The sort, or the keys of an index, down to `_id`: behind it no key matters. */
export function sortedBy(keys: readonly SortKey[]): readonly SortKey[] {
  const idAt = keys.findIndex((key) => key.path === "_id");
  if (idAt >= 0) return keys.slice(0, idAt + 1);
  return [...keys, { path: "_id", descending: keys.at(-1)?.descending ?? false }];
}

/** What all matches have in common. */
export const conjuncts = (filter: Filter): readonly Filter[] =>
  filter.op === "and" ? filter.of.flatMap(conjuncts) : [filter];

/** Whether the filter says which side of the trash it is about. */
export const fixesTrash = (filter: Filter): boolean =>
  conjuncts(filter).some((one) => one.op === "eq" && one.path === "isDeleted");

/** The field that a condition fixes to one of some values, or null. */
export function fixedBy(filter: Filter): string | null {
  return filter.op === "eq" || filter.op === "in" ? filter.path : null;
}

const RANGES: readonly Filter["op"][] = ["gt", "gte", "lt", "lte"];

/** The field that a condition bounds on one side, or null. */
export const boundedBy = (filter: Filter): string | null =>
  RANGES.includes(filter.op) ? (filter as Extract<Filter, { path: string }>).path : null;

/**
 * The index that would help a list or count most; null if none would, or if one that begins with
 * its keys is there. First come the fields that the filter fixes, then the one that it bounds or, if
 * it bounds none, the sort: so no more is looked at than matches. Only conditions that every match
 * fulfils can be looked up: alternatives, negations and patterns cannot.
 */
export function advise(
  definition: Definition,
  { filter, sort }: Pick<ListQuery, "filter" | "sort">,
): readonly SortKey[] | null {
  const conditions = conjuncts(filter);
  const fixed = withOneArray(definition, indexable(definition, conditions.map(fixedBy)));
  if (fixed.includes("_id") || isUnique(definition, fixed)) return null;
  // Several values are several places in an index: behind them it has no order.
  const isOneValue = !conditions.some((one) => one.op === "in" && fixed.includes(one.path));
  const order = isOneValue ? orderBehind(definition, sort, fixed) : [];
  const bounded = indexable(definition, conditions.map(boundedBy))
    .filter((path) => !fixed.includes(path))
    .filter((path) => withOneArray(definition, [...fixed, path]).includes(path));
  const asked = [...fixed, ...bounded];
  const tails = bounded.length > 0 && !bounded.includes(order[0]?.path ?? "")
    ? bounded.map((path) => [ascending(path)])
    : [order];
  const indexes = usable(definition, asked);
  if (tails.some((tail) => isServed(indexes, fixed, tail))) return null;
  const leading = fixed.toSorted((a, b) => +leads(indexes, b) - +leads(indexes, a));
  const keys = [...leading.map(ascending), ...tails[0]!].slice(0, INDEX_FIELDS_MAX);
  if (keys.length === 0) return null;
  return keys.length === 1 ? [ascending(keys[0]!.path)] : keys; // One is read both ways.
}

/** {@linkcode advise} as a sort names its fields. */
export function advisedText(
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
): string | null {
  const keys = advise(definition, query);
  return keys === null ? null : keysText(keys);
}

/** Where an index finds so few records, a longer one spares nothing that is felt. */
const FEW_RECORDS = 1_000;

/** {@linkcode advise} for a list of which it is known how many records it looks at. */
export const adviseKnowing = (
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
  examined: number,
): readonly SortKey[] | null =>
  examined <= FEW_RECORDS && isLookedUp(definition, conjuncts(query.filter))
    ? null
    : advise(definition, query);

/** Keys as a sort and an index name them. */
export const keysText = (keys: readonly SortKey[]): string => keys.map(keyText).join(",");

export const keyText = ({ path, descending }: SortKey): string => `${descending ? "-" : ""}${path}`;

/** Whether an index has the values that one of some conditions asks for, of a scalar only single ones. */
export function isLookedUp(definition: Definition, conditions: readonly Filter[]): boolean {
  const fixed = indexable(definition, conditions.map(fixedBy));
  const arrays = indexable(definition, conditions.map(boundedBy))
    .filter((path) => elementAt(definition, path) !== null);
  if (fixed.includes("_id")) return true;
  const asked = [...fixed, ...arrays];
  return indexesOf(definition).some((index) =>
    (fixed.includes(index.keys[0]!.path) ||
      arrays.some((path) => isReached(index.keys, path, fixed))) &&
    isUsable(definition, index, asked)
  );
}

/** Whether the keys of an index have the path behind others that are all fixed, or first of all. */
function isReached(keys: readonly SortKey[], path: string, fixed: readonly string[]): boolean {
  const at = keys.findIndex((key) => key.path === path);
  return at >= 0 && keys.slice(0, at).every((key) => fixed.includes(key.path));
}

/** Those that an index can be about, once each; every index tells the sides of the trash apart. */
const indexable = (definition: Definition, paths: readonly (string | null)[]): string[] =>
  [
    ...new Set(paths.filter((path) => path !== null && isIndexable(definition, path))),
  ] as string[]; // The filter leaves no null.

const OF_THE_TRASH: readonly string[] = ["isDeleted", "deletedAt"];

const isIndexable = (definition: Definition, path: string): boolean =>
  (scalarAt(definition, path) !== null || elementAt(definition, path) !== null) &&
  !(definition.trash && OF_THE_TRASH.includes(path));

/** The first of several arrays alone: an index has no more. */
function withOneArray(definition: Definition, paths: readonly string[]): string[] {
  const first = paths.find((path) => elementAt(definition, path) !== null);
  return paths.filter((path) => path === first || elementAt(definition, path) === null);
}

/** The keys of the sort that an index can have behind fields that are fixed. */
function orderBehind(
  definition: Definition,
  sort: readonly SortKey[],
  fixed: readonly string[],
): SortKey[] {
  const keys = sort.filter(({ path }) => !fixed.includes(path));
  const end = keys.findIndex(({ path }) => path === "_id" || !isIndexable(definition, path));
  return end < 0 ? keys : keys.slice(0, end);
}

/** Whether at most one record has such values. */
const isUnique = (definition: Definition, fixed: readonly string[]): boolean =>
  definition.indexes.some(({ unique, keys }) =>
    unique && keys.every(({ path }) => fixed.includes(path))
  );

/** Whether an index begins with the fields that are fixed, and goes on with these keys. */
function isServed(
  indexes: readonly Index[],
  fixed: readonly string[],
  tail: readonly SortKey[],
): boolean {
  return indexes.some(({ keys }) => {
    const [leading, behind] = [keys.slice(0, fixed.length), keys.slice(fixed.length)];
    // Read from its end, an index has every direction turned.
    const isTurned = behind[0]?.descending !== tail[0]?.descending;
    return leading.every(({ path }) => fixed.includes(path)) &&
      leading.length === fixed.length &&
      tail.every(({ path, descending }, i) =>
        behind[i]?.path === path && (behind[i].descending !== descending) === isTurned
      );
  });
}

const leads = (indexes: readonly Index[], path: string): boolean =>
  path === "_id" || indexes.some(({ keys }) => keys[0]?.path === path);

/** An index over an array knows nothing of records whose array is empty, so it must be asked for. */
const usable = (definition: Definition, asked: readonly string[]): readonly Index[] =>
  indexesOf(definition).filter((index) => isUsable(definition, index, asked));

function isUsable(definition: Definition, index: Index, asked: readonly string[]): boolean {
  const array = arrayKeyOf(definition, index);
  return array === null || asked.includes(array);
}

const indexesOf = ({ indexes, expiry }: Definition): readonly Index[] =>
  expiry === undefined ? indexes : [...indexes, { keys: [ascending(expiry)] }];

const ascending = (path: string): SortKey => ({ path, descending: false });
