import assert from "node:assert/strict";
import type { Bucket } from "./aggregation.ts";
import { bucketOf, bucketStart, offsetsOf, zoneName } from "./calendar.ts";

/** Returns the start of the interval that contains a time. */
function startOf(unit: Bucket, timeZone: string, time: string): string {
  const zone = offsetsOf(timeZone);
  return new Date(bucketStart(unit, zone, bucketOf(unit, zone, Date.parse(time)))).toISOString();
}

Deno.test("zoneName accepts zone names in any letter case and rejects offsets", () => {
  assert.equal(zoneName("europe/berlin"), "Europe/Berlin");
  assert.equal(zoneName("UTC"), "UTC");
  for (const text of ["+02:00", "Nowhere/Else", "", "x".repeat(65), "Europe/Berlin\0"]) {
    assert.equal(zoneName(text), null, text);
  }
});

Deno.test("a day without midnight begins at its first moment", () => {
  // Clocks in São Paulo went from 23:59 to 01:00.
  assert.equal(
    startOf("day", "America/Sao_Paulo", "2018-11-04T15:00:00Z"),
    "2018-11-04T03:00:00.000Z",
  );
});

Deno.test("a date that occurs twice is a single day that begins at the first occurrence", () => {
  // Clocks in St John's were put back at 00:01 to 23:01 of the day before.
  const first = "2010-11-07T02:30:00.000Z";
  for (const time of [first, "2010-11-07T03:30:00Z", "2010-11-07T12:00:00Z"]) {
    assert.equal(startOf("day", "America/St_Johns", time), first, time);
  }
  assert.equal(
    startOf("day", "America/St_Johns", "2010-11-07T02:45:00Z"),
    "2010-11-06T02:30:00.000Z",
  );
});

Deno.test("hours begin at the local full hour when clocks are set back by half an hour", () => {
  const zone = "Australia/Lord_Howe"; // From 02:00 (+11) to 01:30 (+10:30), at 15:00 UTC.
  assert.equal(startOf("hour", zone, "2026-04-04T14:59:00Z"), "2026-04-04T14:00:00.000Z");
  assert.equal(startOf("hour", zone, "2026-04-04T15:10:00Z"), "2026-04-04T14:30:00.000Z");
  assert.equal(startOf("hour", zone, "2026-04-04T15:40:00Z"), "2026-04-04T15:30:00.000Z");
});

Deno.test("the earliest and the latest dates have intervals", () => {
  assert.equal(startOf("month", "UTC", "0000-02-29T12:00:00Z"), "0000-02-01T00:00:00.000Z");
  assert.equal(startOf("year", "UTC", "0099-05-01T00:00:00Z"), "0099-01-01T00:00:00.000Z");
  assert.equal(startOf("week", "UTC", "9999-12-31T23:59:59.999Z"), "9999-12-27T00:00:00.000Z");
  assert.equal(
    startOf("day", "Asia/Kathmandu", "9999-12-31T23:59:59.999Z"),
    "9999-12-31T18:15:00.000Z",
  );
});

Deno.test("interval numbers ascend with time", () => {
  const zone = offsetsOf("America/New_York");
  const units: Bucket[] = ["hour", "day", "week", "month", "year"];
  for (const unit of units) {
    let before = -Infinity;
    for (let time = Date.UTC(2026, 0); time < Date.UTC(2027, 2); time += 1_234_567) {
      const bucket = bucketOf(unit, zone, time);
      assert.ok(bucket >= before, `${unit} ${new Date(time).toISOString()}`);
      assert.ok(bucketStart(unit, zone, bucket) <= time);
      before = bucket;
    }
  }
});
