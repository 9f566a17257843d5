import assert from "node:assert/strict";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestCollection, ok, refused, times, UNKNOWN_ID } from "./test_collection.ts";

const put = (id: string, body: unknown, headers: Record<string, string> = {}) => ({
  method: "PUT",
  path: `/${id}?upsert=true`,
  body,
  headers,
});

const post = (field: string, body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  path: `?upsert=${field}`,
  body,
  headers,
});

const FIELDS = [
  { key: "slug", type: "String", unique: true },
  { key: "on", type: "Date", unique: true },
  { key: "views", type: "Number", default: 1 },
  { key: "title", type: "String", required: true },
];

const openPosts = (app: TestApp, mode = "public-read") =>
  createTestCollection(app, { fields: FIELDS, rls: { mode } });

Deno.test("PUT with upsert creates a document under the id or replaces the stored one", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const created = await posts.asSecret(put(UNKNOWN_ID, { _id: UNKNOWN_ID, title: "a", more: 1 }));
  const document = ok(created, 201);
  assert.equal(created.body.message, "Document created");
  assert.deepEqual([document._id, document.views, document.more], [UNKNOWN_ID, 1, 1]);
  assert.ok(created.headers.get("etag"));
  app.clock.advance(1000);
  const replaced = await posts.asSecret(put(UNKNOWN_ID, { title: "b" }));
  assert.equal(replaced.body.message, "Document replaced");
  const { createdAt, updatedAt, more } = ok(replaced, 200);
  assert.deepEqual([createdAt, more], [document.createdAt, undefined]);
  assert.notEqual(updatedAt, createdAt);
  for (const text of ["TRUE", "True"]) {
    const again = { ...put(UNKNOWN_ID, { title: "c" }), path: `/${UNKNOWN_ID}?upsert=${text}` };
    assert.equal((await posts.asSecret(again)).status, 200);
  }
});

Deno.test("without upsert, or with If-Match, nothing is created", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  await posts.untouched(async () => {
    for (const query of ["", "?upsert=false", "?other=true"]) {
      const call = { ...put(UNKNOWN_ID, { title: "a" }), path: `/${UNKNOWN_ID}${query}` };
      refused(await posts.asSecret(call), 404, "DOCUMENT_NOT_FOUND");
    }
    const matching = put(UNKNOWN_ID, { title: "a" }, { "if-match": "*" });
    refused(await posts.asSecret(matching), 404, "DOCUMENT_NOT_FOUND");
    const unclear = { ...put(UNKNOWN_ID, { title: "a" }), path: `/${UNKNOWN_ID}?upsert=maybe` };
    refused(await posts.asSecret(unclear), 400, "INVALID_QUERY", '"upsert" must be true or false');
    refused(await posts.asSecret(put(UNKNOWN_ID, {})), 400, "INVALID_DOCUMENT", "title");
  });
});

Deno.test("PUT with upsert creates for the caller, and replaces only the caller's documents", async () => {
  await using app = await openTestApp();
  for (const mode of ["public-read", "private"]) {
    const posts = await createTestCollection(app, { fields: FIELDS, rls: { mode } });
    const [ada, bob] = [await posts.project.user(), await posts.project.user()];
    const made = ok(await posts.asPublic(put(UNKNOWN_ID, { title: "a" }), ada), 201);
    assert.equal(made.userId, ada.id);
    assert.equal(ok(await posts.asPublic(put(UNKNOWN_ID, { title: "b" }), ada)).userId, ada.id);
    await posts.untouched(async () => {
      const foreign = await posts.asPublic(put(UNKNOWN_ID, { title: "c" }), bob);
      if (mode === "private") refused(foreign, 404, "DOCUMENT_NOT_FOUND");
      else refused(foreign, 403, "OWNER_MISMATCH");
      refused(await posts.asPublic(put(UNKNOWN_ID, { title: "c" })), 401, "ACCESS_TOKEN_REQUIRED");
    });
    assert.equal(ok(await posts.asSecret(put(UNKNOWN_ID, { title: "d" }))).userId, ada.id);
    await posts.remove(UNKNOWN_ID);
    await posts.untouched(async () => {
      for (
        const answer of [
          await posts.asPublic(put(UNKNOWN_ID, { title: "e" }), ada),
          await posts.asSecret(put(UNKNOWN_ID, { title: "e" })),
        ]
      ) refused(answer, 404, "DOCUMENT_NOT_FOUND", "recover it first");
    });
  }
});

Deno.test("POST with upsert changes the live document with the value, or creates one", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const first = ok(await posts.asSecret(post("slug", { slug: "a", title: "one", more: 1 })), 201);
  assert.equal(first.views, 1);
  app.clock.advance(1000);
  const answer = await posts.asSecret(post("slug", { slug: "a", title: "two" }));
  assert.equal(answer.body.message, "Document changed");
  const changed = ok(answer, 200);
  const { updatedAt } = changed;
  assert.deepEqual(changed, { ...first, title: "two", updatedAt });
  const dated = ok(await posts.asSecret(post("on", { on: "2026-01-31", title: "x" })), 201);
  const same = { on: "2026-01-31T00:00:00Z", title: "y" };
  assert.equal(ok(await posts.asSecret(post("on", same))).title, "y");
  assert.equal((await posts.read(dated._id)).body.data.title, "y");
});

