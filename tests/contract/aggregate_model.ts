/** Groups by the rules of the port, computed by plain code over all records. */

import type { Figure, Group, GroupKey, Groups } from "@/lib/store/aggregation.ts";
import type { Aggregation, Scalar, StoredRecord } from "@/lib/store/port.ts";
import { compareValues, matches, valueAt } from "./model.ts";

export function aggregateRecords(
  records: readonly StoredRecord[],
  { filter, keys, figures, sort, limit }: Aggregation,
): Groups {
  const found = records.filter((record) => matches(record, filter));
  const byKeys = Map.groupBy(
    found,
    (record) => JSON.stringify(keys.map((key) => keyOf(record, key))),
  );
  if (keys.length === 0 && found.length === 0) byKeys.set("[]", []);
  const groups = [...byKeys].map(([text, members]): Group => ({
    keys: JSON.parse(text),
    figures: figures.map((figure) => figureOf(members, figure)),
  }));
  groups.sort((one, other) => {
    for (const { of, index, descending } of sort) {
      const place = of === "key" ? "keys" : "figures";
      const order = compareValues(one[place][index]!, other[place][index]!);
      if (order !== 0) return descending ? -order : order;
    }
    for (const index of keys.keys()) {
      const order = compareValues(one.keys[index]!, other.keys[index]!);
      if (order !== 0) return order;
    }
    return 0;
  });
  return { groups: groups.slice(0, limit), more: groups.length > limit };
}

function keyOf(record: StoredRecord, { path, bucket }: GroupKey): Scalar {
  const value = (valueAt(record, path) ?? null) as Scalar;
  if (value === null || bucket === undefined) return value;
  const time = Temporal.Instant.from(value as string).toZonedDateTimeISO(bucket.timeZone);
  return new Date(beginning(time, bucket.unit).epochMilliseconds).toISOString();
}

function beginning(time: Temporal.ZonedDateTime, unit: string): Temporal.ZonedDateTime {
  const { minute: minutes, second: seconds, millisecond: milliseconds, dayOfWeek } = time;
  switch (unit) {
    case "hour":
      return time.subtract({ minutes, seconds, milliseconds });
    case "week":
      return time.subtract({ days: dayOfWeek - 1 }).startOfDay();
    case "month":
      return time.with({ day: 1 }).startOfDay();
    case "year":
      return time.with({ month: 1, day: 1 }).startOfDay();
    default:
      return time.startOfDay();
  }
}

function figureOf(members: readonly StoredRecord[], figure: Figure): number | string | null {
  if (figure.op === "count") return members.length;
  const values = members.map((record) => valueAt(record, figure.path) ?? null)
    .filter((value) => value !== null) as (number | string)[];
  const total = () => (values as number[]).reduce((sum, one) => sum + one, 0);
  if (figure.op === "sum") return total();
  if (values.length === 0) return null;
  if (figure.op === "avg") return total() / values.length;
  const sorted = values.toSorted(compareValues);
  return figure.op === "min" ? sorted[0]! : sorted.at(-1)!;
}
