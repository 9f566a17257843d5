import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestCollection, refused, type TestCollection } from "./test_collection.ts";

const query = (tree: unknown): string =>
  `where=${encodeURIComponent(typeof tree === "string" ? tree : JSON.stringify(tree))}`;

const FIELDS = [
  { key: "n", type: "Number" },
  { key: "title", type: "String" },
  { key: "views", type: "Number" },
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
];

async function openRows(app: TestApp): Promise<TestCollection> {
  const collection = await createTestCollection(app, { fields: FIELDS });
  await collection.insert(
    { n: 1, title: "draft", views: 1, live: true, at: "2026-01-01", x: 5 },
    { n: 2, title: "draft", views: 10, live: false, tags: ["a", "b"], x: "5" },
    { n: 3, title: "final", views: 6, meta: { lang: "it" }, x: true },
    { n: 4, title: "final", views: 2, at: null, x: null },
    { n: 5, x: { y: { z: 1 } } },
  );
  return collection;
}

const FOUND: readonly (readonly [unknown, readonly number[]])[] = [
  [{}, [1, 2, 3, 4, 5]],
  [{ or: [{ views: { gt: 5 } }, { title: "draft" }] }, [1, 2, 3]],
  [{ and: [{ views: { gt: 5 } }, { title: "draft" }] }, [2]],
  [{ views: { gt: 1, lt: 10 } }, [3, 4]],
  [{ views: { gt: 5 }, title: "draft" }, [2]],
  [{ not: { title: "draft" } }, [3, 4, 5]],
  [{ not: { not: { title: "draft" } } }, [1, 2]],
  [{ not: { views: { gt: 5 } } }, [1, 4, 5]],
  [{ not: { or: [{ views: 1 }, { views: 2 }] } }, [2, 3, 5]],
  [{ or: [{ not: { title: "draft" } }, { views: 1 }] }, [1, 3, 4, 5]],
  [{ title: { eq: "draft" } }, [1, 2]],
  [{ title: { ne: "draft" } }, [3, 4, 5]],
  [{ title: null }, [5]],
  [{ title: { ne: null } }, [1, 2, 3, 4]],
  [{ views: { in: [1, 2, null] } }, [1, 4, 5]],
  [{ views: { nin: [1, 2] } }, [2, 3, 5]],
  [{ views: { in: [] } }, []],
  [{ views: { nin: [] } }, [1, 2, 3, 4, 5]],
  [{ at: { exists: true } }, [1, 4]],
  [{ at: { exists: false } }, [2, 3, 5]],
  [{ at: "2026-01-01T01:00:00+01:00" }, [1]],
  [{ title: { regex: "^DR" } }, [1, 2]],
  [{ live: true }, [1]],
  [{ live: { ne: true } }, [2, 3, 4, 5]],
  [{ tags: "a" }, [2]],
  [{ tags: { nin: ["a"] } }, [1, 3, 4, 5]],
  [{ "meta.lang": "it" }, [3]],
  [{ "meta.lang": { exists: false } }, [1, 2, 4, 5]],
  [{ x: 5 }, [1]],
  [{ x: "5" }, [2]],
  [{ x: true }, [3]],
  [{ x: { in: [5, "5", true, null] } }, [1, 2, 3, 4]],
  [{ x: { gt: 1 } }, [1]],
  [{ x: { gte: "5" } }, [2]],
  [{ "x.y.z": 1 }, [5]],
  [{ _id: { exists: true }, isDeleted: false, createdAt: { gt: "2000-01-01" } }, [1, 2, 3, 4, 5]],
  [{ deletedAt: null, updatedAt: { lt: "2000-01-01" } }, []],
];

Deno.test("where finds the documents that match its conditions", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  for (const [tree, found] of FOUND) {
    assert.deepEqual(await collection.names(`${query(tree)}&sort=n`), found, JSON.stringify(tree));
  }
});

Deno.test("where and filter parameters are combined with and", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const tree = { or: [{ views: { gt: 5 } }, { title: "draft" }] };
  assert.deepEqual(await collection.names(`${query(tree)}&views_lt=10&sort=n`), [1, 3]);
});

