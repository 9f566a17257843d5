/** Hours, days, weeks, months and years of a time zone, the same on every engine. */

import { createLru } from "../lru.ts";
import type { Bucket } from "./aggregation.ts";

/** How many milliseconds the clocks of a zone are ahead of UTC, and from when. */
export interface ZoneOffsets {
  /** Moments at which the clocks are changed, ascending. */
  readonly changes: readonly number[];
  /** Before the first change, and from each change on. */
  readonly offsets: readonly number[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From Monday to the first day of 1970, which was a Thursday. */
const WEEKDAY = 3;

/** Clocks count as never changed before and behind these years; nobody knows what they will do. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2100;

const ZONES_KEPT = 100;
const zones = createLru<string, ZoneOffsets>(ZONES_KEPT);

/** Its own name for a time zone; null for one that it does not know, and for what is no name. */
export function zoneName(text: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(text)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Throws `RangeError` for a zone that is not known. */
export function offsetsOf(timeZone: string): ZoneOffsets {
  let known = zones.get(timeZone);
  if (known === undefined) zones.set(timeZone, known = readOffsets(timeZone));
  return known;
}

function readOffsets(timeZone: string): ZoneOffsets {
  const at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(FIRST_YEAR, 0));
  const end = Date.UTC(LAST_YEAR + 1, 0);
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

/** The place among the offsets of the one that holds at a time. */
function placeOf({ changes }: ZoneOffsets, time: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A number for the stretch of a zone's calendar in which a time lies: the same for all times in it,
 * and greater for later ones. An hour is told by its beginning, because clocks that are put back
 * show some hours twice; all else by what the calendar shows, because its days differ in length.
 */
export function bucketOf(unit: Bucket, zone: ZoneOffsets, time: number): number {
  const local = time + zone.offsets[placeOf(zone, time)]!;
  switch (unit) {
    case "hour":
      return time - (local - Math.floor(local / HOUR_MS) * HOUR_MS);
    case "day":
      return Math.floor(local / DAY_MS);
    case "week":
      return Math.floor((Math.floor(local / DAY_MS) + WEEKDAY) / 7);
    case "month":
      return monthOf(new Date(local));
    case "year":
      return new Date(local).getUTCFullYear();
  }
}

const monthOf = (local: Date): number => local.getUTCFullYear() * 12 + local.getUTCMonth();

/** When a stretch begins, by the number that {@linkcode bucketOf} gave it. */
export function bucketStart(unit: Bucket, zone: ZoneOffsets, bucket: number): number {
  if (unit === "hour") return bucket;
  const local = localStart(unit, bucket);
  // The calendar may show a day twice: it begins when it is first shown.
  for (let place = placeOf(zone, local - DAY_MS);; place++) {
    const offset = zone.offsets[place]!;
    const end = zone.changes[place] ?? Infinity;
    if (local < end + offset) {
      return Math.max(local - offset, zone.changes[place - 1] ?? -Infinity);
    }
  }
}

function localStart(unit: Exclude<Bucket, "hour">, bucket: number): number {
  switch (unit) {
    case "day":
      return bucket * DAY_MS;
    case "week":
      return (bucket * 7 - WEEKDAY) * DAY_MS;
    case "month":
      return new Date(0).setUTCFullYear(Math.floor(bucket / 12), (bucket % 12 + 12) % 12, 1);
    case "year":
      return new Date(0).setUTCFullYear(bucket, 0, 1);
  }
}
