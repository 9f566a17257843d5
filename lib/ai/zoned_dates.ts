import { parseDate } from "../dates.ts";

/** The time and time zone of a request, to which its dates refer. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Name in the IANA time zone database. */
  readonly timeZone: string;
}

export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/;

/** Accepts zoned and local times, days, and words such as `today`. Returns UTC, or null. */
export function resolveDate(text: string, { now, timeZone }: Moment): string | null {
  const word = text.trim().toLowerCase();
  if (word === "now") return new Date(now).toISOString();
  if (Object.hasOwn(DAYS, word)) {
    const today = Date.parse(`${dayOf(now, timeZone)}T00:00:00.000Z`);
    return fromClockDigits(today + DAYS[word]! * DAY_MS, timeZone);
  }
  const local = LOCAL.exec(text.trim());
  if (local === null) return parseDate(text.trim());
  // The digits are parsed as UTC and then moved to the time zone.
  const digits = parseDate(`${local[1]}T${local[2] ?? "00:00"}Z`);
  return digits === null ? null : fromClockDigits(Date.parse(digits), timeZone);
}

export const dayOf = (time: number, timeZone: string): string =>
  new Date(time + offsetAt(time, timeZone)).toISOString().slice(0, 10);

/** Formats a time in a time zone with its offset, such as `2026-01-31T13:00:00+01:00`. */
export function toClockTime(time: number, timeZone: string): string {
  const offset = offsetAt(time, timeZone);
  const [hours, minutes] = [Math.abs(offset) / 3_600_000, Math.abs(offset) / 60_000 % 60];
  const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
  const digits = new Date(time + offset).toISOString().slice(0, 19);
  return `${digits}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
}

/** Returns the first of two such times, and a time after the change for a skipped hour. */
function fromClockDigits(digits: number, timeZone: string): string | null {
  const before = offsetAt(digits - DAY_MS, timeZone);
  const after = offsetAt(digits + DAY_MS, timeZone);
  const early = digits - before;
  const late = digits - after;
  const time = offsetAt(early, timeZone) === before || offsetAt(late, timeZone) !== after
    ? early
    : late;
  return Number.isNaN(time) ? null : parseDate(new Date(time).toISOString());
}

/** Returns the milliseconds by which the time zone is ahead of UTC. */
function offsetAt(time: number, timeZone: string): number {
  const parts = formatFor(timeZone).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
  const clockMs = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return clockMs - Math.floor(time / 1000) * 1000;
}

const formatFor = (timeZone: string) =>
  new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
