import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, ok, refused } from "./test_collection.ts";

const STORED: Record<string, string> = {
  "2026-01-31": "2026-01-31T00:00:00.000Z",
  "2026-01-31T12:00:00Z": "2026-01-31T12:00:00.000Z",
  "2026-01-31T12:00Z": "2026-01-31T12:00:00.000Z",
  "2026-01-31T12:00:00.5Z": "2026-01-31T12:00:00.500Z",
  "2026-01-31T12:00:00.123Z": "2026-01-31T12:00:00.123Z",
  "2026-01-31T12:00:00.123999999Z": "2026-01-31T12:00:00.123Z",
  "2026-01-31T12:00:00+02:00": "2026-01-31T10:00:00.000Z",
  "2026-01-31T23:30:00-05:30": "2026-02-01T05:00:00.000Z",
  "2026-03-01T00:30:00+01:00": "2026-02-28T23:30:00.000Z",
  "2026-01-31T12:00:00+0200": "2026-01-31T10:00:00.000Z",
  "2026-01-31T12:00:00+02": "2026-01-31T10:00:00.000Z",
  "2026-01-31T12:00:00-00:00": "2026-01-31T12:00:00.000Z",
  "2024-02-29": "2024-02-29T00:00:00.000Z",
  "2000-02-29": "2000-02-29T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z": "1969-12-31T23:59:59.999Z",
  "0001-01-01": "0001-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
};

const REFUSED: readonly unknown[] = [
  "2026-02-29",
  "2026-02-30",
  "1900-02-29",
  "2026-04-31",
  "2026-04-31T10:00:00Z",
  "2026-13-01",
  "2026-00-10",
  "2026-01-00",
  "2026-01-32",
  "2026-01-31T12:00:00",
  "2026-01-31T12:00",
  "2026-01-31T25:00:00Z",
  "2026-01-31T12:60:00Z",
  "2026-01-31T12:00:61Z",
  "2026-01-31T12:00:00+24:00",
  "2026-01-31T12:00:00+02:60",
  "2026-01-31 12:00:00Z",
  "2026-01-31T12Z",
  "20260131",
  "2026-1-31",
  "26-01-31",
  "+010000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-01:00",
  "Sat, 31 Jan 2026 12:00:00 GMT",
  "yesterday",
  " 2026-01-31",
  "2026-01-31\n",
  "",
  0,
  1769860800000,
  true,
  {},
  ["2026-01-31"],
];

const FIELDS = [
  { key: "at", type: "Date", index: true },
  { key: "inner", type: "Object", fields: [{ key: "at", type: "Date" }] },
  { key: "list", type: "Array", items: { type: "Date" } },
];

Deno.test("a date is stored and returned in UTC with milliseconds, on every write", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const { _id: id } = await collection.insertOne();
  for (const [sent, stored] of Object.entries(STORED)) {
    const body = { at: sent, inner: { at: sent }, list: [sent, null] };
    const bulk = ok(await collection.asSecret({ path: "/bulk", body: [body] }), 201);
    const documents: Doc[] = [
      ok(await collection.asSecret({ body }), 201),
      ok(await collection.asSecret({ method: "PUT", path: `/${id}`, body })),
      ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body })),
      ok(
        await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { "inner.at": sent } }),
      ),
      ok(await collection.asSecret({ path: `/${bulk.ids[0]}` })),
    ];
    for (const document of documents) {
      assert.equal(document.at, stored);
      assert.deepEqual(document.inner, { at: stored });
      assert.deepEqual(document.list, [stored, null]);
    }
  }
});

Deno.test("an invalid date is refused on every write and stores nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const { _id: id } = await collection.insertOne({ inner: {} });
  await collection.untouched(async () => {
    for (const value of REFUSED) {
      for (const body of [{ at: value }, { inner: { at: value } }, { list: [value] }]) {
        const calls = [
          { body },
          { path: "/bulk", body: [{}, body] },
          { method: "PUT", path: `/${id}`, body },
          { method: "PATCH", path: `/${id}`, body },
        ];
        for (const call of calls) {
          refused(await collection.asSecret(call), 400, "INVALID_DOCUMENT", "ISO 8601");
        }
      }
      const part = { method: "PATCH", path: `/${id}`, body: { "inner.at": value } };
      refused(await collection.asSecret(part), 400, "INVALID_DOCUMENT", "ISO 8601");
    }
  });
});

Deno.test("a filter parses dates like a write, and refuses invalid ones", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  for (const [sent, stored] of Object.entries(STORED)) {
    const document = await collection.insertOne({ at: sent });
    const text = encodeURIComponent(sent);
    for (const query of [`at=${text}`, `at_in=${text}`, `where={"at":"${text}"}`]) {
      const found = ok(await collection.asSecret({ path: `?${query}&limit=1000` })).items as Doc[];
      assert.ok(found.some(({ _id }) => _id === document._id), `${query} misses ${stored}`);
      assert.ok(found.every(({ at }) => at === stored), `${query} finds another time`);
    }
  }
  for (const value of REFUSED.filter((one) => typeof one === "string")) {
    const text = encodeURIComponent(value as string);
    refused(await collection.asSecret({ path: `?at=${text}` }), 400, "INVALID_QUERY", "at");
    refused(await collection.asSecret({ path: `?at_gt=${text}` }), 400, "INVALID_QUERY", "at_gt");
    refused(
      await collection.asSecret({
        path: `?where=${encodeURIComponent(JSON.stringify({ at: value }))}`,
      }),
      400,
      "INVALID_QUERY",
      "where",
    );
  }
});

Deno.test("dates are compared by their time, in whatever time zone they were written", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(
    { n: 1, at: "2026-01-31T12:00:00+05:00" },
    { n: 2, at: "2026-01-31T08:00:00Z" },
    { n: 3, at: "2026-01-31T00:00:00-10:00" },
    { n: 4, at: "2026-01-31" },
    { n: 5, at: "1969-07-20T20:17:40Z" },
    { n: 6, at: null },
  );
  assert.deepEqual(await collection.names("sort=at"), [6, 5, 4, 1, 2, 3]);
  assert.deepEqual(await collection.names("sort=-at"), [3, 2, 1, 4, 5, 6]);
  assert.deepEqual(await collection.names("at_gt=2026-01-31T07:00:00Z&sort=at"), [2, 3]);
  assert.deepEqual(await collection.names("at_lte=2026-01-31T02:00:00-05:00&sort=at"), [5, 4, 1]);
  assert.deepEqual(await collection.names("at_lt=2026-01-31&sort=at"), [5]);
  assert.deepEqual(await collection.names("at_ne=2026-01-31T01:00:00%2B01:00&sort=at"), [
    6,
    5,
    1,
    2,
    3,
  ]);
});
