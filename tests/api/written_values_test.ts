import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused, type TestCollection } from "./test_collection.ts";

/** Every write of a member. Bodies are JSON text, so that escapes arrive unchanged. */
const WRITES: Record<
  string,
  (collection: TestCollection, id: string, text: string) => Promise<Answer>
> = {
  POST: (collection, _id, body) => collection.asSecret({ body }),
  "POST with a key": (collection, _id, body) =>
    collection.asSecret({ body, headers: { "idempotency-key": crypto.randomUUID() } }),
  bulk: (collection, _id, text) =>
    collection.asSecret({ path: "/bulk", body: `[{"first":1},${text}]` }),
  PUT: (collection, id, body) => collection.asSecret({ method: "PUT", path: `/${id}`, body }),
  PATCH: (collection, id, body) => collection.asSecret({ method: "PATCH", path: `/${id}`, body }),
  "PATCH by path": (collection, id, text) =>
    collection.asSecret({ method: "PATCH", path: `/${id}`, body: `{"deep.er":${text}}` }),
};

const PLACES: Record<string, (text: string) => string> = {
  "at the top": (text) => text,
  "in an object": (text) => `{"o":${text}}`,
  "in an object in lists": (text) => `{"l":[0,[{"o":${text}}]]}`,
  "in declared members": (text) => `{"shape":{"inner":${text}}}`,
  "in declared elements": (text) => `{"list":[${text}]}`,
};

const DEFINITION = {
  fields: [
    { key: "shape", type: "Object", fields: [{ key: "inner", type: "Object" }] },
    { key: "list", type: "Array", items: { type: "Object" } },
  ],
};

async function everywhere(
  collection: TestCollection,
  text: string,
  check: (answer: Answer, where: string) => void,
): Promise<void> {
  const { _id: id } = await collection.insertOne({ deep: {}, kept: true });
  await collection.untouched(async () => {
    for (const [write, send] of Object.entries(WRITES)) {
      for (const [place, wrap] of Object.entries(PLACES)) {
        check(await send(collection, id, wrap(text)), `${write} ${place}: ${text}`);
      }
    }
  });
}

function expectRefusal(collection: TestCollection, text: string): Promise<void> {
  return everywhere(collection, text, (answer, where) => {
    assert.equal(`${answer.status} ${answer.body.code}`, "400 INVALID_DOCUMENT", where);
  });
}

Deno.test("an unpaired surrogate and NUL are refused on every write, at any depth", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  for (const text of ["\\ud800", "a\\udc00b", "\\udc00\\ud800", "\\u0000", "a\\u0000b"]) {
    await expectRefusal(collection, `{"t":"${text}"}`);
    await expectRefusal(collection, `{"t":["x","${text}"]}`);
  }
});

Deno.test("a number beyond the range of doubles is refused on every write, at any depth", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  for (const number of ["1e400", "-1e400", "1".repeat(400)]) {
    await expectRefusal(collection, `{"n":${number}}`);
  }
});

Deno.test("dangerous member names are refused on every write, at any depth", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  const names = [
    "",
    "$set",
    "$",
    "__proto__",
    "constructor",
    "prototype",
    " a",
    "a ",
    "\\u00a0a",
    "a\\u3000",
    "\\ta",
    "a\\u0000b",
    "a\\u0007b",
    "a\\u007fb",
    "a\\u200bb",
    "a\\u202eb",
    "a\\ufeffb",
    "a\\ud800",
  ];
  for (const name of names) {
    await expectRefusal(collection, `{"${name}":1}`);
    await expectRefusal(collection, `{"fine":1,"${name}":{"a":1}}`);
  }
});

Deno.test("a dot in a name is refused on every write except at the top of PATCH", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  const { _id: id } = await collection.insertOne({ deep: {} });
  await collection.untouched(async () => {
    for (const name of ["a.b", ".", ".a", "a.", "a..b"]) {
      const text = `{"${name}":1}`;
      for (const [write, send] of Object.entries(WRITES)) {
        for (const [place, wrap] of Object.entries(PLACES)) {
          if (write === "PATCH" && place === "at the top" && name === "a.b") continue;
          const answer = await send(collection, id, wrap(text));
          assert.equal(answer.status, 400, `${write} ${place}: ${text} ${answer.text}`);
          assert.equal(answer.body.code, "INVALID_DOCUMENT");
        }
      }
    }
  });
});

Deno.test("a refused __proto__ member leaves no trace on objects of the process", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  await everywhere(collection, '{"__proto__":{"polluted":true}}', () => {
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});

Deno.test("a __proto__ member cannot replace a missing member", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "title", type: "String", required: true }],
  });
  const { _id: id } = await collection.insertOne({ title: "one" });
  const user = app.services.newId();
  await collection.untouched(async () => {
    const body = `{"__proto__":{"title":"stolen","userId":"${user}"}}`;
    for (const [write, send] of Object.entries(WRITES)) {
      refused(await send(collection, id, body), 400, "INVALID_DOCUMENT", /name|title|__proto__/);
      assert.ok(write);
    }
  });
});