testUnless(
  faults.staysTaken,
  "POST with upsert ignores documents in the trash and creates a new one",
  async () => {
    await using app = await openTestApp();
    const posts = await openPosts(app);
    const first = await posts.insertOne({ slug: "a", title: "one" });
    await posts.remove(first._id);
    const second = ok(await posts.asSecret(post("slug", { slug: "a", title: "two" })), 201);
    assert.notEqual(second._id, first._id);
  },
);

Deno.test("POST with upsert is refused without a unique field and its value", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  await posts.insert({ slug: "a", title: "a" }, { on: "2026-01-31", title: "b" });
  await posts.untouched(async () => {
    const refusedFor = async (field: string, says: string) =>
      refused(await posts.asSecret(post(field, { title: "x" })), 400, "INVALID_QUERY", says);
    await refusedFor("title", '"title", which is not a unique field');
    await refusedFor("nothing", '"nothing", which is not a unique field');
    await refusedFor("_id", '"upsert" must be the name of a unique field');
    for (const slug of [undefined, null]) {
      const answer = await posts.asSecret(post("slug", { slug, title: "x" }));
      refused(answer, 400, "INVALID_DOCUMENT", '"slug" selects the document');
    }
    const wrong = [{ slug: "a" }, { slug: "a", title: { $inc: 1 } }, { slug: 1, title: "x" }];
    for (const body of wrong) {
      refused(await posts.asSecret(post("slug", body)), 400, "INVALID_DOCUMENT");
    }
    const taken = { slug: "a", on: "2026-01-31", title: "x" };
    refused(await posts.asSecret(post("slug", taken)), 409, "DUPLICATE_VALUE", "on");
    refused(await posts.asSecret(post("slug", { ...taken, slug: "new" })), 409, "DUPLICATE_VALUE");
  });
});

Deno.test("POST with upsert changes only the caller's documents", async () => {
  await using app = await openTestApp();
  for (const mode of ["public-read", "private"]) {
    const posts = await createTestCollection(app, { fields: FIELDS, rls: { mode } });
    const [ada, bob] = [await posts.project.user(), await posts.project.user()];
    const body = { slug: "a", title: "a" };
    assert.equal(ok(await posts.asPublic(post("slug", body), ada), 201).userId, ada.id);
    assert.equal(ok(await posts.asPublic(post("slug", body), ada)).userId, ada.id);
    await posts.untouched(async () => {
      const foreign = await posts.asPublic(post("slug", body), bob);
      if (mode === "private") refused(foreign, 409, "DUPLICATE_VALUE");
      else refused(foreign, 403, "OWNER_MISMATCH");
    });
  }
});

Deno.test("of 20 concurrent upserts one creates and the others change, each with its response", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const tally = (answers: readonly { status: number }[]) =>
    [201, 200].map((status) => answers.filter((one) => one.status === status).length);
  const byId = await Promise.all(
    times(20, (n) => posts.asSecret(put(UNKNOWN_ID, { title: `t${n}` }))),
  );
  assert.deepEqual(tally(byId), [1, 19]);
  const byField = await Promise.all(
    times(20, (n) => posts.asSecret(post("slug", { slug: "a", title: `t${n}` }))),
  );
  assert.deepEqual(tally(byField), [1, 19]);
  assert.equal(ok(await posts.asSecret({ path: "?count=true" })).count, 2);
});

Deno.test("an upsert with an idempotency key runs once and repeats its status", async () => {
  await using app = await openTestApp();
  const posts = await openPosts(app);
  const send = (key: string) =>
    posts.asSecret(post("slug", { slug: "a", title: "a" }, { "idempotency-key": key }));
  const [created, repeated] = [await send("one"), await send("one")];
  assert.deepEqual([created.status, repeated.status], [201, 201]);
  assert.equal(repeated.text, created.text);
  const [changed, again] = [await send("two"), await send("two")];
  assert.deepEqual([changed.status, again.status], [200, 200]);
  assert.equal(again.text, changed.text);
  const other = { slug: "a", title: "a" };
  const plain = { body: other, headers: { "idempotency-key": "one" } };
  refused(await posts.asSecret(plain), 422, "IDEMPOTENCY_KEY_REUSED");
  const racing = await Promise.all(
    times(
      20,
      (n) =>
        posts.asSecret(post("slug", { slug: "b", title: `${n}` }, { "idempotency-key": `k${n}` })),
    ),
  );
  assert.deepEqual(racing.filter(({ status }) => status === 201).length, 1);
  assert.deepEqual(racing.filter(({ status }) => status === 200).length, 19);
});
