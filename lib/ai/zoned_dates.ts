import { parseDate } from "../dates.ts";

/** When and where somebody asks: what dates in their words are of. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Of the IANA data base. */
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

/**
 * ISO 8601 in UTC of what a model wrote for a date: a time with a zone as it is, a day or a time
 * without one in the asker's time zone, and `now`, `today`, `yesterday`, `tomorrow` by their
 * clock. Null for anything else.
 */
export function resolveDate(text: string, { now, timeZone }: Moment): string | null {
  const word = text.trim().toLowerCase();
  if (word === "now") return new Date(now).toISOString();
  if (Object.hasOwn(DAYS, word)) {
    const today = Date.parse(`${dayOf(now, timeZone)}T00:00:00.000Z`);
    return localTime(today + DAYS[word]! * DAY_MS, timeZone);
  }
  const local = LOCAL.exec(text.trim());
  if (local === null) return parseDate(text.trim());
  // Its digits are read as if they were UTC's, and then moved to where they are.
  const digits = parseDate(`${local[1]}T${local[2] ?? "00:00"}Z`);
  return digits === null ? null : localTime(Date.parse(digits), timeZone);
}

/** The day of a moment, as `2026-01-31`. */
export const dayOf = (time: number, timeZone: string): string =>
  new Date(time + offsetAt(time, timeZone)).toISOString().slice(0, 10);

/** A moment as a clock there shows it, with its offset: `2026-01-31T13:00:00+01:00`. */
export function clockTime(time: number, timeZone: string): string {
  const offset = offsetAt(time, timeZone);
  const [hours, minutes] = [Math.abs(offset) / 3_600_000, Math.abs(offset) / 60_000 % 60];
  const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
  const digits = new Date(time + offset).toISOString().slice(0, 19);
  return `${digits}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
}

/**
 * When the clocks there show these digits. Of an hour that they show twice the first; one that they
 * leave out is as far behind the last moment before it.
 */
function localTime(digits: number, timeZone: string): string | null {
  const before = offsetAt(digits - DAY_MS, timeZone);
  const after = offsetAt(digits + DAY_MS, timeZone);
  const early = digits - before;
  const late = digits - after;
  const time = offsetAt(early, timeZone) === before || offsetAt(late, timeZone) !== after
    ? early
    : late;
  return Number.isNaN(time) ? null : parseDate(new Date(time).toISOString());
}

/** Milliseconds that the clocks there are ahead of UTC's. */
function offsetAt(time: number, timeZone: string): number {
  const parts = formatFor(timeZone).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
  const shown = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return shown - Math.floor(time / 1000) * 1000;
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
