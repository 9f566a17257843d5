import assert from "node:assert/strict";
import { BY_KEY } from "@/tests/support/authorship.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import type { Services } from "../services.ts";
import type { Json, ListQuery, Records } from "../store/port.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { type CollectionDefinition } from "./fields.ts";
import { findViolations, rulesBetween, violationText } from "./violations.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";

const definition = (...fields: Record<string, unknown>[]): CollectionDefinition =>
  parseDefinition({ name: "posts", rls: { enabled: false }, fields });

const BEFORE = definition();
const id = (n: number) => n.toString(16).padStart(24, "0");

/** Stores documents without validation, in the order of their ids. */
async function storeDocuments(
  { engine }: Services,
  ...documents: readonly { readonly [name: string]: Json }[]
): Promise<Records<StoredDocument>> {
  const records = engine.records<StoredDocument>(
    PROJECT,
    compileCollection(BEFORE).records,
    BY_KEY,
  );
  await records.insertMany(documents.map((members, n) => ({
    _id: id(n + 1),
    ...members,
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T12:00:00.000Z",
    isDeleted: members.isDeleted === true,
    deletedAt: null,
  })));
  return records;
}

/** Returns the violations as texts with the number of the document. */
async function foundViolations(
  records: Records<StoredDocument>,
  after: CollectionDefinition,
  before = BEFORE,
): Promise<string[]> {
  return (await findViolations(records, rulesBetween(before, after))).map((one) =>
    `${parseInt(one.id, 16)} ${violationText(one)}`
  );
}

Deno.test("values of another type are violations; missing and null values are not", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(opened.services, { a: "x" }, { a: 1 }, { a: null }, {}, {
    a: [],
  });
  assert.deepEqual(await foundViolations(records, definition({ key: "a", type: "String" })), [
    '2 "a" must be a String',
    '5 "a" must be a String',
  ]);
});

Deno.test("large documents are read one by one, small documents in pages", async () => {
  await using opened = await openTestServices();
  const sizes = [...Array(8).fill(1_000_000), ...Array(600).fill(10)];
  const records = await storeDocuments(
    opened.services,
    ...sizes.map((size) => ({ a: "x".repeat(size) })),
  );
  const pages: number[] = [];
  const watched = new Proxy(records, {
    get: (to, name) =>
      name !== "list" ? Reflect.get(to, name, to).bind(to) : async (query: ListQuery) => {
        const page = await to.list(query);
        pages.push(page.items.length);
        return page;
      },
  });
  assert.deepEqual(await foundViolations(watched, definition({ key: "b", type: "Number" })), []);
  assert.ok(Math.max(...pages) < 1_500_000, `pages of ${pages} characters`);
  assert.ok(pages.length < 20, `${pages.length} pages`);
});

Deno.test("a newly required field must be present", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(opened.services, { a: "" }, {}, { a: null });
  const text = definition({ key: "a", type: "String" });
  const required = definition({ key: "a", type: "String", required: true });
  assert.deepEqual(await foundViolations(records, required, text), [
    '2 "a" is required',
    '3 "a" is required',
  ]);
});

Deno.test("a newly required member of an object must be present", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(opened.services, { o: { p: 1 } }, { o: {} }, {}, {
    o: null,
  });
  const object = (required: boolean) =>
    definition({ key: "o", type: "Object", fields: [{ key: "p", type: "Number", required }] });
  const why = await foundViolations(records, object(true), object(false));
  assert.equal(why.length, 1, why.join());
  assert.match(why[0]!, /^2 "o" .*required/);
});

Deno.test("values in objects and lists are checked", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(opened.services, { o: { p: "x" } }, { o: { p: 1 } }, {
    l: [1, "2"],
  });
  const after = definition(
    { key: "o", type: "Object", fields: [{ key: "p", type: "Number" }] },
    { key: "l", type: "Array", items: { type: "Number" } },
  );
  const why = await foundViolations(records, after);
  assert.equal(why.length, 2);
  assert.match(why[0]!, /^1 "o.*" must be a Number$/);
  assert.match(why[1]!, /^3 "l.*" must be a Number$/);
});

Deno.test("dates and ids must be in their stored form", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(
    opened.services,
    { on: "2026-01-31T00:00:00.000Z", r: "66f1a0c2e4b0a1b2c3d4e5f6" },
    { on: "2026-01-31" },
    { r: "66F1A0C2E4B0A1B2C3D4E5F6" },
    { on: "tomorrow" },
  );
  const after = definition({ key: "on", type: "Date" }, { key: "r", type: "Ref", ref: "posts" });
  const why = await foundViolations(records, after);
  assert.deepEqual(why.slice(0, 2), [
    '2 "on" is not in its stored form',
    '3 "r" is not in its stored form',
  ]);
  assert.match(why[2]!, /^4 "on" must be an ISO 8601 date/);
});

Deno.test("a repeated value of a unique field is a violation, except null and in the trash", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(
    opened.services,
    { n: 1 },
    { n: 1, isDeleted: true },
    { n: null },
    { n: null },
    { n: 2 },
    { n: 1 },
  );
  const unique = definition({ key: "n", type: "Number", unique: true });
  assert.deepEqual(await foundViolations(records, unique), ['6 "n" is not unique']);
});

Deno.test("unchanged fields and fields that are no longer declared are not checked", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(opened.services, { a: 1 });
  const text = definition({ key: "a", type: "String" });
  const indexed = definition({ key: "a", type: "String", index: true, default: "x" });
  assert.deepEqual(await foundViolations(records, text, text), []);
  assert.deepEqual(await foundViolations(records, indexed, text), []);
  assert.deepEqual(await foundViolations(records, BEFORE, text), []);
});

Deno.test("each document is reported once, and at most ten documents", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(
    opened.services,
    ...Array.from({ length: 30 }, () => ({ a: 1, b: 1 })),
  );
  const after = definition({ key: "a", type: "String" }, { key: "b", type: "String" });
  const why = await foundViolations(records, after);
  assert.deepEqual(why.map((one) => Number(one.split(" ")[0])), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

Deno.test("all pages of a large collection are checked, and uniqueness across pages", async () => {
  await using opened = await openTestServices();
  const bodies = Array.from({ length: 1201 }, (_, n) => ({ n: n === 1200 ? 3 : n }));
  const records = await storeDocuments(opened.services, ...bodies);
  const unique = definition({ key: "n", type: "Number", unique: true });
  assert.deepEqual(await foundViolations(records, unique), ['1201 "n" is not unique']);
});

Deno.test("an owner field that row-level security adds is checked", async () => {
  await using opened = await openTestServices();
  const records = await storeDocuments(opened.services, { userId: "a" }, { userId: 5 });
  const owned = parseDefinition({ name: "posts" });
  assert.deepEqual(await foundViolations(records, owned), ['2 "userId" must be a String']);
});
