import assert from "node:assert/strict";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestUser } from "../support/test_app.ts";
import { ok, openShelf, refused, type Shelf, type ShelfCall, tally, times } from "./shelf.ts";

const HOUR = 3_600_000;

const withKey = (key: string, call: ShelfCall): ShelfCall => ({
  ...call,
  headers: { "idempotency-key": key },
});

const count = async (shelf: Shelf): Promise<number> =>
  ok(await shelf.asSecret({ path: "?count=true" })).count;

/** The two operations that take a key, each with a body and another one. */
const OPERATIONS: Record<string, { call: ShelfCall; other: ShelfCall; rows: number }> = {
  POST: { call: { body: { n: 1 } }, other: { body: { n: 2 } }, rows: 1 },
  bulk: {
    call: { path: "/bulk", body: [{ n: 1 }, { n: 2 }] },
    other: { path: "/bulk", body: [{ n: 1 }] },
    rows: 2,
  },
};

for (const [name, { call, other, rows }] of Object.entries(OPERATIONS)) {
  Deno.test(`${name}: a repeated request gets the first answer and writes nothing`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const first = await shelf.asSecret(withKey("k", call));
    ok(first, 201);
    await shelf.untouched(async () => {
      app.clock.advance(HOUR);
      const again = await shelf.asSecret(withKey("k", call));
      assert.equal(again.status, 201);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get("etag"), first.headers.get("etag"));
    });
    assert.equal(await count(shelf), rows);
    ok(await shelf.asSecret(withKey("another", call)), 201);
    ok(await shelf.asSecret(call), 201);
    assert.equal(await count(shelf), 3 * rows);
  });

  Deno.test(`${name}: another body under the same key is 422 and stores nothing`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const first = await shelf.asSecret(withKey("k", call));
    await shelf.untouched(async () => {
      refused(await shelf.asSecret(withKey("k", other)), 422, "IDEMPOTENCY_KEY_REUSED");
    });
    assert.equal((await shelf.asSecret(withKey("k", call))).text, first.text);
  });

  Deno.test(`${name}: of 20 at once one takes effect and all get its answer`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const answers = await Promise.all(times(20, () => shelf.asSecret(withKey("k", call))));
    assert.deepEqual(tally(answers), { 201: 20 });
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await count(shelf), rows);
  });

  Deno.test(`${name}: an answer is kept for 24 hours and not longer`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const first = await shelf.asSecret(withKey("k", call));
    app.clock.advance(24 * HOUR - 1);
    await maintain(app.services);
    assert.equal((await shelf.asSecret(withKey("k", call))).text, first.text);
    app.clock.advance(1);
    const later = await shelf.asSecret(withKey("k", other));
    ok(later, 201);
    assert.notEqual(later.text, first.text);
    assert.equal((await shelf.asSecret(withKey("k", other))).text, later.text);
    app.clock.advance(25 * HOUR);
    await maintain(app.services);
    ok(await shelf.asSecret(withKey("k", call)), 201);
    assert.ok(await count(shelf) > 2 * rows);
  });

  Deno.test(`${name}: only success is kept: after a refusal the key is free`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app, { fields: [{ key: "slug", type: "String", unique: true }] });
    const body = (members: unknown) => name === "bulk" ? [members] : members;
    const send = (members: unknown) =>
      shelf.asSecret(withKey("k", { ...call, body: body(members) }));
    const taken = await shelf.insertOne({ slug: "taken" });
    await shelf.untouched(async () => {
      refused(await send({ slug: 1 }), 400, "INVALID_DOCUMENT");
      refused(await send({ _id: "x" }), 400, "FIELD_READ_ONLY");
      refused(await send({ slug: "taken" }), 409, "DUPLICATE_VALUE");
      refused(await send({ x: "a".repeat(1_048_576) }), 413, "DOCUMENT_TOO_LARGE");
    });
    ok(await shelf.asSecret({ method: "DELETE", path: `/${taken._id}?permanent=true` }));
    ok(await send({ slug: "taken" }), 201);
  });

  Deno.test(`${name}: a key must be 1 to 128 printable ASCII characters`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    await shelf.untouched(async () => {
      for (const key of ["", " ", "k".repeat(129), "clé", "a\tb"]) {
        refused(await shelf.asSecret(withKey(key, call)), 400, "INVALID_IDEMPOTENCY_KEY");
      }
    });
    ok(await shelf.asSecret(withKey("k".repeat(128), call)), 201);
    ok(await shelf.asSecret(withKey("!", call)), 201);
  });

  Deno.test(`${name}: every caller has keys of its own`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const elsewhere = await openShelf(app);
    const [ann, bob] = [await shelf.project.user(), await shelf.project.user()];
    const send = async (user: TestUser | null, from = shelf) => {
      const keyed = withKey("k", call);
      const answer = await (user === null ? from.asSecret(keyed) : from.asPublic(keyed, user));
      ok(answer, 201);
      return answer.text;
    };
    const texts = [await send(null), await send(ann), await send(bob), await send(null, elsewhere)];
    assert.equal(new Set(texts).size, 4);
    assert.equal(await count(shelf), 3 * rows);
    assert.deepEqual(
      [await send(null), await send(ann), await send(bob), await send(null, elsewhere)],
      texts,
    );
    assert.equal(await count(shelf), 3 * rows);
    // The key is the user's, not the token's.
    const again = await shelf.app.services.tokens.verify(shelf.project.projectId, ann.token);
    assert.equal(again?.userId, ann.id);
  });

  Deno.test(`${name}: a refused caller does not learn of another's answer`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    ok(await shelf.asSecret(withKey("k", call)), 201);
    await shelf.untouched(async () => {
      refused(await shelf.asPublic(withKey("k", call)), 401, "ACCESS_TOKEN_REQUIRED");
    });
  });

  Deno.test(`${name}: the first answer stands also when its document is gone`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const first = await shelf.asSecret(withKey("k", call));
    const id = first.body.data._id ?? first.body.data.ids[0];
    ok(await shelf.asSecret({ method: "DELETE", path: `/${id}?permanent=true` }));
    await shelf.untouched(async () => {
      assert.equal((await shelf.asSecret(withKey("k", call))).text, first.text);
    });
  });

  Deno.test(`${name}: 20 keys at once are 20 effects`, async () => {
    await using app = await openTestApp();
    const shelf = await openShelf(app);
    const answers = await Promise.all(times(20, (n) => shelf.asSecret(withKey(`k${n}`, call))));
    assert.deepEqual(tally(answers), { 201: 20 });
    assert.equal(await count(shelf), 20 * rows);
  });
}

