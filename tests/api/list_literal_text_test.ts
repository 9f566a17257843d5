import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, type TestCollection } from "./test_collection.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "n", type: "Number" },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "checked_contains", type: "String" },
];

const TITLES = ["Red apples", "red APPLE pie (50%)", "a.b", "axb", "Äpfel", null];

async function openFilled(): Promise<{ collection: TestCollection } & AsyncDisposable> {
  const app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, strict: false });
  const documents = TITLES.map((title, n) => ({
    title,
    n,
    tags: [`${title}`, "all"],
    other: title,
  }));
  ok(await collection.asSecret({ path: "/bulk", body: { documents } }), 201);
  return { collection, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function findRows({ asSecret }: TestCollection, query: string): Promise<number[]> {
  const { items } = ok(await asSecret({ path: `?${query}&sort=n` }));
  return items.map(({ n }: { n: number }) => n);
}

const where = (tree: object) => `where=${encodeURIComponent(JSON.stringify(tree))}`;

Deno.test("contains and startswith match the text literally, ignoring case, in every kind of field", async () => {
  await using opened = await openFilled();
  const { collection } = opened;
  const cases: [string, number[]][] = [
    ["title_contains=APPLE", [0, 1]],
    ["title_startswith=RED", [0, 1]],
    ["title_startswith=apple", []],
    ["title_contains=.", [2]],
    ["title_contains=a.b", [2]],
    ["title_contains=(50%25)", [1]],
    ["title_contains=%25", [1]],
    ["title_contains=_", []],
    ["title_contains=äPF", [4]],
    ["tags_contains=apple", [0, 1]],
    ["tags_startswith=al", [0, 1, 2, 3, 4, 5]],
    ["other_contains=Apple", [0, 1]],
    ["filter[title_startswith]=red", [0, 1]],
    [`filter=${encodeURIComponent('{"title_contains":"pie"}')}`, [1]],
    [where({ title: { contains: "PIE" } }), [1]],
    [where({ not: { title: { startsWith: "red" } } }), [2, 3, 4, 5]],
    ["title_contains=red&title_contains=pie", [1]],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(await findRows(collection, query), expected, query);
  }
});

Deno.test("a field named like an operator is preferred, and a field that is not a text is refused", async () => {
  await using opened = await openFilled();
  const { collection } = opened;
  await collection.insertOne({ n: 9, checked_contains: "yes" });
  assert.deepEqual(await findRows(collection, "checked_contains=yes"), [9]);
  const wrong: [string, string][] = [
    ["n_contains=1", "n is declared Number"],
    ["title_contains=", "needs 1 to 128 characters"],
    [`title_startswith=${"x".repeat(129)}`, "needs 1 to 128 characters"],
    [where({ title: { contains: 5 } }), "needs a text for contains on title"],
    [where({ title: { startsWith: "" } }), "needs 1 to 128 characters"],
    [Array.from({ length: 11 }, (_, i) => `title_contains=${i}`).join("&"), "10 patterns"],
  ];
  for (const [query, why] of wrong) {
    refused(await collection.asSecret({ path: `?${query}` }), 400, "INVALID_QUERY", why);
  }
  refused(
    await collection.asSecret({ path: "?title_has=x" }),
    400,
    "UNKNOWN_OPERATOR",
    "_contains",
  );
  const tree = where({ title: { startswith: "x" } });
  refused(await collection.asSecret({ path: `?${tree}` }), 400, "UNKNOWN_OPERATOR", "startsWith");
});
