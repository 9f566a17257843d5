import { PathConflict } from "../errors.ts";
import type { Change, Json, StoredRecord } from "../port.ts";
import { isObject } from "../shape.ts";

/** A changed copy; the record given stays as it is. */
export function applyChange(record: StoredRecord, change: Change): StoredRecord {
  const next = change.replace === undefined
    ? structuredClone(record)
    : replaced(record, change.replace, change.keep ?? []);
  // New fields join in the order of their names, as MongoDB adds them.
  for (const path of Object.keys(change.set ?? {}).sort()) {
    const { parent, name } = reach(next, path);
    parent[name] = change.set![path]!;
  }
  for (const path of change.unset ?? []) {
    const { parent, name } = reach(next, path);
    delete parent[name];
  }
  for (const [path, by] of Object.entries(change.increment ?? {})) {
    const { parent, name } = reach(next, path);
    const current = Object.hasOwn(parent, name) ? parent[name]! : 0;
    if (current !== null && typeof current !== "number") throw new PathConflict(path);
    parent[name] = (current ?? 0) + by;
  }
  return next;
}

function replaced(
  record: StoredRecord,
  replacement: Readonly<Record<string, Json>>,
  keep: readonly string[],
): StoredRecord {
  const next: StoredRecord = Object.assign({ _id: record._id }, replacement);
  for (const name of keep) {
    if (Object.hasOwn(record, name)) next[name] = record[name]!;
  }
  return next;
}

/** The object that holds the last name of a path; makes the objects on the way. */
function reach(
  record: StoredRecord,
  path: string,
): { parent: { [name: string]: Json }; name: string } {
  const names = path.split(".");
  const name = names.pop()!;
  let parent: { [name: string]: Json } = record;
  for (const step of names) {
    if (!Object.hasOwn(parent, step)) parent[step] = {};
    const child = parent[step];
    if (!isObject(child)) throw new PathConflict(path);
    parent = child;
  }
  return { parent, name };
}
