import assert from "node:assert/strict";
import { KEPT_ANSWERS } from "@/lib/documents/idempotency.ts";
import { readDocumentBytes } from "@/lib/documents/quota.ts";
import { recountDocuments } from "@/lib/documents/recount.ts";
import { KEPT_ANSWERS_MAX } from "@/lib/limits.ts";
import { ALL } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestApp, type TestUser } from "../support/test_app.ts";
import {
  type CollectionCall,
  createTestCollection,
  ok,
  refused,
  tally,
  type TestCollection,
  times,
} from "./test_collection.ts";

const HOUR = 3_600_000;

const withKey = (key: string, call: CollectionCall): CollectionCall => ({
  ...call,
  headers: { "idempotency-key": key },
});

const countDocuments = async (collection: TestCollection): Promise<number> =>
  ok(await collection.asSecret({ path: "?count=true" })).count;

/** The operations that accept a key, each with two different bodies. */
const OPERATIONS: Record<string, { call: CollectionCall; other: CollectionCall; rows: number }> = {
  createDocument: { call: { body: { n: 1 } }, other: { body: { n: 2 } }, rows: 1 },
  createDocuments: {
    call: { path: "/bulk", body: [{ n: 1 }, { n: 2 }] },
    other: { path: "/bulk", body: [{ n: 1 }] },
    rows: 2,
  },
};