Deno.test("a name with a quotation mark or a backslash is kept, whatever names came before", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const names = ["\\", '"', "x\\", 'x"', "\\\\", '\\"', '""'];
  for (const first of names) {
    for (const name of names) {
      await collection.insertOne({ b: 1, [first]: 2 });
      const stored = await collection.insertOne({ b: 1, [name]: 2 });
      const changed = await collection.asSecret({
        method: "PATCH",
        path: `/${stored._id}`,
        body: { b: 2 },
      });
      const read = await collection.read(stored._id);
      for (const one of [stored, changed.body.data, read.body.data]) {
        assert.equal(one[name], 2, `${name} after ${first}`);
      }
      assert.deepEqual(read.body.data, changed.body.data);
    }
  }
});

Deno.test("unusual but valid names and texts are kept unchanged", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const members = {
    "a b": 1,
    "naïve": 2,
    "雪": "雪",
    "😀": "😀 \u0001 \u001f \u007f \u200d",
    'quo"te': 3,
    "back\\slash": 4,
    "apo'strophe": 5,
    "price$": 6,
    "-": 7,
    "0": 8,
    "toString": 9,
    "hasOwnProperty": 10,
    "_private": 11,
    "a[0]": 12,
    "select * from": "'; drop table r_posts; --",
    empty: "",
    line: "a\nb\u2028c",
  };
  const stored = await collection.insertOne(members);
  for (const [name, value] of Object.entries(members)) assert.equal(stored[name], value, name);
  const read = await collection.read(stored._id);
  assert.deepEqual(read.body.data, stored);
  const listed = await collection.asSecret({ path: "" });
  assert.deepEqual(listed.body.data.items, [stored]);
});

/** Extended JSON, by which MongoDB tools write types that JSON lacks. */
const EXTENDED = [
  '{"$oid":"6b019b7dc7104db8c60a39fe"}',
  '{"$date":"2026-11-21T13:24:19.244Z"}',
  '{"$date":{"$numberLong":"1795267459244"}}',
  '{"$numberLong":"5"}',
  '{"$numberDecimal":"0.1"}',
  '{"$binary":{"base64":"AAEC","subType":"00"}}',
  '{"$regularExpression":{"pattern":"^a","options":"i"}}',
  '{"$ref":"users","$id":"6b019b7f8278f2c190072549"}',
];

Deno.test("extended JSON is refused on every write, at any depth", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  for (const text of EXTENDED) await expectRefusal(collection, `{"fine":1,"v":${text}}`);
});

/** Objects that MongoDB's driver takes for its own types. Here they are ordinary objects. */
const LOOKALIKES = [
  '{"_bsontype":"ObjectId","id":"6b019b7dc7104db8c60a39fe"}',
  '{"_bsontype":"ObjectID","id":{"type":"Buffer","data":[107,1,155]}}',
  '{"_bsontype":"Long","low":5,"high":0,"unsigned":false}',
  '{"_bsontype":"Int32","value":7}',
  '{"_bsontype":"Double","value":0.1}',
  '{"_bsontype":"Decimal128","bytes":[0,1]}',
  '{"_bsontype":"Binary","sub_type":0,"buffer":"AAEC","position":3}',
  '{"_bsontype":"Timestamp","low":1,"high":2}',
  '{"_bsontype":"BSONRegExp","pattern":"^a","options":"i"}',
  '{"_bsontype":"BSONSymbol","value":"a"}',
  '{"_bsontype":"Code","code":"return 1","scope":{}}',
  '{"_bsontype":"DBRef","collection":"users","oid":"a","db":"b"}',
  '{"_bsontype":"MinKey"}',
  '{"_bsontype":"none such","of":{"_bsontype":5}}',
];

Deno.test("objects that look like a driver's types are kept exactly as they were sent", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, DEFINITION);
  const { _id: id } = await collection.insertOne({ deep: {} });
  for (const value of LOOKALIKES) {
    for (const [write, send] of Object.entries(WRITES)) {
      for (const [place, wrap] of Object.entries(PLACES)) {
        const text = wrap(`{"v":${value}}`);
        const where = `${write} ${place}: ${text}`;
        app.clock.advance(1000);
        const answer = await send(collection, id, text);
        assert.ok(answer.status < 300, `${where} answered ${answer.text}`);
        const { _id, ids } = answer.body.data;
        const [read, listed] = [
          await collection.read(_id ?? ids[1]),
          await collection.asSecret({ path: "?sort=-updatedAt&limit=1" }),
        ];
        const members = text.slice(1, -1);
        for (const shown of [read, listed]) assert.ok(shown.text.includes(members), where);
      }
    }
  }
});

