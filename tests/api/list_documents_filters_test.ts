import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestCollection, refused, type TestCollection } from "./test_collection.ts";

const FIELDS = [
  { key: "n", type: "Number" },
  { key: "title", type: "String" },
  { key: "views", type: "Number" },
  { key: "live", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "twin", type: "Ref", ref: "posts" },
  { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
  { key: "tags", type: "Array", items: { type: "String" } },
  { key: "checked_in", type: "Boolean" },
  { key: "price_gt", type: "Number" },
];

const ID = "aaaaaaaaaaaaaaaaaaaaaaaa";

async function openRows(
  app: TestApp,
  definition: { [name: string]: unknown } = {},
): Promise<TestCollection> {
  const collection = await createTestCollection(app, { fields: FIELDS, ...definition });
  await collection.insert(
    { n: 1, title: "Ape", views: 5, live: true, at: "2026-01-01", tags: ["a", "b"] },
    { n: 2, title: "bee", views: 10, live: false, at: "2026-02-01", tags: ["b"], twin: ID },
    { n: 3, title: "Cat", views: 0, checked_in: true, price_gt: 7, meta: { lang: "it" }, tags: [] },
    { n: 4, title: null, views: null, live: null, at: null, tags: null, twin: null, meta: null },
    { n: 5 },
  );
  return collection;
}

/** Queries and the rows of `openRows` that each finds. */
const DECLARED: Record<string, readonly number[]> = {
  "title=Ape": [1],
  "title=ape": [],
  "title=": [],
  "title=null": [],
  "title_ne=Ape": [2, 3, 4, 5],
  "title_gt=Ape": [2, 3],
  "title_gte=Ape": [1, 2, 3],
  "title_lt=b": [1, 3],
  "title_lte=Cat": [1, 3],
  "title_in=Ape,Cat,Dog": [1, 3],
  "title_in=Ape&title_in=bee": [1, 2],
  "title_nin=Ape,Cat": [2, 4, 5],
  "title_exists=true": [1, 2, 3, 4],
  "title_exists=false": [5],
  "title_regex=^a": [1],
  "title_regex=e": [1, 2],
  "title_regex=^[ab].e$": [1, 2],
  "views=5": [1],
  "views=5.0": [1],
  "views=5e0": [1],
  "views=null": [4, 5],
  "views_ne=null": [1, 2, 3],
  "views_ne=5": [2, 3, 4, 5],
  "views_gt=5": [2],
  "views_gte=5": [1, 2],
  "views_lt=10": [1, 3],
  "views_lte=0": [3],
  "views_gt=-1": [1, 2, 3],
  "views_in=5,10": [1, 2],
  "views_in=5,null": [1, 4, 5],
  "views_nin=5,10": [3, 4, 5],
  "views_exists=false": [5],
  "views_gt=0&views_lt=10": [1],
  "views_gte=5&live=true": [1],
  "live=true": [1],
  "live=false": [2],
  "live_ne=true": [2, 3, 4, 5],
  "live=null": [3, 4, 5],
  "at=2026-01-01": [1],
  "at_gt=2026-01-01": [2],
  "at_gte=2026-01-01T00:00:00Z": [1, 2],
  "at_in=2026-01-01,2026-02-01": [1, 2],
  [`twin=${ID}`]: [2],
  [`twin=${ID.toUpperCase()}`]: [2],
  [`twin_in=${ID}`]: [2],
  "twin_exists=true": [2, 4],
  "meta.lang=it": [3],
  "meta.lang_ne=it": [1, 2, 4, 5],
  "meta.lang_exists=true": [3],
  "meta.lang_in=it,de": [3],
  "meta_exists=true": [3, 4],
  "tags=b": [1, 2],
  "tags=a&tags=b": [1],
  "tags_ne=a": [2, 3, 4, 5],
  "tags_in=a,c": [1],
  "tags_nin=a": [2, 3, 4, 5],
  "tags_regex=^A$": [1],
  "tags_exists=true": [1, 2, 3, 4],
  "checked_in=true": [3],
  "checked_in=null": [1, 2, 4, 5],
  "checked_in_exists=true": [3],
  "checked_in_in=true,false": [3],
  "price_gt=7": [3],
  "price_gt_gt=6": [3],
  "price_gt_lt=7": [],
  "isDeleted=false": [1, 2, 3, 4, 5],
  "isDeleted=true": [],
  "createdAt_gt=2030-01-01": [],
  "createdAt_lt=2030-01-01": [1, 2, 3, 4, 5],
  "deletedAt=null": [1, 2, 3, 4, 5],
  "updatedAt_exists=true": [1, 2, 3, 4, 5],
  "_id_exists=true": [1, 2, 3, 4, 5],
  "_id=nothing": [],
};

Deno.test("every operator on declared fields finds the matching documents", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  for (const [query, found] of Object.entries(DECLARED)) {
    assert.deepEqual(await collection.names(`${query}&sort=n`), found, query);
  }
});

