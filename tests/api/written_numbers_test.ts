import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, type TestCollection } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

/** The shortest spellings of their doubles, which responses must repeat exactly. */
const EXACT = [
  "0",
  "-0",
  "1",
  "-1",
  "0.1",
  "0.30000000000000004",
  "1e+308",
  "1.7976931348623157e+308",
  "5e-324",
  "2.2250738585072014e-308",
  "9007199254740992",
  "-9007199254740992",
  "9007199254740991",
  "1152921504606847000",
  "4611686018427388000",
  "9223372036854776000",
  "18446744073709552000",
  "123456789012345680000",
  "1e+21",
  "1e-7",
  "123.456",
];

/** Other spellings with their doubles. */
const SPELLINGS: Record<string, number> = {
  "1e308": 1e308,
  "1E2": 100,
  "-0.0": -0,
  "-0e5": -0,
  "1.0": 1,
  "9007199254740994": 9007199254740994,
  "1152921504606846976": 1152921504606847000,
  "12345678901234567890.5": 12345678901234567000,
  "0.1000000000000000055511151231257827": 0.1,
  "4.9e-324": 5e-324,
  "1e-400": 0,
};

const documentText = (numbers: readonly string[]): string =>
  `{${numbers.map((text, i) => `"f${i}":${text}`).join(",")}}`;

async function everyAnswer(collection: TestCollection, id: string): Promise<string[]> {
  const paths = [
    `/${id}`,
    "",
    "?fields=-none",
    "?meta=false",
    "?sort=_id&limit=1",
    `/${id}?meta=false`,
  ];
  const answers = await Promise.all(paths.map((path) => collection.asSecret({ path })));
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  return answers.map(({ text }) => text);
}

function assertExact(text: string, prefix: string): void {
  EXACT.forEach((number, i) => {
    assert.match(text, new RegExp(`"${prefix}${i}":${number.replace(/[.+]/g, "\\$&")}[,}]`));
  });
}

for (const declared of [true, false]) {
  const fields = declared ? EXACT.map((_, i) => ({ key: `f${i}`, type: "Number" })) : [];
  const kind = declared ? "declared" : "undeclared";

  Deno.test(`numbers are returned exactly in every response (${kind})`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, { fields });
    const body = documentText(EXACT);
    const created = await collection.asSecret({ body });
    const { _id: id } = ok(created, 201);
    assertExact(created.text, "f");
    for (const text of await everyAnswer(collection, id)) assertExact(text, "f");

    const patched = await collection.asSecret({
      method: "PATCH",
      path: `/${id}`,
      body: { other: 1 },
    });
    assertExact(patched.text, "f");
    const replaced = await collection.asSecret({ method: "PUT", path: `/${id}`, body });
    assertExact(replaced.text, "f");
    const all = await collection.asSecret({ method: "PATCH", path: `/${id}`, body });
    assertExact(all.text, "f");
    await collection.remove(id);
    const recovered = await collection.asSecret({ method: "PATCH", path: `/${id}/recover` });
    assertExact(recovered.text, "f");
    for (const text of await everyAnswer(collection, id)) assertExact(text, "f");
  });

  Deno.test(`each number is found by its own spelling (${kind})`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, {
      fields: declared ? [{ key: "n", type: "Number", index: true }] : [],
    });
    for (const number of EXACT) ok(await collection.asSecret({ body: `{"n":${number}}` }), 201);
    for (const number of EXACT) {
      const found = ok(await collection.asSecret({ path: `?n=${encodeURIComponent(number)}` }));
      // 0 and -0 are two documents and one number.
      assert.equal(found.total, Number(number) === 0 ? 2 : 1, number);
      for (const item of found.items) assert.ok(item.n === Number(number), number);
    }
  });
}

Deno.test("numbers inside objects and lists are returned exactly, also from bulk", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const text = `{"o":${documentText(EXACT)},"l":[${EXACT.join(",")}]}`;
  const bulk = ok(await collection.asSecret({ path: "/bulk", body: `[${text}]` }), 201);
  const [id] = bulk.ids;
  const single = await collection.asSecret({
    body: text,
    headers: { "idempotency-key": "numbers" },
  });
  const again = await collection.asSecret({
    body: text,
    headers: { "idempotency-key": "numbers" },
  });
  const dotted = await collection.asSecret({
    method: "PATCH",
    path: `/${id}`,
    body: `{"o.part":{"deep":-0}}`,
  });
  const read = await collection.asSecret({ path: `/${id}` });
  for (const answer of [single, again, dotted, read]) {
    assert.ok(answer.status < 300, answer.text);
    assertExact(answer.text, "f");
    assert.ok(answer.text.includes(`"l":[${EXACT.join(",")}]`), answer.text);
  }
  assert.ok(read.text.includes('"part":{"deep":-0}'));
});

Deno.test("other spellings of a number are the same double", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const [text, double] of Object.entries(SPELLINGS)) {
    const created = await collection.asSecret({ body: `{"n":${text}}` });
    assert.ok(Object.is(ok(created, 201).n, double), `${text} became ${created.text}`);
    const read = await collection.asSecret({ path: `/${created.body.data._id}` });
    assert.ok(Object.is(read.body.data.n, double), `${text} became ${read.text}`);
  }
});

