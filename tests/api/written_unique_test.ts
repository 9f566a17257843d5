import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import {
  createTestCollection,
  ok,
  refused,
  tally,
  type TestCollection,
  times,
} from "./test_collection.ts";

const FIELDS = [
  { key: "slug", type: "String", unique: true },
  { key: "code", type: "Number", unique: true },
  { key: "day", type: "Date", unique: true },
  { key: "twin", type: "Ref", ref: "posts", unique: true },
];

const ID = "aaaaaaaaaaaaaaaaaaaaaaaa";

/** A stored value and other spellings of it. */
const EQUAL_VALUES: Record<string, readonly [unknown, ...unknown[]]> = {
  slug: ["one", "one"],
  code: [1, 1, 1.0],
  day: ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z", "2026-01-31T14:00:00+02:00"],
  twin: [ID, ID, ID.toUpperCase()],
};

const openUnique = (app: TestApp): Promise<TestCollection> =>
  createTestCollection(app, { fields: FIELDS });

Deno.test("a taken value is refused on POST, bulk, PUT and PATCH and stores nothing", async () => {
  await using app = await openTestApp();
  const collection = await openUnique(app);
  const { _id: id } = await collection.insertOne({ n: "other" });
  for (const [field, [stored, ...same]] of Object.entries(EQUAL_VALUES)) {
    await collection.insertOne({ [field]: stored });
    await collection.untouched(async () => {
      for (const value of same) {
        const body = { [field]: value };
        const calls = [
          { body },
          { body, headers: { "idempotency-key": crypto.randomUUID() } },
          { path: "/bulk", body: [{ n: 1 }, body, { n: 2 }] },
          { method: "PUT", path: `/${id}`, body },
          { method: "PATCH", path: `/${id}`, body },
        ];
        for (const call of calls) {
          refused(await collection.asSecret(call), 409, "DUPLICATE_VALUE", `"${field}"`);
        }
      }
    });
  }
});

Deno.test("two documents of one bulk cannot share a value, and neither is stored", async () => {
  await using app = await openTestApp();
  const collection = await openUnique(app);
  await collection.untouched(async () => {
    for (const [field, [one, ...same]] of Object.entries(EQUAL_VALUES)) {
      const body = [{ [field]: one }, { n: 1 }, { [field]: same.at(-1) }];
      refused(
        await collection.asSecret({ path: "/bulk", body }),
        409,
        "DUPLICATE_VALUE",
        `"${field}"`,
      );
    }
  });
});

testUnless(
  faults.staysTaken,
  "a document stays in the trash if its unique value is taken",
  async () => {
    await using app = await openTestApp();
    const collection = await openUnique(app);
    for (const [field, [value]] of Object.entries(EQUAL_VALUES)) {
      const { _id: id } = await collection.insertOne({ [field]: value });
      await collection.remove(id);
      const taker = await collection.insertOne({ [field]: value });
      await collection.untouched(async () => {
        const answer = await collection.asSecret({ method: "PATCH", path: `/${id}/recover` });
        refused(answer, 409, "DUPLICATE_VALUE", `"${field}"`);
      });
      await collection.remove(taker._id);
      assert.equal(
        ok(await collection.asSecret({ method: "PATCH", path: `/${id}/recover` }))._id,
        id,
      );
      await collection.remove(id);
    }
  },
);

testUnless(
  faults.staysTaken,
  "missing and null values and values in the trash are not taken",
  async () => {
    await using app = await openTestApp();
    const collection = await openUnique(app);
    await collection.insert({}, {}, { slug: null, code: null }, { slug: null, code: null });
    const { _id: id } = await collection.insertOne({ slug: "free" });
    await collection.remove(id);
    await collection.insertOne({ slug: "free" });
    const { _id: other } = await collection.insertOne({ slug: "Free" });
    ok(await collection.asSecret({ method: "PATCH", path: `/${other}`, body: { slug: "free " } }));
  },
);

Deno.test("a document keeps its own value on PUT and PATCH", async () => {
  await using app = await openTestApp();
  const collection = await openUnique(app);
  const { _id: id } = await collection.insertOne({ slug: "mine", code: 1 });
  ok(await collection.asSecret({ method: "PUT", path: `/${id}`, body: { slug: "mine", code: 1 } }));
  ok(await collection.asSecret({ method: "PATCH", path: `/${id}`, body: { slug: "mine" } }));
});

Deno.test("a user learns that a value is taken, and nothing else of that document", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS, rls: { mode: "private" } });
  const [ann, bob] = [await collection.project.user(), await collection.project.user()];
  const { _id } = ok(
    await collection.asPublic({ body: { slug: "s", hidden: "secret" } }, ann),
    201,
  );
  await collection.untouched(async () => {
    const answer = await collection.asPublic({ body: { slug: "s" } }, bob);
    refused(answer, 409, "DUPLICATE_VALUE", '"slug"');
    assert.ok(!answer.text.includes(_id) && !answer.text.includes("secret"));
  });
});

Deno.test("of 50 concurrent creations with one value exactly one succeeds", async () => {
  await using app = await openTestApp();
  const collection = await openUnique(app);
  const posted = await Promise.all(
    times(50, (n) => collection.asSecret({ body: { slug: "one", n } })),
  );
  assert.deepEqual(tally(posted), { 201: 1, 409: 49 });

  const bulks: Answer[] = await Promise.all(
    times(
      20,
      (n) => collection.asSecret({ path: "/bulk", body: [{ b: n }, { slug: "three", b: n }] }),
    ),
  );
  assert.deepEqual(tally(bulks), { 201: 1, 409: 19 });
  const total = ok(await collection.asSecret({ path: "?count=true&b_exists=true" })).count;
  assert.equal(total, 2);
});

testUnless(
  faults.sharesUnique,
  "of 20 concurrent changes to one value exactly one succeeds",
  async () => {
    await using app = await openTestApp();
    const collection = await openUnique(app);
    const rows = await collection.insert(...times(20, (n) => ({ n })));
    const patched = await Promise.all(
      rows.map(({ _id }) =>
        collection.asSecret({ method: "PATCH", path: `/${_id}`, body: { slug: "two" } })
      ),
    );
    assert.deepEqual(tally(patched), { 200: 1, 409: 19 });
  },
);