Deno.test("every operator on declared fields of a strict collection finds the matching documents", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app, { strict: true });
  for (const [query, found] of Object.entries(DECLARED)) {
    assert.deepEqual(await collection.names(`${query}&sort=n`), found, query);
  }
});

Deno.test("_id can be filtered by equality and range", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const [a, b, c] = await collection.insert({ n: 1 }, { n: 2 }, { n: 3 });
  assert.deepEqual(await collection.names(`_id=${b!._id}`), [2]);
  assert.deepEqual(await collection.names(`_id_in=${a!._id},${c!._id}&sort=n`), [1, 3]);
  assert.deepEqual(await collection.names(`_id_ne=${b!._id}&sort=n`), [1, 3]);
  assert.deepEqual(await collection.names(`_id_gt=${a!._id}&_id_lt=${c!._id}`), [2]);
});

/** Queries on undeclared fields, where the value `5` matches both the number and the text. */
const UNDECLARED: Record<string, readonly number[]> = {
  "x=5": [1, 2],
  "x=5.0": [1],
  "x=true": [3, 4],
  "x=null": [5, 6, 9],
  "x_ne=5": [3, 4, 5, 6, 7, 8, 9],
  "x_in=5,true": [1, 2, 3, 4],
  "x_nin=5,true,null": [7, 8],
  "x_gt=4": [1, 2, 4, 6, 7],
  "x_gt=4.5": [1, 2, 4, 6, 7],
  "x_lte=5": [1, 2],
  "x_gt=s": [4, 7],
  "x_gt=null": [4, 7],
  "x_exists=true": [1, 2, 3, 4, 5, 6, 7, 8],
  "x_exists=false": [9],
  "x_regex=^tr": [4],
  "x.y=1": [8],
  "x.y_gt=0": [8],
  "x.y.z=1": [],
  "no_such=null": [1, 2, 3, 4, 5, 6, 7, 8, 9],
  "no_such=1": [],
  "no_such_ne=1": [1, 2, 3, 4, 5, 6, 7, 8, 9],
  "first_name=Ann": [1],
  "first_name_regex=ann": [1],
  "_hidden=1": [2],
  "_gt=1": [3],
};

Deno.test("every operator on undeclared fields finds the matching documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  await collection.insert(
    { n: 1, x: 5, first_name: "Ann" },
    { n: 2, x: "5", _hidden: 1 },
    { n: 3, x: true, _gt: 1 },
    { n: 4, x: "true" },
    { n: 5, x: null },
    { n: 6, x: "null" },
    { n: 7, x: "text" },
    { n: 8, x: { y: 1 } },
    { n: 9 },
  );
  for (const [query, found] of Object.entries(UNDECLARED)) {
    assert.deepEqual(await collection.names(`${query}&sort=n`), found, query);
  }
});

Deno.test("a filter value of another type than declared is 400 and names the parameter", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const wrong = [
    "views=abc",
    "views=",
    "views=true",
    "views=0x10",
    "views=1e400",
    "views=Infinity",
    "views_gt=five",
    "views_gt=null",
    "views_in=1,two",
    "views_in=",
    "views_exists=1",
    "views_regex=1",
    "live=1",
    "live=yes",
    "live_regex=t",
    "at=soon",
    "at_gt=2026-02-30",
    "at_regex=2026",
    "twin=abc",
    "twin_regex=a",
    "meta=it",
    "meta_gt=1",
    "title=%00",
    "title_regex=",
    "createdAt=yesterday",
    "isDeleted=0",
    "tags_exists=maybe",
    "meta.lang_exists=",
    "checked_in=5",
  ];
  for (const query of wrong) {
    const name = query.split("=")[0]!;
    refused(await collection.asSecret({ path: `?${query}` }), 400, "INVALID_QUERY", `"${name}"`);
  }
});

Deno.test("a repeated parameter adds a condition, and a repeated _in or _nin adds values", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  assert.deepEqual(await collection.names("views_gt=-1&views_gt=5&sort=n"), [2]);
  assert.deepEqual(await collection.names("views_ne=5&views_ne=10&sort=n"), [3, 4, 5]);
  assert.deepEqual(await collection.names("title_regex=e&title_regex=^b"), [2]);
  assert.deepEqual(await collection.names("title_exists=true&title_exists=false"), []);
  assert.deepEqual(await collection.names("views=5&views=10"), []);
  assert.deepEqual(await collection.names("views_in=5&views_in=10&sort=n"), [1, 2]);
  assert.deepEqual(await collection.names("views_nin=5&views_nin=10&sort=n"), [3, 4, 5]);
});