/** Integers without an exact double. If they were rounded, two ids could become equal. */
const INEXACT = [
  "9007199254740993",
  "-9007199254740993",
  "1254071346418286654",
  "9007199254740993.0",
  "9007199254740.993e3",
  "1".repeat(300),
];

const refusalOf = (literal: string) => new RegExp(`${literal.slice(0, 40)}.* send it as a String`);

Deno.test("an integer that a double cannot represent is refused in every body", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number", unique: true }],
    strict: false,
  });
  const { _id } = await collection.insertOne({ n: 1 });
  const operators = ["$inc", "$min", "$max", "$push", "$addToSet", "$pull"];
  await collection.untouched(async () => {
    for (const literal of INEXACT) {
      const calls = [
        { body: `{"n":${literal}}` },
        { body: `{"other":{"deep":[1,${literal}]}}` },
        { path: "/bulk", body: `[{"n":2},{"n":${literal}}]` },
        { path: "?upsert=n", body: `{"n":${literal}}` },
        { method: "PUT", path: `/${_id}`, body: `{"n":${literal}}` },
        { method: "PATCH", path: `/${_id}`, body: `{"n":${literal}}` },
        { method: "PATCH", path: `/${_id}`, body: `{"o.n":${literal}}` },
        ...operators.map((name) => ({
          method: "PATCH",
          path: `/${_id}`,
          body: `{"m":{"${name}":${literal}}}`,
        })),
      ];
      for (const call of calls) {
        refused(await collection.asSecret(call), 400, "INVALID_JSON", refusalOf(literal));
      }
      const sent = await collection.project.asSecret({
        path: "/api/batch",
        body:
          `{"operations":[{"action":"create","collection":"posts","document":{"n":${literal}}}]}`,
      });
      refused(sent, 400, "INVALID_JSON", refusalOf(literal));
    }
  });
  for (const literal of INEXACT) {
    const text = ok(await collection.asSecret({ body: `{"text":"${literal}"}` }), 201);
    assert.equal(text.text, literal);
  }
});

Deno.test("a filter by an inexact integer is refused or finds nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number" }, {
      key: "list",
      type: "Array",
      items: { type: "Number" },
    }],
    strict: false,
  });
  await collection.asSecret({ body: `{"n":9007199254740992,"free":9007199254740992}` });
  for (const literal of INEXACT) {
    const value = encodeURIComponent(literal);
    const filters = [
      ...["n", "n_ne", "n_gt", "n_lte", "n_in", "n_nin", "list", "filter[n]"]
        .map((name) => `${encodeURIComponent(name)}=${value}`),
      `n_in=1,${value}`,
      ...[`{"n":${literal}}`, `{"n":{"in":[1,${literal}]}}`, `{"or":[{"free":${literal}}]}`]
        .map((where) => `where=${encodeURIComponent(where)}`),
      `filter=${encodeURIComponent(`{"n_gt":${literal}}`)}`,
    ];
    for (const filter of filters) {
      const answer = await collection.asSecret({ path: `?${filter}` });
      refused(answer, 400, "INVALID_QUERY", refusalOf(literal));
    }
    assert.equal(ok(await collection.asSecret({ path: `?free=${value}` })).total, 0);
  }
});

Deno.test("an $inc whose result would be rounded is refused and changes nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id } = await collection.insertOne({ n: 2 ** 53, o: { n: 2 ** 53 } });
  const path = `/${_id}`;
  await collection.untouched(async () => {
    for (const body of [{ n: { $inc: 1 } }, { "o.n": { $inc: 0.25 } }, { n: { $inc: -0.001 } }]) {
      const answer = await collection.asSecret({ method: "PATCH", path, body });
      refused(answer, 400, "INVALID_DOCUMENT", /cannot add -?[\d.]+ exactly/);
    }
  });
  const exact = await collection.asSecret({ method: "PATCH", path, body: { n: { $inc: -1 } } });
  assert.equal(ok(exact).n, 2 ** 53 - 1);
});

Deno.test("a default in a definition is refused like any other inexact value", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await createTestOwner(app, project);
  for (const literal of INEXACT) {
    const fields = `[{"key":"n","type":"Number","default":${literal}}]`;
    const body = `{"name":"posts","fields":${fields}}`;
    refused(
      await owner.asOwner({ path: "/collections", body }),
      400,
      "INVALID_JSON",
      refusalOf(literal),
    );
  }
});

Deno.test("populate keeps the exact values of numbers", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "next", type: "Ref", ref: "posts" }],
  });
  const target = ok(await collection.asSecret({ body: documentText(EXACT) }), 201);
  const { _id: id } = await collection.insertOne({ next: target._id });
  assertExact((await collection.asSecret({ path: `/${id}?populate=next` })).text, "f");
  assertExact((await collection.asSecret({ path: `?_id=${id}&populate=next` })).text, "f");
});