Deno.test("an invalid where is 400 with its reason", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const trees: readonly (readonly [unknown, string])[] = [
    ["", "JSON"],
    ["{", "JSON"],
    ["{'a':1}", "JSON"],
    ["[]", "object"],
    ["null", "object"],
    ["1", "object"],
    [{ and: {} }, "list"],
    [{ or: [] }, "list"],
    [{ and: [] }, "list"],
    [{ or: [1] }, "object"],
    [{ or: null }, "list"],
    [{ not: [] }, "object"],
    [{ not: 1 }, "object"],
    [{ title: {} }, "operator"],
    [{ title: [] }, "title"],
    [{ title: ["draft"] }, "title"],
    [{ title: 1 }, "title"],
    [{ views: "1" }, "views"],
    [{ views: { gt: null } }, "null"],
    [{ views: { gt: "1" } }, "views"],
    [{ views: { in: 1 } }, "list"],
    [{ views: { in: ["1"] } }, "views"],
    [{ views: { in: [[1]] } }, "views"],
    [{ views: { exists: 1 } }, "true or false"],
    [{ views: { regex: "1" } }, "views"],
    [{ title: { regex: 1 } }, "text"],
    [{ title: { regex: "(" } }, "pattern"],
    [{ title: { regex: "a".repeat(129) } }, "128"],
    [{ live: "true" }, "live"],
    [{ at: "soon" }, "at"],
    [{ at: 0 }, "at"],
    [{ meta: "it" }, "meta"],
    [{ x: { eq: { y: 1 } } }, "x"],
    [{ x: { in: [{}] } }, "x"],
    ['{"x":1e400}', "x"],
    ['{"x":"\\ud800"}', "surrogate"],
    ['{"x":"\\u0000"}', "U+0000"],
  ];
  for (const [tree, reason] of trees) {
    const answer = await collection.asSecret({ path: `?${query(tree)}` });
    refused(answer, 400, "INVALID_QUERY", '"where"');
    assert.ok(answer.body.message.includes(reason), `${JSON.stringify(tree)}: ${answer.text}`);
  }
});

Deno.test("an unknown operator in where is 400 and lists the known ones", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  for (const operator of ["$gt", "like", "_gt", "GT", "", "__proto__", "constructor", "y"]) {
    const tree = `{"views":{${JSON.stringify(operator)}:1}}`;
    const answer = await collection.asSecret({ path: `?${query(tree)}` });
    refused(answer, 400, "UNKNOWN_OPERATOR", /"where".*gt.*regex/);
  }
});

const nested = (levels: number): unknown => levels === 1 ? { n: 1 } : { not: nested(levels - 1) };
const branching = (levels: number): unknown =>
  levels === 1 ? { n: 1 } : { or: [branching(levels - 1)] };

Deno.test("where may be 5 levels deep and no deeper", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  for (const createTree of [nested, branching]) {
    assert.equal((await collection.asSecret({ path: `?${query(createTree(5))}` })).status, 200);
    for (const levels of [6, 100]) {
      const answer = await collection.asSecret({ path: `?${query(createTree(levels))}` });
      refused(answer, 400, "INVALID_QUERY", "5 levels");
    }
  }
});

Deno.test("where may have 50 conditions and no more in any arrangement", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const list = (count: number) => Array.from({ length: count }, () => ({ n: 1 }));
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, null]));
  const operators = (count: number) => ({
    or: Array.from({ length: count / 2 }, () => ({ n: { gt: 0, lt: 2 } })),
  });
  for (const createTree of [(count: number) => ({ or: list(count) }), members]) {
    assert.equal((await collection.asSecret({ path: `?${query(createTree(50))}` })).status, 200);
    const answer = await collection.asSecret({ path: `?${query(createTree(51))}` });
    refused(answer, 400, "INVALID_QUERY", "50 conditions");
  }
  assert.equal((await collection.asSecret({ path: `?${query(operators(50))}` })).status, 200);
  const answer = await collection.asSecret({ path: `?${query(operators(52))}` });
  refused(answer, 400, "INVALID_QUERY", "50 conditions");
});

Deno.test("where may have 4 KiB and not a byte more", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const treeOfSize = (bytes: number, fill: string) => {
    const frame = new TextEncoder().encode('{"title":""}').length;
    const rest = bytes - frame;
    const width = new TextEncoder().encode(fill).length;
    return `{"title":"${fill.repeat(Math.floor(rest / width))}${"x".repeat(rest % width)}"}`;
  };
  for (const fill of ["x", "é", "雪"]) {
    assert.equal(
      (await collection.asSecret({ path: `?${query(treeOfSize(4096, fill))}` })).status,
      200,
    );
    const answer = await collection.asSecret({ path: `?${query(treeOfSize(4097, fill))}` });
    refused(answer, 400, "INVALID_QUERY", "4096 bytes");
  }
});

Deno.test("a field named and, or or not can be filtered by a parameter but not in where", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number" }, { key: "not", type: "String" }],
  });
  await collection.insert({ n: 1, not: "x", or: 1 }, { n: 2 });
  assert.deepEqual(await collection.names("not=x"), [1]);
  assert.deepEqual(await collection.names("or=1"), [1]);
  assert.deepEqual(await collection.names(query({ not: { not: { n: 1 } } })), [1]);
});
