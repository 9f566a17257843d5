/** From the rows that a driver has read to the groups that it answers, the same on every engine. */

import type { Figure, GroupKey, Groups, GroupSort } from "./aggregation.ts";
import { bucketStart, offsetsOf } from "./calendar.ts";
import { PageTooLarge } from "./errors.ts";
import { bytesOf } from "./json_text.ts";
import { type Aggregation, type Definition, type Id, PAGE_BYTES_MAX, type Scalar } from "./port.ts";
import { FIELD_TYPES, type ScalarType } from "./field_types.ts";
import { scalarAt } from "./shape.ts";

/** A group as it is stored: its keys, and behind them its figures. */
export type GroupRow = readonly Scalar[];

/** The whole order of the groups: behind what was asked for, the keys. */
export function groupOrder({ keys, sort }: Pick<Aggregation, "keys" | "sort">): GroupSort[] {
  const rest = keys.map((_, index): GroupSort => ({ of: "key", index, descending: false }));
  const isSorted = ({ index }: GroupSort) =>
    sort.some((one) => one.of === "key" && one.index === index);
  return [...sort, ...rest.filter((one) => !isSorted(one))];
}

/** The type of what a key or a figure is about. */
export function typeAt(definition: Definition, path: string): ScalarType {
  const type = scalarAt(definition, path);
  if (type === null) throw new TypeError(`"${path}" of ${definition.name} is no declared scalar`);
  return type;
}

/** How many bytes the texts among the keys of a row have. */
export const keyBytes = (row: GroupRow, { keys }: Pick<Aggregation, "keys">): number =>
  keys.reduce((sum, _, i) => sum + (typeof row[i] === "string" ? bytesOf(row[i]) : 0), 0);

/**
 * The groups of rows that were read in their order, of which there is one more than the limit if
 * there are more. Throws `PageTooLarge` where their keys have too many bytes.
 */
export function groupsOf(
  definition: Definition,
  query: Aggregation,
  rows: readonly GroupRow[],
): Groups {
  const { keys, figures, limit, bytesMax = PAGE_BYTES_MAX } = query;
  const found = keys.length === 0 && rows.length === 0 ? [figures.map(ofNothing)] : rows;
  const read = found.slice(0, limit);
  if (read.reduce((sum, row) => sum + keyBytes(row, query), 0) > bytesMax) {
    throw new PageTooLarge(bytesMax);
  }
  const shownKeys = keys.map((key) => shownKey(definition, key));
  return {
    groups: read.map((row) => ({
      keys: shownKeys.map((shown, i) => shown(row[i] ?? null)),
      figures: figures.map((_, i) => shownFigure(row[keys.length + i] ?? null)),
    })),
    more: found.length > limit,
  };
}

const ofNothing = ({ op }: Figure): Scalar => op === "count" || op === "sum" ? 0 : null;

function shownKey(definition: Definition, { path, bucket }: GroupKey): (value: Scalar) => Scalar {
  if (bucket !== undefined) {
    const zone = offsetsOf(bucket.timeZone);
    return (value) =>
      typeof value === "number"
        ? new Date(bucketStart(bucket.unit, zone, value)).toISOString()
        : null;
  }
  const isBoolean = FIELD_TYPES[typeAt(definition, path)].json === "boolean";
  return (value) => isBoolean && value !== null ? Boolean(value) : withoutSign(value);
}

function shownFigure(value: Scalar): number | string | null {
  if (typeof value === "number") return Number.isFinite(value) ? withoutSign(value) : null;
  return typeof value === "string" ? value : null;
}

/** -0 and 0 are one value, of which either may come. */
const withoutSign = <V extends Scalar>(value: V): V | 0 => value === 0 ? 0 : value;

/** Who refers to what, from pairs of what is referred to and who does, in the order of each. */
export function referrersOf(pairs: Iterable<readonly [holder: Id, id: Id]>): Map<Id, Id[]> {
  const byHolder = new Map<Id, Id[]>();
  for (const [holder, id] of pairs) {
    const ids = byHolder.get(holder);
    if (ids === undefined) byHolder.set(holder, [id]);
    else ids.push(id);
  }
  return byHolder;
}