for (const [name, { call, other, rows }] of Object.entries(OPERATIONS)) {
  Deno.test(`${name}: a repeated request gets the first response and writes nothing`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const first = await collection.asSecret(withKey("k", call));
    ok(first, 201);
    await collection.untouched(async () => {
      app.clock.advance(HOUR);
      const again = await collection.asSecret(withKey("k", call));
      assert.equal(again.status, 201);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get("etag"), first.headers.get("etag"));
    });
    assert.equal(await countDocuments(collection), rows);
    ok(await collection.asSecret(withKey("another", call)), 201);
    ok(await collection.asSecret(call), 201);
    assert.equal(await countDocuments(collection), 3 * rows);
  });

  Deno.test(`${name}: another body with the same key is 422 and stores nothing`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const first = await collection.asSecret(withKey("k", call));
    await collection.untouched(async () => {
      refused(await collection.asSecret(withKey("k", other)), 422, "IDEMPOTENCY_KEY_REUSED");
    });
    assert.equal((await collection.asSecret(withKey("k", call))).text, first.text);
  });

  Deno.test(`${name}: 20 concurrent requests with one key take effect once`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const answers = await Promise.all(times(20, () => collection.asSecret(withKey("k", call))));
    assert.deepEqual(tally(answers), { 201: 20 });
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await countDocuments(collection), rows);
  });

  Deno.test(`${name}: a response is kept for exactly 24 hours`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const first = await collection.asSecret(withKey("k", call));
    app.clock.advance(24 * HOUR - 1);
    await maintain(app.services);
    assert.equal((await collection.asSecret(withKey("k", call))).text, first.text);
    app.clock.advance(1);
    const later = await collection.asSecret(withKey("k", other));
    ok(later, 201);
    assert.notEqual(later.text, first.text);
    assert.equal((await collection.asSecret(withKey("k", other))).text, later.text);
    app.clock.advance(25 * HOUR);
    await maintain(app.services);
    ok(await collection.asSecret(withKey("k", call)), 201);
    assert.ok(await countDocuments(collection) > 2 * rows);
  });

  Deno.test(`${name}: a refusal is not kept, and its key can be used again`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app, {
      fields: [{ key: "slug", type: "String", unique: true }],
    });
    const body = (members: unknown) => name === "createDocuments" ? [members] : members;
    const send = (members: unknown) =>
      collection.asSecret(withKey("k", { ...call, body: body(members) }));
    const taken = await collection.insertOne({ slug: "taken" });
    await collection.untouched(async () => {
      refused(await send({ slug: 1 }), 400, "INVALID_DOCUMENT");
      refused(await send({ _id: "x" }), 400, "FIELD_READ_ONLY");
      refused(await send({ slug: "taken" }), 409, "DUPLICATE_VALUE");
      refused(await send({ x: "a".repeat(1_048_576) }), 413, "DOCUMENT_TOO_LARGE");
    });
    ok(await collection.asSecret({ method: "DELETE", path: `/${taken._id}?permanent=true` }));
    ok(await send({ slug: "taken" }), 201);
  });

  Deno.test(`${name}: a key must be 1 to 128 printable ASCII characters`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    await collection.untouched(async () => {
      for (const key of ["", " ", "k".repeat(129), "clé", "a\tb"]) {
        refused(await collection.asSecret(withKey(key, call)), 400, "INVALID_IDEMPOTENCY_KEY");
      }
    });
    ok(await collection.asSecret(withKey("k".repeat(128), call)), 201);
    ok(await collection.asSecret(withKey("!", call)), 201);
  });

  Deno.test(`${name}: each caller's keys are separate`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const elsewhere = await createTestCollection(app);
    const [ann, bob] = [await collection.project.user(), await collection.project.user()];
    const send = async (user: TestUser | null, from = collection) => {
      const keyed = withKey("k", call);
      const answer = await (user === null ? from.asSecret(keyed) : from.asPublic(keyed, user));
      ok(answer, 201);
      return answer.text;
    };
    const texts = [await send(null), await send(ann), await send(bob), await send(null, elsewhere)];
    assert.equal(new Set(texts).size, 4);
    assert.equal(await countDocuments(collection), 3 * rows);
    assert.deepEqual(
      [await send(null), await send(ann), await send(bob), await send(null, elsewhere)],
      texts,
    );
    assert.equal(await countDocuments(collection), 3 * rows);
    // A key belongs to the user and not to the token.
    const again = await collection.app.services.tokens.verify(
      collection.project.projectId,
      ann.token,
    );
    assert.equal(again?.userId, ann.id);
  });

  Deno.test(`${name}: a refused caller does not get another caller's response`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    ok(await collection.asSecret(withKey("k", call)), 201);
    await collection.untouched(async () => {
      refused(await collection.asPublic(withKey("k", call)), 401, "ACCESS_TOKEN_REQUIRED");
    });
  });

  Deno.test(`${name}: the first response is repeated even if its document was deleted`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const first = await collection.asSecret(withKey("k", call));
    const id = first.body.data._id ?? first.body.data.ids[0];
    ok(await collection.asSecret({ method: "DELETE", path: `/${id}?permanent=true` }));
    await collection.untouched(async () => {
      assert.equal((await collection.asSecret(withKey("k", call))).text, first.text);
    });
  });

  Deno.test(`${name}: 20 concurrent requests with different keys take effect 20 times`, async () => {
    await using app = await openTestApp();
    const collection = await createTestCollection(app);
    const answers = await Promise.all(
      times(20, (n) => collection.asSecret(withKey(`k${n}`, call))),
    );
    assert.deepEqual(tally(answers), { 201: 20 });
    assert.equal(await countDocuments(collection), 20 * rows);
  });
}

Deno.test("a kept response counts towards the document quota until it is removed", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { projectId } = collection.project;
  const used = () => readDocumentBytes(app.services.engine, projectId);
  const body = { text: "x".repeat(100_000) };
  ok(await collection.asSecret({ body }), 201);
  const documentBytes = await used();
  ok(await collection.asSecret(withKey("k", { body })), 201);
  const keptBytes = await used() - 2 * documentBytes;
  assert.ok(keptBytes > 100_000 && keptBytes < 101_000, `${keptBytes} bytes are kept`);
  ok(await collection.asSecret(withKey("k", { body })), 201);
  assert.equal(await used(), 2 * documentBytes + keptBytes, "a repeated request stores nothing");
  assert.equal((await recountDocuments(app.services, projectId)).corrected, 0);
  app.clock.advance(25 * HOUR);
  await maintain(app.services);
  assert.equal(await used(), 2 * documentBytes);
});

