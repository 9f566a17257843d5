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
 * The one field whose index would help a list or count most; null if none would. Only conditions
 * that every match fulfils can be looked up: alternatives, negations and patterns cannot. An index
 * that serves a condition already spares the sort one of its own.
 */
export function advise(
  definition: Definition,
  { filter, sort }: Pick<ListQuery, "filter" | "sort">,
): string | null {
  const conditions = conjuncts(filter);
  const fixed = fields(definition, conditions.map(fixedBy));
  if (fixed.includes("_id")) return null;
  const unserved = fixed.find((path) => !isReached(definition, path, fixed));
  if (unserved !== undefined) return unserved;
  if (fixed.length > 0) return null;
  const bounded = fields(definition, conditions.map(boundedBy));
  const range = bounded.find((path) => !leads(definition, path, bounded));
  if (range !== undefined) return range;
  if (bounded.length > 0) return null;
  const [first] = sortedBy(sort);
  return leads(definition, first!.path, []) ? null : first!.path;
}

/** Whether an index has the values that a condition asks for, of a scalar only single ones. */
export function isLookedUp(definition: Definition, filter: Filter): boolean {
  const fixed = fields(definition, conjuncts(filter).map(fixedBy));
  const bounded = fields(definition, conjuncts(filter).map(boundedBy));
  return fixed.some((path) => leads(definition, path, fixed)) ||
    bounded.some((path) =>
      elementAt(definition, path) !== null && isReached(definition, path, [...fixed, path])
    );
}

/** Those that an index can be about; which side of the trash is meant is in every index. */
const fields = (definition: Definition, paths: readonly (string | null)[]): readonly string[] =>
  paths.filter((path) => path !== null)
    .filter((path) => scalarAt(definition, path) !== null || elementAt(definition, path) !== null)
    .filter((path) => !(definition.trash && path === "isDeleted"));

/** Whether an index has the path behind keys that are all fixed, or first of all. */
const isReached = (definition: Definition, path: string, fixed: readonly string[]): boolean =>
  leads(definition, path, fixed) || usable(definition, fixed).some(({ keys }) => {
    const at = keys.findIndex((key) => key.path === path);
    return at > 0 && keys.slice(0, at).every((key) => fixed.includes(key.path));
  });

function leads(definition: Definition, path: string, asked: readonly string[]): boolean {
  if (path === "_id" || path === definition.expiry) return true;
  return usable(definition, asked).some(({ keys }) => keys[0]?.path === path);
}

/** An index over an array knows nothing of records whose array is empty, so it must be asked for. */
const usable = (definition: Definition, asked: readonly string[]): readonly Index[] =>
  definition.indexes.filter((index) => {
    const array = arrayKeyOf(definition, index);
    return array === null || asked.includes(array);
  });
