const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)$/;

/** Parses ISO 8601 with a zone, or a date, to UTC text that sorts by time; null for other texts. */
export function parseDate(text: string): string | null {
  const time = TIME.exec(text);
  const day = dayStart(time === null ? text : time[1]!);
  if (day === null) return null;
  const ms = time === null ? day : withTime(day, time);
  return ms === null || ms < YEAR_0 || ms > YEAR_9999_END ? null : new Date(ms).toISOString();
}

const YEAR_0 = Date.parse("0000-01-01T00:00:00.000Z");
const YEAR_9999_END = Date.parse("9999-12-31T23:59:59.999Z");

function dayStart(text: string): number | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  // The 30th of February must not become the 1st of March.
  return Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(match[3]) ? null : ms;
}

function withTime(day: number, match: RegExpExecArray): number | null {
  const [hours, minutes, seconds] = [match[2], match[3], match[4] ?? "0"].map(Number);
  if (hours! > 23 || minutes! > 59 || seconds! > 59) return null;
  const ms = Number((match[5] ?? "0").padEnd(3, "0").slice(0, 3));
  const offset = offsetMs(match[6]!);
  return offset === null
    ? null
    : day + hours! * 3_600_000 + minutes! * 60_000 + seconds! * 1000 + ms - offset;
}

function offsetMs(zone: string): number | null {
  if (zone === "Z" || zone === "z") return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
