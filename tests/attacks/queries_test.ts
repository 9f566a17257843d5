/** Queries that try to cost more than their length suggests. */

import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import {
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  times,
} from "../api/test_collection.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { processorMs } from "./cost.ts";

/** Milliseconds, a multiple of the server's usual time. */
const QUICK_MS = 1000;

/** Asserts that work uses little processor time, not counting the first call. */
async function assertQuick<T>(work: () => Promise<T>): Promise<T> {
  await work();
  const began = processorMs();
  const answer = await work();
  const took = processorMs() - began;
  assert.ok(took < QUICK_MS, `took ${Math.round(took)} ms`);
  return answer;
}

/** Returns the processor time of the fastest of a few runs, to exclude noise. */
async function fastestMs(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 4; run++) {
    const began = processorMs();
    await work();
    least = Math.min(least, processorMs() - began);
  }
  return Math.round(least);
}

const NO_CACHE = { "cache-control": "no-cache" };

const FREE = { fields: [{ key: "free", type: "Object" }, { key: "title", type: "String" }] };

const pathOf = (levels: number) => Array(levels).fill("a").join(".");

Deno.test("a path of many levels is refused before parsing in every part of a query", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  const path = `free.${pathOf(16_000)}`;
  for (
    const query of [
      `${path}=1`,
      `${path}_gt=1`,
      ...["sort", "fields", "populate"].map((name) => `${name}=${path}`),
    ]
  ) {
    const answer = await assertQuick(() => collection.asPublic({ path: `?${query}` }));
    refused(answer, 400, "INVALID_QUERY", "longer than 300 characters");
  }
  const where = encodeURIComponent(JSON.stringify({ [pathOf(1_500)]: 1 }));
  const answer = await assertQuick(() => collection.asPublic({ path: `?where=${where}` }));
  refused(answer, 400, "INVALID_QUERY", "longer than 300 characters");
});

Deno.test("dotted names beyond 20 levels or 300 characters are refused before parsing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  const { _id } = await collection.insertOne({ title: "t" });
  const change = (path: string) =>
    collection.asSecret({ method: "PATCH", path: `/${_id}`, body: { [path]: 1 } });
  await collection.untouched(async () => {
    for (
      const path of [`free.${pathOf(200_000)}`, `free.${pathOf(20)}`, `free.${"a".repeat(296)}`]
    ) {
      refused(await assertQuick(() => change(path)), 400, "INVALID_DOCUMENT");
    }
  });
  assert.equal((await change(`free.${"a".repeat(295)}`)).status, 200);
  assert.equal((await change(`free.${pathOf(19)}`)).status, 200);
});

Deno.test("30,000 levels and 30,000 names are refused", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  const queries = [
    `${pathOf(30_000)}=1`,
    `sort=${pathOf(30_000)}`,
    `fields=${Array(30_000).fill("a")}`,
  ];
  for (const query of queries) {
    const answer = await assertQuick(() => collection.asPublic({ path: `?${query}` }));
    refused(answer, 414, "QUERY_TOO_LONG");
  }
});

Deno.test("a query has at most 100 parameters and is not parsed further", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  for (const query of ["a&".repeat(32_500), "a&".repeat(16_000), "a&".repeat(101)]) {
    const answer = await assertQuick(() => collection.asPublic({ path: `?${query}` }));
    refused(answer, 414, "QUERY_TOO_LONG");
  }
  const most = [...times(50, (n) => `a=${n}`), "&&&"].join("&");
  assert.equal((await collection.asPublic({ path: `?${most}` })).status, 200);
});

Deno.test("a repeated name in fields is processed once", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  await manyDocuments(collection, 300);
  const listFields = (names: readonly string[]) =>
    collection.asPublic({ path: `?limit=1000&fields=${names}`, headers: NO_CACHE });
  const once = await fastestMs(() => listFields(["a"]));
  const often = await fastestMs(() => listFields(Array(16_000).fill("a")));
  assert.ok(often < 3 * once + 60, `took ${once} ms once, ${often} ms repeated`);
  const answer = await listFields(Array(4_000).fill("free.f1"));
  assert.deepEqual(Object.keys(answer.body.data.items[0]), ["_id", "free"]);
});

