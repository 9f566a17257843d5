import assert from "node:assert/strict";
import { BY_KEY } from "@/tests/support/authorship.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import type { Services } from "../services.ts";
import type { Json, ListQuery, Records } from "../store/port.ts";
import { compileCollection, type StoredDocument } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { type CollectionDefinition } from "./fields.ts";
import { findViolations, newRules, whyOf } from "./violations.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";

const definition = (...fields: Record<string, unknown>[]): CollectionDefinition =>
  parseDefinition({ name: "posts", rls: { enabled: false }, fields });

const BEFORE = definition();
const id = (n: number) => n.toString(16).padStart(24, "0");

/** Stores documents as they are, in the order of their ids. */
async function stored(
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

/** `number why` of the documents that do not fit. */
async function found(
  records: Records<StoredDocument>,
  after: CollectionDefinition,
  before = BEFORE,
): Promise<string[]> {
  return (await findViolations(records, newRules(before, after))).map((one) =>
    `${parseInt(one.id, 16)} ${whyOf(one)}`
  );
}

Deno.test("documents of another type do not fit, missing and null values do", async () => {
  await using opened = await openTestServices();
  const records = await stored(opened.services, { a: "x" }, { a: 1 }, { a: null }, {}, { a: [] });
  assert.deepEqual(await found(records, definition({ key: "a", type: "String" })), [
    '2 "a" must be a String',
    '5 "a" must be a String',
  ]);
});

Deno.test("large documents are looked at one by one, small ones in pages", async () => {
  await using opened = await openTestServices();
  const sizes = [...Array(8).fill(1_000_000), ...Array(600).fill(10)];
  const records = await stored(opened.services, ...sizes.map((size) => ({ a: "x".repeat(size) })));
  const pages: number[] = [];
  const watched = new Proxy(records, {
    get: (to, name) =>
      name !== "list" ? Reflect.get(to, name, to).bind(to) : async (query: ListQuery) => {
        const page = await to.list(query);
        pages.push(page.items.length);
        return page;
      },
  });
  assert.deepEqual(await found(watched, definition({ key: "b", type: "Number" })), []);
  assert.ok(Math.max(...pages) < 1_500_000, `pages of ${pages} characters`);
  assert.ok(pages.length < 20, `${pages.length} pages`);
});

Deno.test("a field that is newly required must be there", async () => {
  await using opened = await openTestServices();
  const records = await stored(opened.services, { a: "" }, {}, { a: null });
  const text = definition({ key: "a", type: "String" });
  const required = definition({ key: "a", type: "String", required: true });
  assert.deepEqual(await found(records, required, text), [
    '2 "a" is required',
    '3 "a" is required',
  ]);
});

Deno.test("a member of an object that is newly required must be there", async () => {
  await using opened = await openTestServices();
  const records = await stored(opened.services, { o: { p: 1 } }, { o: {} }, {}, { o: null });
  const object = (required: boolean) =>
    definition({ key: "o", type: "Object", fields: [{ key: "p", type: "Number", required }] });
  const why = await found(records, object(true), object(false));
  assert.equal(why.length, 1, why.join());
  assert.match(why[0]!, /^2 "o" .*required/);
});

Deno.test("what lies in objects and lists is looked at", async () => {
  await using opened = await openTestServices();
  const records = await stored(opened.services, { o: { p: "x" } }, { o: { p: 1 } }, {
    l: [1, "2"],
  });
  const after = definition(
    { key: "o", type: "Object", fields: [{ key: "p", type: "Number" }] },
    { key: "l", type: "Array", items: { type: "Number" } },
  );
  const why = await found(records, after);
  assert.equal(why.length, 2);
  assert.match(why[0]!, /^1 "o.*" must be a Number$/);
  assert.match(why[1]!, /^3 "l.*" must be a Number$/);
});

Deno.test("dates and ids must be there in the form in which they are compared", async () => {
  await using opened = await openTestServices();
  const records = await stored(
    opened.services,
    { on: "2026-01-31T00:00:00.000Z", r: "66f1a0c2e4b0a1b2c3d4e5f6" },
    { on: "2026-01-31" },
    { r: "66F1A0C2E4B0A1B2C3D4E5F6" },
    { on: "tomorrow" },
  );
  const after = definition({ key: "on", type: "Date" }, { key: "r", type: "Ref", ref: "posts" });
  const why = await found(records, after);
  assert.deepEqual(why.slice(0, 2), [
    '2 "on" is not in its stored form',
    '3 "r" is not in its stored form',
  ]);
  assert.match(why[2]!, /^4 "on" must be an ISO 8601 date/);
});

Deno.test("a value stands once in a unique field, not counting null and the trash", async () => {
  await using opened = await openTestServices();
  const records = await stored(
    opened.services,
    { n: 1 },
    { n: 1, isDeleted: true },
    { n: null },
    { n: null },
    { n: 2 },
    { n: 1 },
  );
  const unique = definition({ key: "n", type: "Number", unique: true });
  assert.deepEqual(await found(records, unique), ['6 "n" is not unique']);
});

Deno.test("fields that did not change are not looked at, nor those no longer declared", async () => {
  await using opened = await openTestServices();
  const records = await stored(opened.services, { a: 1 });
  const text = definition({ key: "a", type: "String" });
  const indexed = definition({ key: "a", type: "String", index: true, default: "x" });
  assert.deepEqual(await found(records, text, text), []);
  assert.deepEqual(await found(records, indexed, text), []);
  assert.deepEqual(await found(records, BEFORE, text), []);
});

Deno.test("one document is named once, and ten documents at most", async () => {
  await using opened = await openTestServices();
  const records = await stored(
    opened.services,
    ...Array.from({ length: 30 }, () => ({ a: 1, b: 1 })),
  );
  const after = definition({ key: "a", type: "String" }, { key: "b", type: "String" });
  const why = await found(records, after);
  assert.deepEqual(why.map((one) => Number(one.split(" ")[0])), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

Deno.test("every page of a large collection is looked at, across pages for uniqueness too", async () => {
  await using opened = await openTestServices();
  const bodies = Array.from({ length: 1201 }, (_, n) => ({ n: n === 1200 ? 3 : n }));
  const records = await stored(opened.services, ...bodies);
  const unique = definition({ key: "n", type: "Number", unique: true });
  assert.deepEqual(await found(records, unique), ['1201 "n" is not unique']);
});

Deno.test("an owner field that comes with row-level security is looked at", async () => {
  await using opened = await openTestServices();
  const records = await stored(opened.services, { userId: "a" }, { userId: 5 });
  const owned = parseDefinition({ name: "posts" });
  assert.deepEqual(await found(records, owned), ['2 "userId" must be a String']);
});