/** Stores kept responses that match no request. */
async function insertKeptAnswers({ project }: TestCollection, app: TestApp, count: number) {
  const { engine, clock, newId } = app.services;
  const expiresAt = new Date(clock.now() + HOUR).toISOString();
  const records = engine.records(project.projectId, KEPT_ANSWERS);
  for (let left = count; left > 0; left -= 1000) {
    await records.insertMany(times(Math.min(left, 1000), (n) => ({
      _id: newId(),
      keyHash: `${left} ${n}`,
      request: "",
      data: "{}",
      expiresAt,
    })));
  }
}

Deno.test("a project keeps up to 10,000 responses, and further keys are 429", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const first = ok(await collection.asSecret(withKey("first", { body: {} })), 201);
  await insertKeptAnswers(collection, app, KEPT_ANSWERS_MAX - 2);
  ok(await collection.asSecret(withKey("last", { body: {} })), 201);
  await collection.untouched(async () => {
    for (const call of [{ body: {} }, { path: "/bulk", body: [{}] }]) {
      const answer = await collection.asSecret(withKey("more", call));
      refused(answer, 429, "TOO_MANY_IDEMPOTENCY_KEYS", "10000 answers");
      assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    }
    assert.deepEqual(ok(await collection.asSecret(withKey("first", { body: {} })), 201), first);
  });
  ok(await collection.asSecret({ body: {} }), 201);
  // Expired responses do not count.
  app.clock.advance(2 * HOUR);
  ok(await collection.asSecret(withKey("more", { body: {} })), 201);
});

Deno.test("concurrent requests never exceed 10,000 kept responses, and the others are 429", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await insertKeptAnswers(collection, app, KEPT_ANSWERS_MAX - 5);
  const answers = await Promise.all(
    times(40, (i) => collection.asSecret(withKey(`k${i}`, { body: { i } }))),
  );
  assert.deepEqual(tally(answers), { 201: 5, 429: 35 });
  assert.equal(await countDocuments(collection), 5);
  const records = app.services.engine.records(collection.project.projectId, KEPT_ANSWERS);
  assert.equal(await records.count(ALL), KEPT_ANSWERS_MAX);
});

Deno.test("100 concurrent requests with keys succeed among 4,000 kept responses, also repeated", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await insertKeptAnswers(collection, app, 4_000);
  for (const _round of ["new", "repeated"]) {
    const answers = await Promise.all(
      times(100, (i) => collection.asSecret(withKey(`k${i}`, { body: { i } }))),
    );
    assert.deepEqual(tally(answers), { 201: 100 });
    assert.equal(await countDocuments(collection), 100);
  }
});

Deno.test("a key that is reused on another path is 422 and stores nothing", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const other = await createTestCollection(app, { name: "notes" }, collection.project);
  const body = { documents: [{ n: 1 }] };
  ok(await collection.asSecret(withKey("k", { body })), 201);
  for (const untouched of [collection, other]) {
    await untouched.untouched(async () => {
      const bulk = await collection.asSecret(withKey("k", { path: "/bulk", body }));
      refused(bulk, 422, "IDEMPOTENCY_KEY_REUSED");
      refused(await other.asSecret(withKey("k", { body })), 422, "IDEMPOTENCY_KEY_REUSED");
    });
  }
});

Deno.test("of 20 concurrent requests with one key and different bodies one is stored", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const answers = await Promise.all(
    times(20, (n) => collection.asSecret(withKey("k", { body: { n } }))),
  );
  assert.deepEqual(tally(answers), { 201: 1, 422: 19 });
  assert.equal(await countDocuments(collection), 1);
});

Deno.test("an idempotency key does not authenticate a request with an invalid API key", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  ok(await collection.asSecret(withKey("k", { body: { n: 1 } })), 201);
  await collection.untouched(async () => {
    const answer = await app.send({
      path: "/api/data/posts",
      body: { n: 1 },
      headers: { "x-api-key": "sk_live_wrong", "idempotency-key": "k" },
    });
    refused(answer, 401, "API_KEY_INVALID");
  });
});
