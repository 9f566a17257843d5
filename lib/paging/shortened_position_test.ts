import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Definition, Position, SortKey, StoredRecord } from "../store/port.ts";
import { restorePosition, shortenPosition, successorOfPrefix } from "./shortened_position.ts";

const DEFINITION: Definition = {
  name: "texts",
  fields: { a: { type: "String" }, b: { type: "String" }, n: { type: "Number" } },
  indexes: [],
  trash: false,
};

const SORT: readonly SortKey[] = [
  { path: "n", descending: false },
  { path: "a", descending: true },
  { path: "b", descending: false },
];

const LONG = "x".repeat(5000);

const idOf = (n: number) => n.toString(16).padStart(24, "0");
const row = (id: number, a: string, n = 1): StoredRecord => ({ _id: idOf(id), n, a, b: "b" });

/** Stores records, and returns a function that restores the shortened position of the first one. */
async function storeRows(...rows: readonly StoredRecord[]) {
  const opened = await openTestServices();
  const records = opened.services.engine.records("66f1a0c2e4b0a1b2c3d4e5f6", DEFINITION);
  await records.insertMany(rows);
  const { _id, n, a, b } = rows[0]!;
  const position: Position = { id: _id, values: [n, a, b] as (string | number)[] };
  const list = { records, filter: ALL, sort: SORT };
  const restore = (more = {}) => restorePosition({ ...list, ...more }, shortenPosition(position));
  return { ...opened, records, position, restore };
}

const refused = (work: () => Promise<unknown>) =>
  assert.rejects(work, { code: "INVALID_CURSOR", status: 400 });

Deno.test("successorOfPrefix returns the first text after all texts with a prefix", () => {
  assert.equal(successorOfPrefix("a"), "b");
  assert.equal(successorOfPrefix("ab"), "ac");
  assert.equal(successorOfPrefix("a\ud7ff"), "a\ue000");
  assert.equal(successorOfPrefix("a\uffff"), "a\u{10000}");
  assert.equal(successorOfPrefix("a\u{10ffff}\u{10ffff}"), "b");
  assert.equal(successorOfPrefix("\u{10ffff}"), null);
  assert.equal(successorOfPrefix(""), null);
});

Deno.test("shortenPosition cuts only the values that exceed their share of the size", () => {
  const position: Position = { id: idOf(1), values: [7, "short", LONG, "é".repeat(5000), null] };
  const { values, firstCut } = shortenPosition(position);
  assert.equal(firstCut, 2);
  assert.deepEqual(values, [7, "short", "x".repeat(254), "é".repeat(127), null]);
  const complete = shortenPosition({ id: idOf(1), values: ["short"], exact: LONG });
  assert.deepEqual([complete.values, complete.firstCut], [["short"], null]);
});

Deno.test("shortenPosition does not cut within a character or an escape", () => {
  const cut = (text: string) => shortenPosition({ id: idOf(1), values: [text] }).values[0];
  assert.equal(cut("😀".repeat(500)), "😀".repeat(319));
  assert.equal(cut("\u0001".repeat(500)), "\u0001".repeat(213));
  assert.equal(cut(`${"x".repeat(1278)}`), "x".repeat(1278));
  assert.equal(cut(`${"x".repeat(1277)}é`), "x".repeat(1277));
});

Deno.test("restorePosition uses the record, also if others have the same beginning", async () => {
  await using place = await storeRows(row(1, `${LONG}a`), row(2, `${LONG}b`), row(3, LONG));
  assert.deepEqual(await place.restore(), place.position);
  // The record need not be in the list any longer.
  assert.deepEqual(await place.restore({ filter: eq("n", 2) }), place.position);
  await place.records.updateOne(eq("_id", idOf(1)), { set: { other: 1 } });
  assert.deepEqual(await place.restore(), place.position);
});

Deno.test("restorePosition uses the beginning of a deleted record if it is unique", async () => {
  await using place = await storeRows(
    row(1, `${LONG}a`),
    row(2, "x"),
    row(3, `${LONG}a`, 2),
    row(4, "y"),
  );
  await place.records.deleteOne(eq("_id", idOf(1)));
  const { id, values } = await place.restore();
  assert.deepEqual([id, values], [idOf(1), [1, "x".repeat(424), "b"]]);
});

Deno.test("restorePosition uses new values of a record that have the same beginning", async () => {
  await using place = await storeRows(row(1, `${LONG}a`), row(2, "x"));
  await place.records.updateOne(eq("_id", idOf(1)), { set: { a: `${LONG}z` } });
  assert.deepEqual(await place.restore(), { id: idOf(1), values: [1, `${LONG}z`, "b"] });
  await place.records.updateOne(eq("_id", idOf(1)), { set: { a: "q" } });
  assert.deepEqual((await place.restore()).values[1], "x".repeat(424));
});

Deno.test("restorePosition rejects a position that cannot be determined", async () => {
  await using place = await storeRows(row(1, `${LONG}a`), row(2, `${LONG}b`));
  await place.records.updateOne(eq("_id", idOf(1)), { set: { a: "q" } });
  await refused(place.restore);
  // Other records matter only if they are in the list.
  await place.restore({ filter: eq("_id", idOf(1)) });
  await place.records.deleteOne(eq("_id", idOf(1)));
  await refused(place.restore);
  await place.records.deleteOne(eq("_id", idOf(2)));
  await place.restore();
});