Deno.test("a document itself may look like a driver's type", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  for (const value of LOOKALIKES) {
    const members = JSON.parse(value);
    const stored = await collection.insertOne(members);
    const replaced = await collection.asSecret({
      method: "PUT",
      path: `/${stored._id}`,
      body: members,
    });
    const read = await collection.read(stored._id);
    for (const shown of [stored, replaced.body.data, read.body.data]) {
      for (const [name, kept] of Object.entries(members)) {
        assert.deepEqual(shown[name], kept, value);
      }
    }
  }
});

Deno.test("such objects are strings in filters, and refused in where", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: [{ key: "n", type: "String" }] });
  const texts = [...EXTENDED, ...LOOKALIKES];
  for (const text of texts) await collection.insertOne({ n: text, v: text });
  for (const text of texts) {
    for (const field of ["n", "v"]) {
      assert.deepEqual(await collection.names(`${field}=${encodeURIComponent(text)}`), [text]);
    }
    const operator = /"(\$?\w+)"/.exec(text)![1]!;
    const whereOf = (tree: string) =>
      collection.asSecret({ path: `?where=${encodeURIComponent(tree)}` });
    refused(await whereOf(`{"v":${text}}`), 400, "UNKNOWN_OPERATOR", operator);
    for (
      const operand of [`{"eq":${text}}`, `{"ne":${text}}`, `{"gt":${text}}`, `{"in":[${text}]}`]
    ) {
      for (const field of ["n", "v"]) {
        refused(await whereOf(`{"${field}":${operand}}`), 400, "INVALID_QUERY", "where");
      }
    }
  }
});

Deno.test("members of such objects are found by their paths", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await collection.insert(
    { n: 1, v: { _bsontype: "Long", low: 5, high: 0 } },
    { n: 2, v: { _bsontype: "ObjectId", id: "6b019b7dc7104db8c60a39fe" } },
    { n: 3, v: 5 },
  );
  assert.deepEqual(await collection.names("v._bsontype=Long"), [1]);
  assert.deepEqual(await collection.names("v.low_gte=5"), [1]);
  assert.deepEqual(await collection.names("v._bsontype_exists=true&sort=createdAt"), [1, 2]);
  assert.deepEqual(await collection.names("v=5"), [3]);
  const where = encodeURIComponent('{"v._bsontype":{"in":["ObjectId","Int32"]}}');
  assert.deepEqual(await collection.names(`where=${where}`), [2]);
});

const objects = (levels: number): string => levels === 1 ? "{}" : `{"a":${objects(levels - 1)}}`;
const lists = (levels: number): string =>
  `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

Deno.test("a document may be 20 levels deep and no deeper", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  for (const nested of [objects, lists]) {
    for (const write of ["POST", "bulk", "PUT", "PATCH"]) {
      assert.ok((await WRITES[write]!(collection, id, nested(20))).status < 300, write);
    }
    await collection.untouched(async () => {
      for (const write of ["POST", "bulk", "PUT", "PATCH"]) {
        const answer = await WRITES[write]!(collection, id, nested(21));
        refused(answer, 400, "INVALID_DOCUMENT", "20 levels");
      }
    });
  }
});

Deno.test("a dotted path counts as levels of the document", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  const path = (names: number) => Array.from({ length: names }, (_, i) => `p${i}`).join(".");
  const patch = (name: string, value: unknown) =>
    collection.asSecret({ method: "PATCH", path: `/${id}`, body: { [name]: value } });
  await collection.untouched(async () => {
    refused(await patch(path(21), 1), 400, "INVALID_DOCUMENT", "20 levels");
    refused(await patch(path(20), {}), 400, "INVALID_DOCUMENT", "20 levels");
    refused(await patch(path(18), { a: { b: {} } }), 400, "INVALID_DOCUMENT", "20 levels");
  });
  assert.equal((await patch(path(20), 1)).status, 200);
  assert.equal((await patch(`q.${path(18)}`, {})).status, 200);
});

Deno.test("10,000 levels of JSON are refused and the server keeps running", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { _id: id } = await collection.insertOne();
  await collection.untouched(async () => {
    for (const deep of [`{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, objects(5_000)]) {
      for (const write of Object.keys(WRITES)) {
        const answer = await WRITES[write]!(collection, id, deep);
        refused(answer, 400, "INVALID_DOCUMENT", "20 levels");
      }
    }
    for (const write of ["POST", "POST with a key", "PUT", "PATCH"]) {
      const answer = await WRITES[write]!(collection, id, "[".repeat(10_000) + "]".repeat(10_000));
      refused(answer, 400, "INVALID_BODY");
    }
  });
});
