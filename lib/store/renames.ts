import type { Definition, FieldRename, StoredRecord } from "./definition.ts";
import { byCodePoints } from "./text_order.ts";

/** A path as it is called after a rename. */
export function renamedPath(path: string, renames: readonly FieldRename[]): string {
  const dot = path.indexOf(".");
  const [first, rest] = dot === -1 ? [path, ""] : [path.slice(0, dot), path.slice(dot)];
  return (renames.find(({ from }) => from === first)?.to ?? first) + rest;
}

/** In the order in which every driver adds them to a record: that of their new names' bytes. */
export const inOrder = (renames: readonly FieldRename[]): FieldRename[] =>
  renames.toSorted((one, other) => byCodePoints(one.to, other.to));

/** A copy whose renamed fields stand last. */
export function renamedRecord(
  record: StoredRecord,
  renames: readonly FieldRename[],
): StoredRecord {
  const next = { ...record };
  for (const { from, to } of inOrder(renames)) {
    if (!Object.hasOwn(next, from)) continue;
    const value = next[from]!;
    delete next[from];
    delete next[to];
    next[to] = value;
  }
  return next;
}

/** A definition of records as if their members had always been called so; of its indexes nothing. */
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
