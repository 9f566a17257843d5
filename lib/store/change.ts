import { PathConflict, TypeConflict } from "./errors.ts";
import type { Change, Json, StoredRecord } from "./port.ts";
import { isObject, own } from "./shape.ts";
import { byCodePoints } from "./text_order.ts";

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
  const take = (path: string, step: Step) => {
    const { parent, name } = reach(next, path, copied);
    const value = step(path, own(parent, name) ?? null);
    if (value !== undefined) parent[name] = value;
  };
  for (const [path, step] of stepsOf(change)) take(path, step);
  for (const [path, values] of entriesOf(change.pull)) {
    if (!endsEarly(next, path)) take(path, without(values));
  }
  return next;
}

/** Makes a value of the stored one; undefined leaves what there is. */
type Step = (path: string, current: Json) => Json | undefined;

/** All but `pull`, which makes no objects on its way. */
function* stepsOf(change: Change): Generator<[path: string, step: Step]> {
  for (const [path, by] of entriesOf(change.increment)) yield [path, increased(by)];
  for (const [path, value] of entriesOf(change.min)) yield [path, bounded(value, 1)];
  for (const [path, value] of entriesOf(change.max)) yield [path, bounded(value, -1)];
  for (const [path, values] of entriesOf(change.push)) {
    yield [path, (path, current) => [...listAt(path, current), ...values]];
  }
  for (const [path, values] of entriesOf(change.addToSet)) yield [path, withAll(values)];
}

const entriesOf = <T>(part: Readonly<Record<string, T>> | undefined): [string, T][] =>
  part === undefined ? [] : Object.entries(part);

const increased = (by: number): Step => (path, current) => {
  if (current !== null && typeof current !== "number") {
    throw new TypeConflict(path, "holds no number");
  }
  const before = current ?? 0;
  const sum = before + by;
  if (!Number.isFinite(sum)) throw new TypeConflict(path, "would become a number too large");
  if (isLost(before, by, sum)) {
    throw new TypeConflict(
      path,
      `holds ${before}, to which a Number cannot add ${by} exactly: keep larger integers as Strings`,
    );
  }
  return sum;
};

/** Whether a sum is rounded though both numbers are integers, or is not another number. */
function isLost(before: number, by: number, sum: number): boolean {
  if (by !== 0 && sum === before) return true;
  if (Number.isSafeInteger(sum) || !Number.isInteger(before) || !Number.isInteger(by)) return false;
  return BigInt(before) + BigInt(by) !== BigInt(sum);
}

/** @param side Of the value, on which what is stored gives way to it: 1 where that is more. */
const bounded = (value: number | string, side: 1 | -1): Step => (path, current) => {
  if (current === null) return value;
  const order = orderOf(current, value);
  if (order === null) {
    throw new TypeConflict(path, `holds no ${typeof value === "number" ? "number" : "text"}`);
  }
  return order * side > 0 ? value : undefined;
};

/** More than 0 where the first is more; null for values of two types. */
function orderOf(one: Json, other: number | string): number | null {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return typeof one === "string" && typeof other === "string" ? byCodePoints(one, other) : null;
}

function listAt(path: string, current: Json): readonly Json[] {
  if (current === null) return [];
  if (!Array.isArray(current)) throw new TypeConflict(path, "holds no list");
  return current;
}

const withAll = (values: readonly Json[]): Step => (path, current) => {
  const list = [...listAt(path, current)];
  const present = new Set(list.map(identityOf));
  for (const value of values) {
    const identity = identityOf(value);
    if (present.has(identity)) continue;
    present.add(identity);
    list.push(value);
  }
  return list;
};

const without = (values: readonly Json[]): Step => (path, current) => {
  if (current === null) return undefined;
  const gone = new Set(values.map(identityOf));
  return listAt(path, current).filter((one) => !gone.has(identityOf(one)));
};

/** The same for equal values, and for no others. */
function identityOf(value: Json): string | number | boolean | null {
  if (typeof value === "string") return `"${value}`;
  if (typeof value !== "object" || value === null) return value;
  return JSON.stringify(value, (_, one: Json) => isObject(one) ? inOrder(one) : one);
}

const inOrder = (members: { readonly [name: string]: Json }) =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1));

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

/** Whether an object on the way is missing or null, so that there is nothing at the end. */
function endsEarly(record: StoredRecord, path: string): boolean {
  const names = path.split(".").slice(0, -1);
  let value: Json = record;
  for (const name of names) {
    if (!isObject(value)) return false;
    if ((own(value, name) ?? null) === null) return true;
    value = value[name]!;
  }
  return false;
}

/**
 * The object that holds the last name of a path; copies those on the way that are not `copied` yet,
 * and makes those that are missing or null.
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
    let child: Json = own(parent, step) ?? {};
    if (!isObject(child)) throw new PathConflict(path);
    if (!copied.has(child)) {
      child = parent[step] = { ...child };
      copied.add(child);
    }
    parent = child;
  }
  return { parent, name };
}
