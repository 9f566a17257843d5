import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  UNKNOWN_ID,
} from "./test_collection.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "views", type: "Number" },
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "twin", type: "Ref", ref: "posts" },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "any", type: "Array" },
  { key: "open", type: "Object" },
];

const VIOLATIONS: Record<string, readonly unknown[]> = {
  title: [1, true, {}, []],
  views: ["1", true, {}, [1]],
  live: [0, 1, "true", {}],
  at: [1, "tomorrow"],
  twin: ["abc", 1, "g".repeat(24), {}, `${UNKNOWN_ID}0`],
  meta: ["x", 1, [], { lang: 1 }],
  tags: ["x", {}, [1], ["x", {}], [["x"]]],
  any: [{}, "x"],
  open: [[], "x"],
};

async function writeEach(collection: TestCollection, id: string, body: unknown): Promise<Answer[]> {
  return [
    await collection.asSecret({ body }),
    await collection.asSecret({ path: "/bulk", body: [{ title: "fits" }, body] }),
    await collection.asSecret({ method: "PUT", path: `/${id}`, body }),
    await collection.asSecret({ method: "PATCH", path: `/${id}`, body }),
  ];
}

Deno.test("a value of another type than declared is refused on every write", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const { _id: id } = await collection.insertOne();
  await collection.untouched(async () => {
    for (const [field, values] of Object.entries(VIOLATIONS)) {
      for (const value of values) {
        for (const answer of await writeEach(collection, id, { [field]: value })) {
          refused(answer, 400, "INVALID_DOCUMENT", field);
        }
      }
    }
    const path = { method: "PATCH", path: `/${id}`, body: { "meta.lang": 1 } };
    refused(await collection.asSecret(path), 400, "INVALID_DOCUMENT", "meta.lang");
  });
});

Deno.test("null fits every declared field", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const { _id: id } = await collection.insertOne();
  const nulls = Object.fromEntries(FIELDS.map(({ key }) => [key, null]));
  for (const body of [nulls, { meta: { lang: null }, tags: [null] }]) {
    for (const answer of await writeEach(collection, id, body)) {
      assert.ok(answer.status < 300, answer.text);
    }
    const { data } = (await collection.read(id)).body;
    for (const [field, value] of Object.entries(body)) assert.deepEqual(data[field], value);
  }
});

Deno.test("a required field must be present and not null, on POST, bulk, PUT and PATCH", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [
      { key: "title", type: "String", required: true },
      { key: "meta", type: "Object", fields: [{ key: "lang", type: "String", required: true }] },
    ],
  });
  const { _id: id } = await collection.insertOne({ title: "one", meta: { lang: "it" } });
  const patch = (body: unknown) => collection.asSecret({ method: "PATCH", path: `/${id}`, body });
  await collection.untouched(async () => {
    for (const meta of [{}, { lang: null }]) {
      for (const answer of await writeEach(collection, id, { title: "two", meta })) {
        refused(answer, 400, "INVALID_DOCUMENT", "meta.lang");
      }
    }
    for (const answer of await writeEach(collection, id, { title: null })) {
      refused(answer, 400, "INVALID_DOCUMENT", "title");
    }
    refused(await patch({ "meta.lang": null }), 400, "INVALID_DOCUMENT", "meta.lang");
    for (
      const call of [
        { body: { other: 1 } },
        { path: "/bulk", body: [{ title: "two" }, { other: 1 }] },
        { method: "PUT", path: `/${id}`, body: { other: 1 } },
      ]
    ) refused(await collection.asSecret(call), 400, "INVALID_DOCUMENT", "title");
  });
  assert.equal(ok(await patch({ other: 1 })).title, "one");
});

Deno.test("a default fills a missing field on POST, bulk and PUT, not on PATCH, and never null", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [
      { key: "status", type: "String", default: "draft", required: true },
      { key: "views", type: "Number", default: 0 },
      { key: "live", type: "Boolean", default: false },
      { key: "at", type: "Date", default: "2026-01-31T12:00:00+02:00" },
      { key: "tags", type: "Array", default: ["new"] },
      { key: "meta", type: "Object", fields: [{ key: "lang", type: "String", default: "en" }] },
    ],
  });
  const filled = {
    status: "draft",
    views: 0,
    live: false,
    at: "2026-01-31T10:00:00.000Z",
    tags: ["new"],
  };
  const subset = (document: { [name: string]: unknown }) =>
    Object.fromEntries(Object.keys(filled).map((key) => [key, document[key]]));
  const posted = await collection.insertOne({ meta: {} });
  assert.deepEqual(subset(posted), filled);
  assert.deepEqual(posted.meta, { lang: "en" });
  const { ids } = ok(await collection.asSecret({ path: "/bulk", body: [{}] }), 201);
  const bulk = (await collection.read(ids[0])).body.data;
  assert.deepEqual(subset(bulk), filled);
  assert.equal("meta" in bulk, false);

  const patch = { method: "PATCH", path: `/${posted._id}`, body: { views: null, status: "live" } };
  assert.equal(ok(await collection.asSecret(patch)).views, null);
  ok(await collection.asSecret({ method: "PATCH", path: `/${posted._id}`, body: { n: 1 } }));
  assert.equal((await collection.read(posted._id)).body.data.views, null);
  const put = ok(
    await collection.asSecret({ method: "PUT", path: `/${posted._id}`, body: { views: null } }),
  );
  assert.deepEqual(subset(put), { ...filled, views: null });
});

Deno.test("a default also fills members of objects within lists", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{
      key: "lines",
      type: "Array",
      items: { type: "Object", fields: [{ key: "count", type: "Number", default: 1 }] },
    }],
  });
  const stored = await collection.insertOne({ lines: [{}, { count: 5 }, { count: null }, null] });
  assert.deepEqual(stored.lines, [{ count: 1 }, { count: 5 }, { count: null }, null]);
});

Deno.test("a strict collection refuses undeclared members at every declared level", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: true });
  const { _id: id } = await collection.insertOne({ meta: {} });
  await collection.untouched(async () => {
    for (const body of [{ other: 1 }, { meta: { lang: "x", other: 1 } }]) {
      for (const answer of await writeEach(collection, id, body)) {
        refused(answer, 400, "INVALID_DOCUMENT", "is not declared");
      }
    }
    for (const body of [{ "meta.other": 1 }, { "other.a": 1 }]) {
      const answer = await collection.asSecret({ method: "PATCH", path: `/${id}`, body });
      refused(answer, 400, "INVALID_DOCUMENT", "is not declared");
    }
  });
  const open = { open: { anything: [1] }, any: [{ goes: true }], userId: "somebody" };
  for (const answer of await writeEach(collection, id, open)) {
    assert.ok(answer.status < 300, answer.text);
  }
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { "open.more": 1 } }));
});

Deno.test("a collection that is not strict keeps undeclared members", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const body = { other: { a: [1, "two", null, true] }, meta: { lang: "it", more: 1 } };
  const stored = await collection.insertOne(body);
  assert.deepEqual(stored.other, body.other);
  assert.deepEqual(stored.meta, body.meta);
});

Deno.test("a body that is not an object is refused on every write of one document", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.untouched(async () => {
    for (const body of ["[]", "[{}]", "null", "1", "true", '"text"']) {
      for (
        const call of [{}, { method: "PUT", path: `/${id}` }, { method: "PATCH", path: `/${id}` }]
      ) {
        refused(await collection.asSecret({ ...call, body }), 400, "INVALID_BODY", "object");
      }
    }
  });
});
