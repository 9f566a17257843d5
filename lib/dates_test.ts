import assert from "node:assert/strict";
import { parseDate } from "./dates.ts";

Deno.test("parseDate returns UTC with milliseconds for dates with a zone and plain dates", () => {
  const table: readonly (readonly [string, string])[] = [
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T12:34:56.789Z", "2026-01-31T12:34:56.789Z"],
    ["2026-01-31T12:34:56Z", "2026-01-31T12:34:56.000Z"],
    ["2026-01-31T12:34Z", "2026-01-31T12:34:00.000Z"],
    ["2026-01-31t12:34:56z", "2026-01-31T12:34:56.000Z"],
    ["2026-01-31T00:00:00Z", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T23:59:59.999Z", "2026-01-31T23:59:59.999Z"],
  ];
  for (const [text, date] of table) assert.equal(parseDate(text), date, text);
});

Deno.test("parseDate applies zones across days, months and years", () => {
  const table: readonly (readonly [string, string])[] = [
    ["2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00+01:00", "2026-01-31T11:00:00.000Z"],
    ["2026-01-31T12:00:00+0530", "2026-01-31T06:30:00.000Z"],
    ["2026-01-31T12:00:00-03", "2026-01-31T15:00:00.000Z"],
    ["2026-01-31T12:00:00-03:30", "2026-01-31T15:30:00.000Z"],
    ["2026-01-31T12:00:00+23:59", "2026-01-30T12:01:00.000Z"],
    ["2026-02-28T23:30:00-01:00", "2026-03-01T00:30:00.000Z"],
    ["2024-02-28T23:30:00-01:00", "2024-02-29T00:30:00.000Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"],
  ];
  for (const [text, date] of table) assert.equal(parseDate(text), date, text);
});

Deno.test("parseDate cuts fractions of a second to milliseconds", () => {
  const table: readonly (readonly [string, string])[] = [
    ["2026-01-31T12:00:00.1Z", "2026-01-31T12:00:00.100Z"],
    ["2026-01-31T12:00:00.12Z", "2026-01-31T12:00:00.120Z"],
    ["2026-01-31T12:00:00.1239Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T23:59:59.999999999Z", "2026-01-31T23:59:59.999Z"],
  ];
  for (const [text, date] of table) assert.equal(parseDate(text), date, text);
});

Deno.test("parseDate accepts leap days of the Gregorian calendar", () => {
  for (const day of ["2024-02-29", "2000-02-29", "0000-02-29", "9996-02-29"]) {
    assert.equal(parseDate(day), `${day}T00:00:00.000Z`);
  }
  for (const day of ["2023-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "9999-02-29"]) {
    assert.equal(parseDate(day), null, day);
    assert.equal(parseDate(`${day}T12:00:00Z`), null, day);
  }
});

Deno.test("parseDate refuses days and months that do not exist", () => {
  const wrong = ["2026-04-31", "2026-01-32", "2026-01-00", "2026-00-10", "2026-13-01"];
  for (const day of wrong) {
    assert.equal(parseDate(day), null, day);
    assert.equal(parseDate(`${day}T00:00:00Z`), null, day);
  }
});

Deno.test("parseDate refuses times outside the years 0000 to 9999 in UTC", () => {
  const table: readonly (readonly [string, string | null])[] = [
    ["0000-01-01", "0000-01-01T00:00:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0099-12-31", "0099-12-31T00:00:00.000Z"],
    ["9999-12-31", "9999-12-31T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["0000-01-01T00:00:00+00:01", null],
    ["0000-01-01T00:59:00+01:00", null],
    ["0000-01-01T01:00:00+01:00", "0000-01-01T00:00:00.000Z"],
    ["0000-01-01T00:00:00-01:00", "0000-01-01T01:00:00.000Z"],
    ["9999-12-31T23:59:59.999-00:01", null],
    ["9999-12-31T23:00:00-01:00", null],
    ["9999-12-31T22:59:59.999-01:00", "9999-12-31T23:59:59.999Z"],
    ["10000-01-01", null],
    ["+010000-01-01T00:00:00Z", null],
    ["-000001-01-01T00:00:00Z", null],
  ];
  for (const [text, date] of table) assert.equal(parseDate(text), date, text);
});

Deno.test("results of parseDate sort like their times", () => {
  const texts = [
    "0000-01-01",
    "0999-06-01",
    "1969-12-31T23:59:59.999Z",
    "1970-01-01",
    "2026-01-31T12:00:00+02:00",
    "2026-01-31T12:00:00+01:00",
    "9999-12-31",
  ];
  const dates = texts.map((text) => parseDate(text)!);
  assert.deepEqual([...dates].sort(), dates);
  for (const date of dates) assert.equal(date.length, 24);
});

Deno.test("parseDate refuses times without a zone and other texts", () => {
  const wrong = [
    "",
    "now",
    "null",
    "2026",
    "2026-01",
    "2026-1-31",
    "26-01-31",
    "20260131",
    "20260131T120000Z",
    "2026-W05-6",
    "2026-031",
    "2026-01-31T12:00:00",
    "2026-01-31T12:00",
    "2026-01-31T12Z",
    "2026-01-31T",
    "2026-01-31Z",
    "2026-01-31+01:00",
    "2026-01-31 12:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T12:60:00Z",
    "2026-01-31T12:00:60Z",
    "2026-01-31T12:00:00.Z",
    "2026-01-31T12:00:00,5Z",
    "2026-01-31T12:00:00.1234567890Z",
    "2026-01-31T12:00.5Z",
    "2026-01-31T12:00:00+24:00",
    "2026-01-31T12:00:00+01:60",
    "2026-01-31T12:00:00+1:00",
    "2026-01-31T12:00:00+01:0",
    "2026-01-31T12:00:00UTC",
    "2026-01-31T12:00:00Z ",
    " 2026-01-31T12:00:00Z",
    "2026-01-31T12:00:00Z\n",
    "2026-01-31T12:00:00ZZ",
    "2026/01/31",
    "31.01.2026",
    "Sat, 31 Jan 2026 12:00:00 GMT",
    "1769860800000",
    "２０２６-01-31",
  ];
  for (const text of wrong) assert.equal(parseDate(text), null, JSON.stringify(text));
});
