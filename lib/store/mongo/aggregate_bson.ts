import type { Document } from "mongodb";
import type { Bucket, Figure, GroupKey } from "../aggregation.ts";
import { offsetsOf, type ZoneOffsets } from "../calendar.ts";
import { groupOrder, scalarTypeAt } from "../groups.ts";
import type { Aggregation, Definition } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import type { Bson } from "./encode.ts";
import { filterBson } from "./filter_bson.ts";

/** Returns the pipeline of groups: keys as `k0` … in `_id`, figures as `f0` …. */
export function aggregateBson(definition: Definition, query: Aggregation): Document[] {
  const { filter, keys, figures, limit } = query;
  const members = <T>(name: string, of: readonly T[], make: (one: T) => unknown) =>
    Object.fromEntries(of.map((one, i) => [`${name}${i}`, make(one)]));
  const order = groupOrder(query).map(({ of, index, descending }) => [
    of === "key" ? `_id.k${index}` : `f${index}`,
    descending ? -1 : 1,
  ]);
  return [
    { $match: filterBson(definition, filter) },
    {
      $group: {
        _id: keys.length === 0 ? null : members("k", keys, (key) => keyBson(definition, key)),
        ...members("f", figures, (figure) => figureBson(definition, figure)),
      },
    },
    ...(order.length > 0 ? [{ $sort: Object.fromEntries(order) }] : []),
    { $limit: limit + 1 },
  ];
}

function figureBson(definition: Definition, figure: Figure): Bson {
  if (figure.op === "count") return { $sum: 1 };
  const value = valueBson(figure.path, scalarTypeAt(definition, figure.path));
  return { [`$${figure.op}`]: value };
}

/** Returns the expression of a value; null for types other than the declared one. */
function valueBson(path: string, type: ScalarType): Bson {
  const value = `$${path}`;
  if (path === "_id") return { $cond: [{ $eq: [{ $type: value }, "objectId"] }, value, null] };
  const { bson } = FIELD_TYPES[type];
  return bson === "number"
    ? { $cond: [{ $isNumber: value }, { $toDouble: value }, null] }
    : { $cond: [{ $eq: [{ $type: value }, bson] }, value, null] };
}

function keyBson(definition: Definition, { path, bucket }: GroupKey): Bson {
  const value = valueBson(path, scalarTypeAt(definition, path));
  if (bucket === undefined) return value;
  const zone = offsetsOf(bucket.timeZone);
  const time = { $cond: [{ $eq: [{ $type: `$${path}` }, "date"] }, { $toLong: `$${path}` }, null] };
  return {
    $let: {
      vars: { time },
      in: {
        $let: {
          vars: { local: { $add: ["$$time", offsetBson(zone, 0, zone.changes.length)] } },
          in: BUCKETS[bucket.unit],
        },
      },
    },
  };
}

/** Returns the UTC offset at `$$time` as an expression: a binary search over the changes. */
function offsetBson(zone: ZoneOffsets, low: number, high: number): unknown {
  if (low === high) return zone.offsets[low]!;
  const middle = (low + high) >> 1;
  return {
    $cond: [
      { $lt: ["$$time", zone.changes[middle]!] },
      offsetBson(zone, low, middle),
      offsetBson(zone, middle + 1, high),
    ],
  };
}

const HOUR_MS = 3_600_000;
const floored = (value: unknown, by: number): Bson => ({ $floor: { $divide: [value, by] } });
const DAY = floored("$$local", 24 * HOUR_MS);
const DATE = { $toDate: "$$local" };

/** Interval numbers, equal to those of `bucketOf` in `calendar.ts`. */
const BUCKETS: Readonly<Record<Bucket, Bson>> = {
  hour: {
    $add: ["$$time", {
      $subtract: [{ $multiply: [floored("$$local", HOUR_MS), HOUR_MS] }, "$$local"],
    }],
  },
  day: DAY,
  week: floored({ $add: [DAY, 3] }, 7),
  month: { $add: [{ $multiply: [{ $year: DATE }, 12] }, { $month: DATE }, -1] },
  year: { $year: DATE },
};