Deno.test("the same key on another path is 422 and stores nothing", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const other = await openShelf(app, { name: "notes" }, shelf.project);
  const body = { documents: [{ n: 1 }] };
  ok(await shelf.asSecret(withKey("k", { body })), 201);
  for (const untouched of [shelf, other]) {
    await untouched.untouched(async () => {
      const bulk = await shelf.asSecret(withKey("k", { path: "/bulk", body }));
      refused(bulk, 422, "IDEMPOTENCY_KEY_REUSED");
      refused(await other.asSecret(withKey("k", { body })), 422, "IDEMPOTENCY_KEY_REUSED");
    });
  }
});

Deno.test("of 20 different bodies under one key at once exactly one is stored", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  const answers = await Promise.all(
    times(20, (n) => shelf.asSecret(withKey("k", { body: { n } }))),
  );
  assert.deepEqual(tally(answers), { 201: 1, 422: 19 });
  assert.equal(await count(shelf), 1);
});

Deno.test("a key is no credential: with another body and a bad API key it is 401", async () => {
  await using app = await openTestApp();
  const shelf = await openShelf(app);
  ok(await shelf.asSecret(withKey("k", { body: { n: 1 } })), 201);
  await shelf.untouched(async () => {
    const answer = await app.send({
      path: "/api/data/posts",
      body: { n: 1 },
      headers: { "x-api-key": "sk_live_wrong", "idempotency-key": "k" },
    });
    refused(answer, 401, "API_KEY_INVALID");
  });
});