Deno.test("a query may have 50 conditions and no more", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const conditions = (count: number) =>
    Array.from({ length: count }, (_, i) => `views_gt=-${i + 1}`).join("&");
  assert.deepEqual(await collection.names(`${conditions(50)}&sort=n`), [1, 2, 3]);
  const answer = await collection.asSecret({ path: `?${conditions(51)}` });
  refused(answer, 400, "INVALID_QUERY", "50 conditions");
});

Deno.test("an unknown operator on a declared field is 400 and lists the known ones", async () => {
  await using app = await openTestApp();
  for (const strict of [false, true]) {
    const collection = await openRows(app, { strict });
    for (
      const name of [
        "views_eq",
        "views_like",
        "views_GT",
        "title_includes",
        "meta.lang_x",
        "checked_in_x",
        "_id_like",
        "createdAt_since",
        "isDeleted_eq",
        "views_",
      ]
    ) {
      const answer = await collection.asSecret({ path: `?${name}=1` });
      refused(answer, 400, "UNKNOWN_OPERATOR", /_gt.*_regex/);
    }
  }
});

Deno.test("a strict collection refuses filters by names that it does not declare", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app, { strict: true });
  for (const name of ["other", "other_gt", "first_name", "meta.other", "title.a", "_gt", "x.y"]) {
    refused(await collection.asSecret({ path: `?${name}=1` }), 400, "INVALID_QUERY", `"${name}"`);
    const where = encodeURIComponent(JSON.stringify({ [name]: 1 }));
    refused(await collection.asSecret({ path: `?where=${where}` }), 400, "INVALID_QUERY", "where");
  }
});

Deno.test("dangerous names are 400 in every parameter of a query", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const names = [
    "$where",
    "$gt",
    "title.$gt",
    "__proto__",
    "__proto__.polluted",
    "a.__proto__",
    "constructor",
    "constructor.prototype",
    "a..b",
    ".a",
    "a.",
    " a",
    "a\u0000",
    "a\u200b",
  ];
  for (const name of names) {
    const text = encodeURIComponent(name);
    refused(await collection.asSecret({ path: `?${text}=1` }), 400, "INVALID_QUERY");
    const where = encodeURIComponent(`{${JSON.stringify(name)}:1}`);
    refused(await collection.asSecret({ path: `?where=${where}` }), 400, "INVALID_QUERY");
    refused(await collection.asSecret({ path: `?sort=${text}` }), 400, "INVALID_QUERY", "sort");
    // White space around the names of a list is ignored.
    if (name !== " a") {
      refused(
        await collection.asSecret({ path: `?fields=${text},n` }),
        400,
        "INVALID_QUERY",
        "fields",
      );
    }
    refused(
      await collection.asSecret({ path: `?populate=${text}` }),
      400,
      "INVALID_QUERY",
      "populate",
    );
  }
  refused(await collection.asSecret({ path: "?prototype_gt=1" }), 400, "INVALID_QUERY");
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

Deno.test("operators in brackets are 400 and the message explains the syntax", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  for (const name of ["views[$gt]", "views[gt]", "title[]", "views%5B%24gt%5D", "a[0]"]) {
    refused(await collection.asSecret({ path: `?${name}=1` }), 400, "INVALID_QUERY", "_gt");
  }
});

Deno.test("fields with unusual names can be filtered", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const names = [
    "a b",
    "naïve",
    "雪",
    "😀",
    'quo"te',
    "back\\slash",
    "apo'strophe",
    "0",
    "toString",
  ];
  for (const [n, name] of names.entries()) await collection.insertOne({ n, [name]: { in: "x" } });
  for (const [n, name] of names.entries()) {
    const path = encodeURIComponent(`${name}.in`);
    assert.deepEqual(await collection.names(`${path}=x`), [n], name);
    assert.deepEqual(await collection.names(`${encodeURIComponent(name)}_exists=true`), [n], name);
  }
});

Deno.test("reserved parameters keep their meaning, and such fields filter by suffix or where", async () => {
  await using app = await openTestApp();
  const reserved = [
    "page",
    "limit",
    "sort",
    "cursor",
    "fields",
    "populate",
    "expand",
    "count",
    "total",
    "include_deleted",
    "meta",
    "where",
    "explain",
  ];
  for (const strict of [true, false]) {
    const collection = await createTestCollection(app, {
      strict,
      fields: [
        { key: "n", type: "Number" },
        ...reserved.map((key) => ({ key, type: "Number" })),
      ],
    });
    for (const [n, name] of reserved.entries()) await collection.insertOne({ n, [name]: 7 });
    for (const [n, name] of reserved.entries()) {
      assert.deepEqual(await collection.names(`${name}_in=7`), [n], name);
      assert.deepEqual(await collection.names(`${name}_gte=7`), [n], name);
      assert.deepEqual(await collection.names(`where={"${name}":7}`), [n], name);
      if (!["where", "fields"].includes(name)) {
        const { status } = await collection.asSecret({ path: `?${name}=x` });
        assert.equal(status, 400, `${name} keeps its meaning`);
      }
    }
    assert.equal((await collection.names("limit=1")).length, 1);
    assert.deepEqual(await collection.names("page=7"), []);
    assert.deepEqual(await collection.names("sort=page&limit=1"), [1]);
  }
});

