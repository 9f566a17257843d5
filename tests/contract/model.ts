/** Slow and simple model of comparisons by the rules of the port, independent of drivers. */

import type { Comparison, Filter, Json, Scalar, SortKey, StoredRecord } from "@/lib/store/port.ts";

/** Returns the value at a path; undefined if it is missing. */
export function valueAt(record: StoredRecord, path: string): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
    value = Object.entries(value).find(([member]) => member === name)?.[1];
  }
  return value;
}

export function matches(record: StoredRecord, filter: Filter): boolean {
  switch (filter.op) {
    case "and":
      return filter.of.every((one) => matches(record, one));
    case "or":
      return filter.of.some((one) => matches(record, one));
    case "not":
      return !matches(record, filter.of);
    case "exists":
      return (valueAt(record, filter.path) !== undefined) === filter.value;
    case "ne":
      return !candidates(record, filter.path).some((one) => equal(one, filter.value));
    case "nin":
      return !candidates(record, filter.path).some((one) => isOneOf(one, filter.values));
    case "in":
      return candidates(record, filter.path).some((one) => isOneOf(one, filter.values));
    case "eq":
      return candidates(record, filter.path).some((one) => equal(one, filter.value));
    case "regex": {
      const pattern = new RegExp(filter.pattern, "iu");
      return candidates(record, filter.path).some((one) =>
        typeof one === "string" && pattern.test(one)
      );
    }
    case "search":
      throw new TypeError("The model does not support words: use `hasWords`");
    case "revision":
      throw new TypeError("The model does not support revisions");
    default:
      return candidates(record, filter.path).some((one) => isOrdered(filter.op, one, filter.value));
  }
}

/** Returns the elements of an array, or the value itself; null for a missing one. */
function candidates(record: StoredRecord, path: string): readonly Json[] {
  const value = valueAt(record, path) ?? null;
  return Array.isArray(value) ? value : [value];
}

const equal = (value: Json, operand: Scalar): boolean => value === operand;

const isOneOf = (value: Json, operands: readonly Scalar[]): boolean =>
  operands.some((operand) => equal(value, operand));

function isOrdered(op: Comparison, value: Json, operand: Scalar): boolean {
  if (value === null || typeof value === "object" || typeof value !== typeof operand) return false;
  const sign = compareValues(value, operand);
  if (op === "gt") return sign > 0;
  if (op === "gte") return sign >= 0;
  return op === "lt" ? sign < 0 : sign <= 0;
}

/** Returns a negative number if `a` sorts before `b`: null first, others of one type. */
export function compareValues(a: Scalar, b: Scalar): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return Number(a) - Number(b);
}

function compareText(a: string, b: string): number {
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  const differs = left.findIndex((byte, i) => byte !== right[i]);
  if (differs < 0) return left.length - right.length;
  return left[differs]! - (right[differs] ?? -1);
}

/** Returns the records in the order of the sort, ties by `_id` in the direction of the last key. */
export function sortRecords(
  records: readonly StoredRecord[],
  sort: readonly SortKey[],
): StoredRecord[] {
  const order = [...sort, { path: "_id", descending: sort.at(-1)?.descending ?? false }];
  return records.toSorted((a, b) => {
    for (const { path, descending } of order) {
      const sign = compareValues(scalarAt(a, path), scalarAt(b, path));
      if (sign !== 0) return descending ? -sign : sign;
    }
    return 0;
  });
}

const scalarAt = (record: StoredRecord, path: string): Scalar =>
  (valueAt(record, path) ?? null) as Scalar; // Sort keys are scalars.
