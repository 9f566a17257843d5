/** Conversion of a driver's rows to groups, independent of the engine. */

import type { Figure, GroupKey, Groups, GroupSort } from "./aggregation.ts";
import { bucketStart, offsetsOf } from "./calendar.ts";
import { PageTooLarge } from "./errors.ts";
import { bytesOf } from "./json_text.ts";
import { type Aggregation, type Definition, type Id, PAGE_BYTES_MAX, type Scalar } from "./port.ts";
import { FIELD_TYPES, type ScalarType } from "./field_types.ts";
import { scalarAt } from "./shape.ts";

/** A group as a driver reads it: its keys, followed by its figures. */
export type GroupRow = readonly Scalar[];

/** Returns the complete sort order of groups: the requested order, then the remaining keys. */
export function groupOrder({ keys, sort }: Pick<Aggregation, "keys" | "sort">): GroupSort[] {
  const rest = keys.map((_, index): GroupSort => ({ of: "key", index, descending: false }));
  const isSorted = ({ index }: GroupSort) =>
    sort.some((one) => one.of === "key" && one.index === index);
  return [...sort, ...rest.filter((one) => !isSorted(one))];
}

/** Returns the type of a key's or figure's scalar. Throws `TypeError` if it is not declared. */
export function scalarTypeAt(definition: Definition, path: string): ScalarType {
  const type = scalarAt(definition, path);
  if (type === null) {
    throw new TypeError(`"${path}" of ${definition.name} is not a declared scalar`);
  }
  return type;
}

export const keyBytes = (row: GroupRow, { keys }: Pick<Aggregation, "keys">): number =>
  keys.reduce((sum, _, i) => sum + (typeof row[i] === "string" ? bytesOf(row[i]) : 0), 0);

/** Converts rows, one more than the limit if there are more. Throws `PageTooLarge`. */
export function groupsOf(
  definition: Definition,
  query: Aggregation,
  rows: readonly GroupRow[],
): Groups {
  const { keys, figures, limit, bytesMax = PAGE_BYTES_MAX } = query;
  const allRows = keys.length === 0 && rows.length === 0 ? [figures.map(figureOfNoRecords)] : rows;
  const read = allRows.slice(0, limit);
  if (read.reduce((sum, row) => sum + keyBytes(row, query), 0) > bytesMax) {
    throw new PageTooLarge(bytesMax);
  }
  const convertKeys = keys.map((key) => keyConverter(definition, key));
  return {
    groups: read.map((row) => ({
      keys: convertKeys.map((convert, i) => convert(row[i] ?? null)),
      figures: figures.map((_, i) => toFigure(row[keys.length + i] ?? null)),
    })),
    more: allRows.length > limit,
  };
}

const figureOfNoRecords = ({ op }: Figure): Scalar => op === "count" || op === "sum" ? 0 : null;

function keyConverter(
  definition: Definition,
  { path, bucket }: GroupKey,
): (value: Scalar) => Scalar {
  if (bucket !== undefined) {
    const zone = offsetsOf(bucket.timeZone);
    return (value) =>
      typeof value === "number"
        ? new Date(bucketStart(bucket.unit, zone, value)).toISOString()
        : null;
  }
  const isBoolean = FIELD_TYPES[scalarTypeAt(definition, path)].json === "boolean";
  return (value) => isBoolean && value !== null ? Boolean(value) : withoutNegativeZero(value);
}

function toFigure(value: Scalar): number | string | null {
  if (typeof value === "number") return Number.isFinite(value) ? withoutNegativeZero(value) : null;
  return typeof value === "string" ? value : null;
}

/** Returns 0 for -0: engines may return either. */
const withoutNegativeZero = <V extends Scalar>(value: V): V | 0 => value === 0 ? 0 : value;

/** Groups pairs by the referenced id, keeping their order. */
export function referrersOf(pairs: Iterable<readonly [referenced: Id, id: Id]>): Map<Id, Id[]> {
  const byReferenced = new Map<Id, Id[]>();
  for (const [referenced, id] of pairs) {
    const ids = byReferenced.get(referenced);
    if (ids === undefined) byReferenced.set(referenced, [id]);
    else ids.push(id);
  }
  return byReferenced;
}
