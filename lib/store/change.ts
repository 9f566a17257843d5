import { PathConflict, TypeConflict } from "./errors.ts";
import type { Change, Json, StoredRecord } from "./port.ts";
import { isObject, ownMember } from "./shape.ts";
import { byCodePoints } from "./text_order.ts";

/** Returns a changed copy of a record. The given record and change are not modified. */
export function applyChange(record: StoredRecord, change: Change): StoredRecord {
  const next = change.replace === undefined
    ? { ...record }
    : replaceFields(record, change.replace, change.keep ?? []);
  /** Objects that are already copied. Each is copied once. */
  const copied = new Set<object>([next]);
  // New fields are added in the order of their names' UTF-8 bytes, as MongoDB adds them.
  for (const path of Object.keys(change.set ?? {}).sort(byCodePoints)) {
    const { parent, name } = openParent(next, path, copied);
    parent[name] = change.set![path]!;
  }
  for (const path of change.unset ?? []) {
    if (endsEarly(next, path)) continue;
    const { parent, name } = openParent(next, path, copied);
    delete parent[name];
  }
  const applyStep = (path: string, step: Step) => {
    const { parent, name } = openParent(next, path, copied);
    const value = step(path, ownMember(parent, name) ?? null);
    if (value !== undefined) parent[name] = value;
  };
  for (const [path, step] of stepsOf(change)) applyStep(path, step);
  for (const [path, values] of entriesOf(change.pull)) {
    if (!endsEarly(next, path)) applyStep(path, pullStep(values));
  }
  return next;
}

/** Returns the new value for a stored one; undefined leaves the field unchanged. */
type Step = (path: string, current: Json) => Json | undefined;

/** Yields all steps but `pull`, which does not create missing objects along its path. */
function* stepsOf(change: Change): Generator<[path: string, step: Step]> {
  for (const [path, by] of entriesOf(change.increment)) yield [path, incrementStep(by)];
  for (const [path, value] of entriesOf(change.min)) yield [path, boundStep(value, 1)];
  for (const [path, value] of entriesOf(change.max)) yield [path, boundStep(value, -1)];
  for (const [path, values] of entriesOf(change.push)) {
    yield [path, (path, current) => [...listAt(path, current), ...values]];
  }
  for (const [path, values] of entriesOf(change.addToSet)) yield [path, addToSetStep(values)];
}

const entriesOf = <T>(part: Readonly<Record<string, T>> | undefined): [string, T][] =>
  part === undefined ? [] : Object.entries(part);

const incrementStep = (by: number): Step => (path, current) => {
  if (current !== null && typeof current !== "number") {
    throw new TypeConflict(path, "is not a number");
  }
  const before = current ?? 0;
  const sum = before + by;
  if (!Number.isFinite(sum)) throw new TypeConflict(path, "would exceed the largest number");
  if (losesPrecision(before, by, sum)) {
    throw new TypeConflict(
      path,
      `is ${before}, to which a Number cannot add ${by} exactly: store larger integers as Strings`,
    );
  }
  return sum;
};

/** Whether a sum of integers is rounded, or adding a number other than 0 changes nothing. */
function losesPrecision(before: number, by: number, sum: number): boolean {
  if (by !== 0 && sum === before) return true;
  if (Number.isSafeInteger(sum) || !Number.isInteger(before) || !Number.isInteger(by)) return false;
  return BigInt(before) + BigInt(by) !== BigInt(sum);
}

/**
 * Returns the step of `min` or `max`.
 *
 * @param side 1 if greater stored values are replaced, -1 if smaller ones are.
 */
const boundStep = (value: number | string, side: 1 | -1): Step => (path, current) => {
  if (current === null) return value;
  const order = orderOf(current, value);
  if (order === null) {
    throw new TypeConflict(path, `is not a ${typeof value === "number" ? "number" : "text"}`);
  }
  return order * side > 0 ? value : undefined;
};

/** Compares two values of one type; null for values of different types. */
function orderOf(one: Json, other: number | string): number | null {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return typeof one === "string" && typeof other === "string" ? byCodePoints(one, other) : null;
}

function listAt(path: string, current: Json): readonly Json[] {
  if (current === null) return [];
  if (!Array.isArray(current)) throw new TypeConflict(path, "is not a list");
  return current;
}

const addToSetStep = (values: readonly Json[]): Step => (path, current) => {
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

const pullStep = (values: readonly Json[]): Step => (path, current) => {
  if (current === null) return undefined;
  const removed = new Set(values.map(identityOf));
  return listAt(path, current).filter((one) => !removed.has(identityOf(one)));
};

/** Returns a key that is equal for equal values only. */
function identityOf(value: Json): string | number | boolean | null {
  if (typeof value === "string") return `"${value}`;
  if (typeof value !== "object" || value === null) return value;
  return JSON.stringify(value, (_, one: Json) => isObject(one) ? sortMembers(one) : one);
}

const sortMembers = (members: { readonly [name: string]: Json }) =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1));

function replaceFields(
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

/** Whether an object along the path is missing or null, so that there is nothing at its end. */
function endsEarly(record: StoredRecord, path: string): boolean {
  const names = path.split(".").slice(0, -1);
  let value: Json = record;
  for (const name of names) {
    if (!isObject(value)) return false;
    if ((ownMember(value, name) ?? null) === null) return true;
    value = value[name]!;
  }
  return false;
}

/**
 * Returns the object that holds the last name of a path. Copies objects along the path that are not
 * in `copied`, and creates missing or null ones. Throws `PathConflict` for any other value along
 * the path.
 */
function openParent(
  record: StoredRecord,
  path: string,
  copied: Set<object>,
): { parent: { [name: string]: Json }; name: string } {
  if (!path.includes(".")) return { parent: record, name: path };
  const names = path.split(".");
  const name = names.pop()!;
  let parent: { [name: string]: Json } = record;
  for (const step of names) {
    let child: Json = ownMember(parent, step) ?? {};
    if (!isObject(child)) throw new PathConflict(path);
    if (!copied.has(child)) {
      child = parent[step] = { ...child };
      copied.add(child);
    }
    parent = child;
  }
  return { parent, name };
}
