import assert from "node:assert/strict";
import { dayOf, isTimeZone, resolveDate, toClockTime } from "./zoned_dates.ts";

const at = (time: string, timeZone: string) => ({ now: Date.parse(time), timeZone });

Deno.test("resolveDate begins a day at local midnight, also around a change of clocks", () => {
  const table = [
    ["2026-01-30", "UTC", "2026-01-30T00:00:00.000Z"],
    ["2026-01-30", "Europe/Berlin", "2026-01-29T23:00:00.000Z"],
    ["2026-07-30", "Europe/Berlin", "2026-07-29T22:00:00.000Z"],
    ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
    ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
    ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
    ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
    ["2026-01-30", "America/New_York", "2026-01-30T05:00:00.000Z"],
    ["2026-01-30", "Asia/Kolkata", "2026-01-29T18:30:00.000Z"],
    ["2026-01-30", "Pacific/Auckland", "2026-01-29T11:00:00.000Z"],
    ["2026-02-30", "UTC", null],
  ] as const;
  for (const [text, zone, expected] of table) {
    assert.equal(resolveDate(text, at("2026-01-31T12:00:00Z", zone)), expected, `${text} ${zone}`);
  }
});

Deno.test("resolveDate uses the request's time zone for times without a zone", () => {
  const berlin = at("2026-01-31T12:00:00Z", "Europe/Berlin");
  const table = {
    "2026-01-30T10:00": "2026-01-30T09:00:00.000Z",
    "2026-01-30 10:00:30": "2026-01-30T09:00:30.000Z",
    "2026-01-30T10:00:00.5": "2026-01-30T09:00:00.500Z",
    "2026-01-30T10:00:00Z": "2026-01-30T10:00:00.000Z",
    "2026-01-30T10:00:00+05:30": "2026-01-30T04:30:00.000Z",
    // An hour that occurs twice, and one that is skipped.
    "2026-10-25T02:30": "2026-10-25T00:30:00.000Z",
    "2026-03-29T02:30": "2026-03-29T01:30:00.000Z",
  };
  for (const [text, expected] of Object.entries(table)) {
    assert.equal(resolveDate(text, berlin), expected, text);
  }
});

Deno.test("resolveDate resolves words for days in the request's time zone", () => {
  const late = at("2026-01-31T23:30:00Z", "Europe/Berlin");
  assert.equal(resolveDate("now", late), "2026-01-31T23:30:00.000Z");
  assert.equal(resolveDate("Today", late), "2026-01-31T23:00:00.000Z");
  assert.equal(resolveDate("yesterday", late), "2026-01-30T23:00:00.000Z");
  assert.equal(resolveDate(" tomorrow ", late), "2026-02-01T23:00:00.000Z");
  assert.equal(resolveDate("today", { ...late, timeZone: "UTC" }), "2026-01-31T00:00:00.000Z");
});

Deno.test("resolveDate returns null for other texts", () => {
  const now = at("2026-01-31T12:00:00Z", "UTC");
  for (const text of ["", "soon", "31.01.2026", "2026", "1769860800000", "constructor", "12:00"]) {
    assert.equal(resolveDate(text, now), null, text);
  }
  for (const text of ["0000-01-01", "9999-12-31T23:59"]) {
    const resolved = resolveDate(text, { ...now, timeZone: "America/New_York" });
    assert.ok(resolved === null || /^\d{4}-/.test(resolved), `${text}: ${resolved}`);
  }
});

Deno.test("toClockTime formats a time with its offset", () => {
  const noon = Date.parse("2026-01-31T12:00:00Z");
  assert.equal(toClockTime(noon, "Asia/Kolkata"), "2026-01-31T17:30:00+05:30");
  assert.equal(toClockTime(noon, "America/St_Johns"), "2026-01-31T08:30:00-03:30");
  assert.equal(toClockTime(noon, "UTC"), "2026-01-31T12:00:00+00:00");
  assert.equal(dayOf(noon, "Pacific/Auckland"), "2026-02-01");
  for (const name of ["UTC", "Europe/Berlin", "+02:00"]) assert.ok(isTimeZone(name), name);
  for (const name of ["", "Mars/Olympus", "Europe/Berlin; drop", "local"]) {
    assert.ok(!isTimeZone(name), name);
  }
});
