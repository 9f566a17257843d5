import assert from "node:assert/strict";
import { QueryTooSlow } from "../store/errors.ts";
import { compare, eq, not, within } from "../store/filter.ts";
import type { Definition, Filter, Json } from "../store/port.ts";
import { compileMatcher } from "./match.ts";

const LIMITS = { patternCostMax: 1_000_000 };
const SHAPE: Definition = {
  name: "things",
  fields: { text: { type: "String" }, number: { type: "Number" }, date: { type: "Date" } },
  indexes: [],
  trash: false,
  search: ["text"],
};

const _id = "0".repeat(24);

const matches = (filter: Filter, members: { [name: string]: Json }, revision?: number): boolean =>
  compileMatcher(SHAPE, filter, LIMITS)({ _id, ...members }, revision);

Deno.test("compileMatcher orders texts by UTF-8 bytes, not by UTF-16 units", () => {
  assert.equal(matches(compare("text", "gt", "\uFFFD"), { text: "😀" }), true);
  assert.equal(matches(compare("text", "lt", "😀"), { text: "\uFFFD" }), true);
  assert.equal(matches(compare("text", "gt", "a"), { text: "ab" }), true);
  assert.equal(matches(compare("text", "gte", "é"), { text: "z" }), false);
});

Deno.test("compileMatcher orders numbers whose difference overflows", () => {
  const largest = Number.MAX_VALUE;
  assert.equal(matches(compare("number", "gt", -largest), { number: largest }), true);
  assert.equal(matches(compare("number", "gte", largest), { number: -largest }), false);
});

Deno.test("compileMatcher matches nothing if the operand does not have the declared type", () => {
  assert.equal(matches(compare("number", "ne", "1"), { number: 1 }), true);
  assert.equal(matches(within("number", ["1", true]), { number: 1 }), false);
  assert.equal(matches(compare("date", "gt", 0), { date: "2026-01-31T12:00:00.000Z" }), false);
});

Deno.test("compileMatcher matches only the given revision", () => {
  assert.equal(matches({ op: "revision", value: 2 }, {}, 2), true);
  assert.equal(matches({ op: "revision", value: 2 }, {}, 3), false);
  assert.equal(matches({ op: "revision", value: 2 }, {}), false);
});

Deno.test("compileMatcher treats inherited members as missing", () => {
  assert.equal(matches({ op: "exists", path: "toString", value: true }, {}), false);
  assert.equal(matches(eq("constructor.name", "Object"), {}), false);
  assert.equal(matches(eq("constructor.name", null), {}), true);
});

Deno.test("compileMatcher searches the words of a record by the given definition", () => {
  const record = { _id, text: "first", other: "second" };
  const search = (word: string): Filter => ({ op: "search", words: [word] });
  const other: Definition = {
    ...SHAPE,
    fields: { other: { type: "String" } },
    search: ["other"],
  };
  assert.equal(compileMatcher(SHAPE, search("fir"), LIMITS)(record), true);
  assert.equal(compileMatcher(other, search("fir"), LIMITS)(record), false);
  assert.equal(compileMatcher(other, search("sec"), LIMITS)(record), true);
  assert.equal(compileMatcher(SHAPE, not(search("sec")), LIMITS)(record), true);
});

Deno.test("compileMatcher rejects a pattern that may block the thread in a long text", () => {
  const text = "a".repeat(1_000_000);
  const pattern = "a.{0,50}b";
  const filter: Filter = { op: "regex", path: "text", pattern };
  assert.throws(() => matches(filter, { text }), QueryTooSlow);
  assert.equal(matches(filter, { text: "a - b" }), true);
  assert.equal(matches({ ...filter, pattern: "ab" }, { text: `${text}B` }), true);
});
