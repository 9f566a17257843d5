import { PathConflict } from "./errors.ts";
import type { Change, Json, StoredRecord } from "./port.ts";
import { isObject } from "./shape.ts";

/** A changed copy; the record and the change given stay as they are. */
export function applyChange(record: StoredRecord, change: Change): StoredRecord {
  const next = change.replace === undefined
    ? { ...record }
    : replaced(record, change.replace, change.keep ?? []);
  /** Objects that are the copy's own: each is copied once, however many paths lead into it. */
  const copied = new Set<object>([next]);
  // New fields join in the order of their names' bytes, as MongoDB adds them.
  for (const path of Object.keys(change.set ?? {}).sort(byCodePoints)) {
    const { parent, name } = reach(next, path, copied);
    parent[name] = change.set![path]!;
  }
  for (const path of change.unset ?? []) {
    if (endsEarly(next, path)) continue;
    const { parent, name } = reach(next, path, copied);
    delete parent[name];
  }
  for (const [path, by] of Object.entries(change.increment ?? {})) {
    const { parent, name } = reach(next, path, copied);
    const current = Object.hasOwn(parent, name) ? parent[name]! : 0;
    if (current !== null && typeof current !== "number") throw new PathConflict(path);
    parent[name] = (current ?? 0) + by;
  }
  return next;
}

/** The order of UTF-8's bytes; JavaScript's own puts pairs of surrogates before U+E000 and later. */
function byCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
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

/** Whether an object on the way is missing, so that there is nothing at the end. */
function endsEarly(record: StoredRecord, path: string): boolean {
  const names = path.split(".").slice(0, -1);
  let value: Json = record;
  for (const name of names) {
    if (!isObject(value)) return false;
    if (!Object.hasOwn(value, name)) return true;
    value = value[name]!;
  }
  return false;
}

/**
 * The object that holds the last name of a path; copies those on the way that are not `copied` yet,
 * and makes missing ones.
 */
function reach(
  record: StoredRecord,
  path: string,
  copied: Set<object>,
): { parent: { [name: string]: Json }; name: string } {
  if (!path.includes(".")) return { parent: record, name: path };
  const names = path.split(".");
  const name = names.pop()!;
  let parent: { [name: string]: Json } = record;
  for (const step of names) {
    let child: Json | undefined = Object.hasOwn(parent, step) ? parent[step] : {};
    if (!isObject(child)) throw new PathConflict(path);
    if (!copied.has(child)) {
      child = parent[step] = { ...child };
      copied.add(child);
    }
    parent = child;
  }
  return { parent, name };
}
