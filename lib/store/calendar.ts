/** Calendar intervals in a time zone, independent of the engine. */

import { createLru } from "../lru.ts";
import type { Bucket } from "./aggregation.ts";

export interface ZoneOffsets {
  /** Times at which the offset changes, in epoch milliseconds, ascending. */
  readonly changes: readonly number[];
  /** Offsets from UTC in milliseconds: before the first change, then after each change. */
  readonly offsets: readonly number[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days from Monday to 1970-01-01, which was a Thursday. */
const EPOCH_WEEKDAY = 3;

/** The first and the last year whose offset changes are read. Future rules are unknown. */
const YEAR_MIN = 1900;
const YEAR_MAX = 2100;

const ZONES_MAX = 100;
const zones = createLru<string, ZoneOffsets>(ZONES_MAX);

/** Returns the canonical name of a time zone; null for unknown or malformed names. */
export function zoneName(text: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(text)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Returns the UTC offsets of a time zone. Throws `RangeError` for an unknown zone. */
export function offsetsOf(timeZone: string): ZoneOffsets {
  let offsets = zones.get(timeZone);
  if (offsets === undefined) zones.set(timeZone, offsets = readOffsets(timeZone));
  return offsets;
}

function readOffsets(timeZone: string): ZoneOffsets {
  const at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(YEAR_MIN, 0));
  const end = Date.UTC(YEAR_MAX + 1, 0);
  const offset = ({ offsetNanoseconds }: Temporal.ZonedDateTime) => offsetNanoseconds / 1e6;
  let time: Temporal.ZonedDateTime | null = at.toZonedDateTimeISO(timeZone);
  const changes: number[] = [];
  const offsets = [offset(time)];
  while ((time = time.getTimeZoneTransition("next")) !== null && time.epochMilliseconds < end) {
    changes.push(time.epochMilliseconds);
    offsets.push(offset(time));
  }
  return { changes, offsets };
}

/** Returns the index of the offset that applies at a time in epoch milliseconds. */
function offsetIndexAt({ changes }: ZoneOffsets, time: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns a number for the calendar interval that contains a time. Times in one interval have equal
 * numbers, and later intervals have greater numbers. An hour is identified by its start time,
 * because some hours occur twice when clocks are set back. Longer intervals are identified by their
 * calendar date, because days differ in length.
 */
export function bucketOf(unit: Bucket, zone: ZoneOffsets, time: number): number {
  const local = time + zone.offsets[offsetIndexAt(zone, time)]!;
  switch (unit) {
    case "hour":
      return time - (local - Math.floor(local / HOUR_MS) * HOUR_MS);
    case "day":
      return Math.floor(local / DAY_MS);
    case "week":
      return Math.floor((Math.floor(local / DAY_MS) + EPOCH_WEEKDAY) / 7);
    case "month":
      return monthOf(new Date(local));
    case "year":
      return new Date(local).getUTCFullYear();
  }
}

const monthOf = (local: Date): number => local.getUTCFullYear() * 12 + local.getUTCMonth();

/** Returns the start of an interval from {@linkcode bucketOf} in epoch milliseconds. */
export function bucketStart(unit: Bucket, zone: ZoneOffsets, bucket: number): number {
  if (unit === "hour") return bucket;
  const local = localStart(unit, bucket);
  // A date may occur twice when clocks are set back; the interval begins at the first occurrence.
  for (let i = offsetIndexAt(zone, local - DAY_MS);; i++) {
    const offset = zone.offsets[i]!;
    const end = zone.changes[i] ?? Infinity;
    if (local < end + offset) {
      return Math.max(local - offset, zone.changes[i - 1] ?? -Infinity);
    }
  }
}

function localStart(unit: Exclude<Bucket, "hour">, bucket: number): number {
  switch (unit) {
    case "day":
      return bucket * DAY_MS;
    case "week":
      return (bucket * 7 - EPOCH_WEEKDAY) * DAY_MS;
    case "month":
      return new Date(0).setUTCFullYear(Math.floor(bucket / 12), (bucket % 12 + 12) % 12, 1);
    case "year":
      return new Date(0).setUTCFullYear(bucket, 0, 1);
  }
}