Deno.test("_in accepts 1000 values and no more", async () => {
  await using app = await openTestApp();
  const collection = await openRows(app);
  const values = (count: number) => Array.from({ length: count }, (_, i) => i).join(",");
  assert.deepEqual(await collection.names(`n_in=${values(1000)}&sort=n`), [1, 2, 3, 4, 5]);
  for (const name of ["n_in", "n_nin", "other_in"]) {
    const answer = await collection.asSecret({ path: `?${name}=${values(1001)}` });
    refused(answer, 400, "INVALID_QUERY", /1000/);
  }
});

Deno.test("filter[field_op] and filter as JSON are equivalent to field_op", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [
      { key: "views", type: "Number" },
      { key: "limit", type: "Number" },
      { key: "tags", type: "Array", items: { type: "String" } },
      { key: "live", type: "Boolean" },
    ],
  });
  await collection.insert(
    { n: 1, views: 3, limit: 1, tags: ["a,b"], live: true },
    { n: 2, views: 7, limit: 2, tags: ["a", "b"], live: false, other: "5" },
    { n: 3, views: 9, tags: ["c"], other: 5 },
  );
  const json = (filter: unknown) => `filter=${encodeURIComponent(JSON.stringify(filter))}`;
  const cases: [string, number[]][] = [
    ["filter[views_gt]=5", [2, 3]],
    ["filter%5Bviews_gt%5D=5&filter[views_lt]=8", [2]],
    ["filter[limit]=2", [2]],
    ["filter[views_gt]=5&limit_exists=False", [3]],
    ["filter[live]=True", [1]],
    [json({ views_gt: 5, views_lt: 8 }), [2]],
    [json({ limit: 2 }), [2]],
    [json({ tags_in: ["a,b", "c"] }), [1, 3]],
    [json({ live: null }), [3]],
    [json({ other: 5 }), [3]],
    [json({}), [1, 2, 3]],
    [`${json({ views_gt: 5 })}&live=false&${json({ n: 2 })}`, [2]],
  ];
  for (const [query, found] of cases) {
    assert.deepEqual(await collection.names(`${query}&sort=createdAt`), found, query);
  }
  const wrong: [string, string][] = [
    ["filter=x", '"filter" is not valid JSON'],
    ["filter=", '"filter" is not valid JSON'],
    ...[[], "x", 5, null].map((one) =>
      [json(one), '"filter" must be an object'] as [string, string]
    ),
    [json({ views: { gt: 5 } }), '"filter" must be a number'],
    [json({ views_gt: "5" }), '"filter" must be a number'],
    [json({ views_gt: null }), '"filter" cannot order by null'],
    [json({ views: [5] }), '"filter" must be a number'],
    [json({ views_in: 5 }), '"filter" needs a list'],
    [json({ live_exists: "true" }), '"filter" needs true or false'],
    ["filter[]=5", "is not a filter: write filter[field_gt]=5"],
    ["filter[views][gt]=5", "is not a filter: write filter[field_gt]=5"],
    ["filter[views=5", "is not a filter: write filter[field_gt]=5"],
  ];
  for (const [query, message] of wrong) {
    refused(await collection.asSecret({ path: `?${query}` }), 400, "INVALID_QUERY", message);
  }
  const unknown = await collection.asSecret({ path: `?${json({ views_over: 5 })}` });
  refused(unknown, 400, "UNKNOWN_OPERATOR");
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, i]));
  refused(
    await collection.asSecret({ path: `?${json(many)}` }),
    400,
    "INVALID_QUERY",
    "50 conditions",
  );
  for (const name of ["__proto__", "$where", "a..b"]) {
    const filter = `{${JSON.stringify(name)}:1}`;
    const answer = await collection.asSecret({ path: `?filter=${encodeURIComponent(filter)}` });
    refused(answer, 400, "INVALID_QUERY");
  }
});

Deno.test("declared fields named offset, skip or filter can be filtered by name", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: ["offset", "skip", "filter"].map((key) => ({ key, type: "Number" })),
  });
  await collection.insert({ n: 1, offset: 1 }, { n: 2, skip: 1 }, { n: 3, filter: 1 });
  for (const [i, name] of ["offset", "skip", "filter"].entries()) {
    assert.deepEqual(await collection.names(`${name}=1`), [i + 1]);
  }
});