Deno.test("fields accepts 200 different names, to include or to exclude", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  await collection.insertOne({ free: { f0: 0, f199: 199, f200: 200 } });
  for (const [sign, free] of [["", { f0: 0, f199: 199 }], ["-", { f200: 200 }]] as const) {
    const fields = (count: number) => times(count, (n) => `${sign}free.f${n}`);
    const most = await collection.asPublic({ path: `?fields=${fields(200)}` });
    assert.deepEqual(ok(most).items[0].free, free);
    const more = await collection.asPublic({ path: `?fields=${fields(201)}` });
    refused(more, 400, "INVALID_QUERY", "more than 200 names");
  }
});

Deno.test("a query accepts a list of a thousand values and runs quickly", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  const ids = await manyDocuments(collection, 100);
  const others = times(900, (n) => n.toString(16).padStart(24, "0"));
  const list = [...ids, ...others].join(",");
  const answer = await assertQuick(() =>
    collection.asPublic({ path: `?limit=1000&_id_in=${list}` })
  );
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.data.items.length, 100);
  const more = await collection.asPublic({ path: `?_id_in=${list},${"f".repeat(24)}` });
  refused(more, 400, "INVALID_QUERY", "more than 1000 values");
});

Deno.test("a request is routed by its path, never by its query", async () => {
  await using app = await openTestApp();
  const serve = createApp(app.services);
  /** Sends a request whose target is an absolute address, as Deno.serve passes it on. */
  const messageAt = async (url: string): Promise<string> => {
    const request = Object.defineProperty(new Request("http://x/"), "url", { value: url });
    const response = await serve.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    return (await response.json()).message;
  };
  const [index, health] = await Promise.all([
    messageAt("http://x/"),
    messageAt("http://x/api/health"),
  ]);
  assert.notEqual(index, health);
  const addresses = ["?y=/api/health", "?/api/health", "#/api/health", "?y#/api/health", "?", ""];
  for (const rest of addresses) assert.equal(await messageAt(`http://x${rest}`), index, rest);
});

Deno.test("a cursor after a long text is short and is accepted", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, FREE);
  const long = "é漢\u0001".repeat(16_667);
  await collection.insert(...["a", "b", "c"].map((end) => ({ title: long + end })));
  const ends = (items: { title: string }[]) => items.map(({ title }) => title.at(-1));
  for (const [sort, order] of [["title", "abc"], ["-title", "cba"]] as const) {
    const page = async (cursor: string | null): Promise<Answer> => {
      const at = cursor === null ? "" : `&cursor=${cursor}`;
      const answer = await collection.asPublic({ path: `?limit=1&sort=${sort}${at}` });
      const { nextCursor, prevCursor } = ok(answer);
      for (const one of [nextCursor, prevCursor]) assert.ok(one === null || one.length <= 2048);
      return answer;
    };
    let answer = await page(null);
    const seen = ends(ok(answer).items);
    for (const _ of [1, 2]) {
      answer = await page(ok(answer).nextCursor);
      seen.push(...ends(ok(answer).items));
    }
    assert.equal(seen.join(""), order);
    assert.equal(ok(answer).nextCursor, null);
    for (const way of [order[1], order[0]]) {
      answer = await page(ok(answer).prevCursor);
      assert.deepEqual(ends(ok(answer).items), [way]);
    }
    assert.equal(ok(answer).prevCursor, null);
  }
});

/** Names with a special meaning in a driver, a language or a query. */
const ODD_NAMES = [
  "_bsontype",
  "toBSON",
  "toJSON",
  "hasOwnProperty",
  "length",
  "or",
  "not",
  "eq",
  "0",
];

