/** Queries that are made to cost more than they ask for. */

import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { ok, openShelf, refused, type Shelf, times } from "../api/shelf.ts";
import { openTestApp } from "../support/test_app.ts";

/** The server's own time is a small part of it; before the bounds it was seconds. */
const QUICK_MS = 500;

/** Asks and fails if the answer took long. The first request of a kind is not counted. */
async function quickly<T>(work: () => Promise<T>): Promise<T> {
  await work();
  const began = performance.now();
  const answer = await work();
  const took = performance.now() - began;
  assert.ok(took < QUICK_MS, `took ${Math.round(took)} ms`);
  return answer;
}

const FREE = { fields: [{ key: "free", type: "Object" }, { key: "title", type: "String" }] };

const pathOf = (levels: number) => Array(levels).fill("a").join(".");

Deno.test("a path of many levels is refused unread, wherever a query takes one", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, FREE);
  const path = `free.${pathOf(16_000)}`;
  for (
    const query of [
      `${path}=1`,
      `${path}_gt=1`,
      ...["sort", "fields", "populate"].map((name) => `${name}=${path}`),
    ]
  ) {
    const answer = await quickly(() => shelf.asPublic({ path: `?${query}` }));
    refused(answer, 400, "INVALID_QUERY", "longer than 300 characters");
  }
  const where = encodeURIComponent(JSON.stringify({ [pathOf(1_500)]: 1 }));
  const answer = await quickly(() => shelf.asPublic({ path: `?where=${where}` }));
  refused(answer, 400, "INVALID_QUERY", "longer than 300 characters");
});

Deno.test("dotted names of a change are refused unread beyond 20 levels and 300 characters", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, FREE);
  const { _id } = await shelf.insertOne({ title: "t" });
  const change = (path: string) =>
    shelf.asSecret({ method: "PATCH", path: `/${_id}`, body: { [path]: 1 } });
  await shelf.untouched(async () => {
    for (
      const path of [`free.${pathOf(200_000)}`, `free.${pathOf(20)}`, `free.${"a".repeat(296)}`]
    ) {
      refused(await quickly(() => change(path)), 400, "INVALID_DOCUMENT");
    }
  });
  assert.equal((await change(`free.${"a".repeat(295)}`)).status, 200);
  assert.equal((await change(`free.${pathOf(19)}`)).status, 200);
});

Deno.test("30,000 levels and 30,000 names do not come in", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, FREE);
  const queries = [
    `${pathOf(30_000)}=1`,
    `sort=${pathOf(30_000)}`,
    `fields=${Array(30_000).fill("a")}`,
  ];
  for (const query of queries) {
    const answer = await quickly(() => shelf.asPublic({ path: `?${query}` }));
    refused(answer, 414, "QUERY_TOO_LONG");
  }
});

Deno.test("a query has at most 100 parameters, and is not parsed beyond", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, FREE);
  for (const query of ["a&".repeat(32_500), "a&".repeat(16_000), "a&".repeat(101)]) {
    const answer = await quickly(() => shelf.asPublic({ path: `?${query}` }));
    refused(answer, 414, "QUERY_TOO_LONG");
  }
  const most = [...times(50, (n) => `a=${n}`), "&&&"].join("&");
  assert.equal((await shelf.asPublic({ path: `?${most}` })).status, 200);
});

Deno.test("a name in fields costs once, however often it is repeated", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, FREE);
  await manyDocuments(shelf, 500);
  const repeated = Array(16_000).fill("a");
  const answer = await quickly(() => shelf.asPublic({ path: `?limit=1000&fields=${repeated}` }));
  assert.equal(answer.body.data.items.length, 500);
  assert.deepEqual(Object.keys(answer.body.data.items[0]), ["_id"]);
  const distinct = (count: number) => times(count, (n) => `free.f${n}`);
  for (const sign of ["", "-"]) {
    const fields = (count: number) => distinct(count).map((name) => sign + name);
    const most = await quickly(() => shelf.asPublic({ path: `?limit=1000&fields=${fields(200)}` }));
    assert.equal(most.body.data.items.length, 500);
    const more = await shelf.asPublic({ path: `?fields=${fields(201)}` });
    refused(more, 400, "INVALID_QUERY", "more than 200 names");
  }
});

Deno.test("a thousand values of one list fit into a query, and are found quickly", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app, FREE);
  const ids = await manyDocuments(shelf, 100);
  const others = times(900, (n) => n.toString(16).padStart(24, "0"));
  const list = [...ids, ...others].join(",");
  const answer = await quickly(() => shelf.asPublic({ path: `?limit=1000&_id_in=${list}` }));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.data.items.length, 100);
  const more = await shelf.asPublic({ path: `?_id_in=${list},${"f".repeat(24)}` });
  refused(more, 400, "INVALID_QUERY", "more than 1000 values");
});

Deno.test("a request is routed by its path, never by what stands in its query", async () => {
  await using app = await openTestApp();
  const serve = createApp(app.services);
  /** As Deno.serve hands over a request whose target is an absolute address. */
  const messageAt = async (url: string): Promise<string> => {
    const request = Object.defineProperty(new Request("http://x/"), "url", { value: url });
    const response = await serve(request, { remoteAddr: { hostname: "127.0.0.1" } });
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

/** Ids of documents with a small object each. */
async function manyDocuments(shelf: Shelf, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 100) {
    const documents = times(100, (n) => ({ title: `t${at + n}`, free: { f1: n, f2: n } }));
    const answer = await shelf.asSecret({ path: "/bulk", body: documents });
    ids.push(...ok(answer, 201).ids as string[]);
  }
  return ids;
}
