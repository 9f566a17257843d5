import type { Definition, FieldRename, StoredRecord } from "./definition.ts";
import { byCodePoints } from "./text_order.ts";

/** Returns a path with renames applied to its first name. */
export function renamedPath(path: string, renames: readonly FieldRename[]): string {
  const dot = path.indexOf(".");
  const [first, rest] = dot === -1 ? [path, ""] : [path.slice(0, dot), path.slice(dot)];
  return (renames.find(({ from }) => from === first)?.to ?? first) + rest;
}

/** Sorts renames by the UTF-8 bytes of their new names, the order of all drivers. */
export const sortRenames = (renames: readonly FieldRename[]): FieldRename[] =>
  renames.toSorted((one, other) => byCodePoints(one.to, other.to));

/** Returns a copy of a record in which the renamed fields come last. */
export function renamedRecord(
  record: StoredRecord,
  renames: readonly FieldRename[],
): StoredRecord {
  const next = { ...record };
  for (const { from, to } of sortRenames(renames)) {
    if (!Object.hasOwn(next, from)) continue;
    const value = next[from]!;
    delete next[from];
    delete next[to];
    next[to] = value;
  }
  return next;
}

/** Returns a definition with renamed fields and search paths, and unchanged indexes. */
export function renamedRecords(
  definition: Definition,
  renames: readonly FieldRename[],
): Definition {
  const { fields, search = [] } = definition;
  const named = (path: string) => renamedPath(path, renames);
  return {
    ...definition,
    fields: Object.fromEntries(Object.entries(fields).map(([name, shape]) => [named(name), shape])),
    search: search.map(named),
  };
}
