import assert from "node:assert/strict";
import fc from "fast-check";
import { RANGES_MAX } from "../limits.ts";
import { readRanges } from "./ranges.ts";

/** Returns the indexes of the bytes that a range specifies. */
function bytesOf(spec: string, bytes: number): number[] {
  const [first, last] = spec.split("-");
  const all = Array.from({ length: bytes }, (_, i) => i);
  if (first === "") return last === "0" ? [] : all.slice(-Number(last));
  return all.filter((at) => at >= Number(first) && (last === "" || at <= Number(last)));
}

const number = fc.nat({ max: 30 });
const spec = fc.oneof(
  number.map((first) => `${first}-`),
  number.map((length) => `-${length}`),
  fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
);

Deno.test("readRanges returns each requested byte exactly once and in order", () => {
  const specs = fc.array(spec, { minLength: 1, maxLength: RANGES_MAX });
  fc.assert(fc.property(specs, fc.integer({ min: 1, max: 25 }), (specs, bytes) => {
    const wanted = new Set(specs.flatMap((spec) => bytesOf(spec, bytes)));
    const header = `bytes=${specs.join(",")}`;
    if (wanted.size === 0) {
      assert.throws(() => readRanges(header, bytes), { code: "RANGE_NOT_SATISFIABLE" });
      return;
    }
    const ranges = readRanges(header, bytes)!;
    const sent = ranges.flatMap(({ offset, length }) =>
      Array.from({ length }, (_, i) => offset + i)
    );
    assert.deepEqual(sent, [...wanted].sort((a, b) => a - b), header);
    for (const [i, { offset }] of ranges.entries()) {
      const before = ranges[i - 1];
      assert.ok(before === undefined || before.offset + before.length < offset, "joined");
    }
  }));
});

Deno.test("readRanges returns ranges within the file, null or a problem for any header", () => {
  const character = fc.constantFrom(..."0123456789-,= \tbytes;x+.");
  const text = fc.string({ unit: character, maxLength: 40 });
  const header = fc.oneof(text, text.map((rest) => `bytes=${rest}`), fc.string());
  fc.assert(fc.property(header, fc.integer({ min: 1, max: 1e9 }), (header, bytes) => {
    try {
      for (const { offset, length } of readRanges(header, bytes) ?? []) {
        assert.ok(Number.isInteger(offset) && Number.isInteger(length));
        assert.ok(offset >= 0 && length >= 1 && offset + length <= bytes);
      }
    } catch (error) {
      const { code, fileBytes } = error as { code?: string; fileBytes?: number };
      assert.deepEqual([code, fileBytes], ["RANGE_NOT_SATISFIABLE", bytes], header);
    }
  }));
});