Deno.test("a filter finds a field by its name, even a special name of the driver", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const name of ODD_NAMES) {
    const values = ["ObjectId", "Long", 5, null, { [name]: "ObjectId" }];
    await collection.insert(...values.map((value, n) => ({ n, of: name, [name]: value })));
    const named = (query: string) => collection.names(`of=${name}&sort=_id&${query}`);
    const where = (tree: unknown) => named(`where=${encodeURIComponent(JSON.stringify(tree))}`);
    assert.deepEqual(await named(`${name}=ObjectId`), [0], name);
    assert.deepEqual(await named(`${name}_ne=ObjectId`), [1, 2, 3, 4], name);
    assert.deepEqual(await named(`${name}_gt=4`), [0, 1, 2], name);
    assert.deepEqual(await named(`${name}_in=Long,5`), [1, 2], name);
    assert.deepEqual(await named(`${name}_nin=Long,5`), [0, 3, 4], name);
    assert.deepEqual(await named(`${name}_exists=false`), [], name);
    assert.deepEqual(await named(`${name}_regex=^l`), [1], name);
    assert.deepEqual(await named(`${name}=null`), [3], name);
    assert.deepEqual(await named(`${name}.${name}=ObjectId`), [4], name);
    assert.deepEqual(await named(`${name}.${name}_exists=true`), [4], name);
    if (name !== "or" && name !== "not") {
      assert.deepEqual(await where({ or: [{ [name]: "Long" }, { [name]: null }] }), [1, 3], name);
      assert.deepEqual(await where({ not: { [name]: { in: ["Long", null] } } }), [0, 2, 4], name);
    }
    const answer = await collection.asPublic({ path: `?fields=${name},${name}.${name}&${name}=5` });
    assert.deepEqual(ok(answer).items.map(({ [name]: value }: Record<string, unknown>) => value), [
      5,
    ]);
    refused(
      await collection.asPublic({ path: `?sort=${name}` }),
      400,
      "INVALID_QUERY",
      "cannot sort by",
    );
  }
});

Deno.test("a write stores a field by its name, even a special name of the driver", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const name of ODD_NAMES) {
    const value = { [name]: "ObjectId", id: [{ [name]: "Long" }] };
    const bulk = await collection.asSecret({
      path: "/bulk",
      body: [{ [name]: value }, { [name]: name }],
    });
    const [id] = ok(bulk, 201).ids as string[];
    assert.deepEqual((await collection.read(id!)).body.data[name], value);
    const write = async (method: string, body: unknown) =>
      ok(await collection.asSecret({ method, path: `/${id}`, body }))[name];
    assert.deepEqual(await write("PATCH", { [name]: [value] }), [value]);
    assert.deepEqual(await write("PATCH", { [name]: value }), value);
    const changed = { ...value, [name]: { [name]: "Int32" } };
    assert.deepEqual(await write("PATCH", { [`${name}.${name}`]: { [name]: "Int32" } }), changed);
    assert.deepEqual(await write("PUT", { [name]: value }), value);
    assert.equal((await collection.asSecret({ method: "DELETE", path: `/${id}` })).status, 200);
    const recovered = ok(
      await collection.asSecret({ path: `/${id}/recover`, method: "PATCH" }),
    );
    assert.deepEqual(recovered[name], value);
  }
});

Deno.test("operator and prototype names are refused in documents and queries alike", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id } = await collection.insertOne({ free: {} });
  await collection.untouched(async () => {
    for (const name of ["$gt", "$where", "$ref", "$", "__proto__", "constructor", "prototype"]) {
      for (const path of [name, `free.${name}`]) {
        for (
          const query of [`${path}=1`, `${path}_exists=true`, `fields=${path}`, `sort=${path}`]
        ) {
          refused(
            await collection.asPublic({ path: `?${encodeURI(query)}` }),
            400,
            "INVALID_QUERY",
          );
        }
        const where = encodeURIComponent(`{"${path}":1}`);
        refused(await collection.asPublic({ path: `?where=${where}` }), 400, "INVALID_QUERY");
        const change = { method: "PATCH", path: `/${_id}`, body: `{"${path}":1}` };
        refused(await collection.asSecret(change), 400, "INVALID_DOCUMENT");
      }
      for (const body of [`{"${name}":1}`, `{"free":{"${name}":1}}`, `{"free":[{"${name}":1}]}`]) {
        refused(await collection.asSecret({ body }), 400, "INVALID_DOCUMENT", "cannot be stored");
        refused(
          await collection.asSecret({ method: "PUT", path: `/${_id}`, body }),
          400,
          "INVALID_DOCUMENT",
        );
      }
    }
  });
});

async function manyDocuments(collection: TestCollection, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 100) {
    const documents = times(100, (n) => ({ title: `t${at + n}`, free: { f1: n, f2: n } }));
    const answer = await collection.asSecret({ path: "/bulk", body: documents });
    ids.push(...ok(answer, 201).ids as string[]);
  }
  return ids;
}
