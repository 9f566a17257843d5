import assert from "node:assert/strict";
import type { ProblemCode } from "@/lib/problems.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, send } from "../support/conforming_client.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import {
  createTestCollection,
  type Doc,
  ok,
  refused,
  times,
  UNKNOWN_ID,
} from "./test_collection.ts";

const batch = (operations: readonly unknown[], headers: Record<string, string> = {}) => ({
  path: "/api/batch",
  body: { operations },
  headers,
});

const create = (document: unknown, collection = "posts") => ({
  action: "create",
  collection,
  document,
});

const resultsOf = (answer: Answer): { id: string; document?: Doc }[] => ok(answer, 200).results;

function refusedAt(answer: Answer, operation: number, status: number, code: ProblemCode) {
  refused(answer, status, code);
  assert.equal(answer.body.operation, operation);
}

Deno.test("operations run in order, and each sees the changes of those before it", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const notes = await createTestCollection(app, { name: "notes" }, posts.project);
  const [one, two, three] = await posts.insert({ n: 1 }, { n: 2 }, { n: 3 });
  await posts.remove(three!._id);
  app.clock.advance(1000);
  const answer = await posts.project.asSecret(batch([
    create({ n: 10 }),
    create({ text: "x" }, "notes"),
    { action: "patch", collection: "posts", id: one!._id, document: { n: { $inc: 5 } } },
    { action: "patch", collection: "posts", id: one!._id, document: { n: { $inc: 5 }, a: 1 } },
    { action: "replace", collection: "posts", id: one!._id, document: { b: 2 } },
    { action: "delete", collection: "posts", id: two!._id },
    { action: "recover", collection: "posts", id: three!._id.toUpperCase() },
    { action: "upsert", collection: "posts", id: UNKNOWN_ID, document: { n: 7 } },
    { action: "upsert", collection: "posts", id: UNKNOWN_ID, document: { n: 8 } },
  ]));
  assert.equal(answer.body.message, "Batch done");
  const results = resultsOf(answer);
  assert.deepEqual(results.map(({ document }) => document?.n), [
    10,
    undefined,
    6,
    11,
    undefined,
    undefined,
    3,
    7,
    8,
  ]);
  assert.deepEqual(results[5], { id: two!._id });
  assert.equal(results[6]!.id, three!._id);
  assert.equal(results[6]!.document?.isDeleted, false);
  const first = (await posts.read(one!._id)).body.data;
  assert.deepEqual([first.b, first.n, first.a], [2, undefined, undefined]);
  assert.deepEqual(results[4]!.document, first);
  assert.equal((await posts.read(two!._id)).body.data.isDeleted, true);
  assert.equal((await posts.read(UNKNOWN_ID)).body.data.n, 8);
  assert.equal((await notes.read(results[1]!.id)).body.data.text, "x");
});

Deno.test("one refused operation rolls back all, and the error names its index", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, {
    fields: [{ key: "slug", type: "String", unique: true }, { key: "n", type: "Number" }],
  });
  const one = await posts.insertOne({ slug: "taken", n: 1 });
  const gone = await posts.insertOne({});
  await posts.remove(gone._id);
  const patch = (document: unknown, more: object = {}) => ({
    action: "patch",
    collection: "posts",
    id: one._id,
    document,
    ...more,
  });
  const cases: [operation: unknown, status: number, code: ProblemCode][] = [
    [create({ n: "text" }), 400, "INVALID_DOCUMENT"],
    [create([]), 400, "INVALID_BODY"],
    [create({ _id: UNKNOWN_ID }), 400, "FIELD_READ_ONLY"],
    [create({ slug: "taken" }), 409, "DUPLICATE_VALUE"],
    [create({ x: "x".repeat(1_048_576) }), 413, "DOCUMENT_TOO_LARGE"],
    [create({}, "nothing"), 404, "COLLECTION_NOT_FOUND"],
    [create({}, "Users"), 403, "USERS_RESERVED"],
    [patch({ n: { $push: 1 } }), 400, "INVALID_DOCUMENT"],
    [patch({ n: 2 }, { ifMatch: '"other"' }), 412, "PRECONDITION_FAILED"],
    [{ ...patch({}), action: "replace", ifMatch: '"other"' }, 412, "PRECONDITION_FAILED"],
    [{ ...patch({}), id: UNKNOWN_ID }, 404, "DOCUMENT_NOT_FOUND"],
    [{ action: "delete", collection: "posts", id: gone._id }, 404, "DOCUMENT_NOT_FOUND"],
    [{ action: "recover", collection: "posts", id: UNKNOWN_ID }, 404, "DOCUMENT_NOT_FOUND"],
    [
      { action: "upsert", collection: "posts", id: gone._id, document: {} },
      404,
      "DOCUMENT_NOT_FOUND",
    ],
  ];
  await posts.untouched(async () => {
    for (const [operation, status, code] of cases) {
      const answer = await posts.project.asSecret(
        batch([create({}), patch({ n: 9 }), operation, create({})]),
      );
      refusedAt(answer, 2, status, code);
    }
  });
});

Deno.test("an invalid list of operations is refused before anything runs", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app);
  const { project } = posts;
  const good = create({});
  await posts.untouched(async () => {
    for (const operations of [[], times(101, () => good), {}, null, "text"]) {
      const answer = await project.asSecret({ path: "/api/batch", body: { operations } });
      refused(answer, 400, "INVALID_BODY", "1 to 100 operations");
      assert.equal(answer.body.operation, undefined);
    }
    const wrong: [operation: unknown, says: string][] = [
      [{ ...good, action: "remove" }, '"action" must be one of create, replace'],
      [{ collection: "posts", document: {} }, '"action" must be one of'],
      [null, '"action" must be one of'],
      [{ action: "create", collection: "posts" }, '"document" is missing'],
      [{ action: "create", document: {} }, '"collection" must be'],
      [{ ...good, id: UNKNOWN_ID }, "takes only collection, document"],
      [{ action: "delete", collection: "posts", id: "x" }, '"id" must be 24 hexadecimal digits'],
      [{ action: "delete", collection: "posts" }, '"id" must be 24 hexadecimal digits'],
      [{ action: "delete", collection: "posts", id: UNKNOWN_ID, ifMatch: 1 }, '"ifMatch" must be'],
    ];
    for (const [operation, says] of wrong) {
      const answer = await project.asSecret(batch([good, operation]));
      refused(answer, 400, "INVALID_BODY", says);
      assert.equal(answer.body.operation, 1, says);
    }
    refused(
      await project.asSecret({ path: "/api/batch", body: [good] }),
      400,
      "INVALID_BODY",
    );
    refused(await project.asSecret({ path: "/api/batch", body: "{" }), 400, "INVALID_JSON");
    const other = { ...batch([good]), headers: { "content-type": "text/plain" } };
    refused(
      await project.asSecret({ ...other, body: "x" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    );
  });
});

/** Sends a batch of one operation as each kind of caller and returns the answers. */
async function asEach(project: TestProject, user: TestUser, operation: unknown) {
  const call = batch([operation]);
  return {
    anybody: await project.asPublic(call),
    user: await project.asPublic(call, user),
    server: await project.asSecret(call),
  };
}

Deno.test("each operation obeys the rules of its collection", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { rls: { mode: "public-read" } });
  const { project } = posts;
  await project.collection({ name: "open", rls: { enabled: false } });
  await project.collection({ name: "secrets", rls: { mode: "private" } });
  const [ada, bob] = [await project.user(), await project.user()];

  const made = await asEach(project, ada, create({}));
  refusedAt(made.anybody, 0, 401, "ACCESS_TOKEN_REQUIRED");
  assert.equal(resultsOf(made.user)[0]!.document?.userId, ada.id);
  assert.equal(resultsOf(made.server)[0]!.document?.userId, undefined);

  const unruled = await asEach(project, ada, create({}, "open"));
  refusedAt(unruled.anybody, 0, 403, "RLS_REQUIRED");
  refusedAt(unruled.user, 0, 403, "RLS_REQUIRED");
  assert.equal(unruled.server.status, 200);

  const theirs = await asEach(project, ada, create({ userId: bob.id }));
  refusedAt(theirs.user, 0, 403, "OWNER_MISMATCH");
  const { id } = resultsOf(theirs.server)[0]!;
  const own = resultsOf(await project.asPublic(batch([create({})]), ada))[0]!.id;
  for (const action of ["patch", "replace", "upsert"]) {
    const on = (id: string, document = {}) => ({ action, collection: "posts", id, document });
    const others = await project.asPublic(batch([on(own), on(id)]), ada);
    refusedAt(others, 1, 403, "OWNER_MISMATCH");
    const given = await project.asPublic(batch([on(own, { userId: bob.id })]), ada);
    refusedAt(given, 0, 403, "OWNER_IMMUTABLE");
  }
  const hidden = resultsOf(await project.asPublic(batch([create({}, "secrets")]), bob))[0]!.id;
  for (const action of ["delete", "recover"]) {
    const answer = await project.asPublic(
      batch([{ action, collection: "secrets", id: hidden }]),
      ada,
    );
    refusedAt(answer, 0, 404, "DOCUMENT_NOT_FOUND");
  }
  const upsert = { action: "upsert", collection: "secrets", id: hidden, document: { n: 1 } };
  refusedAt(await project.asPublic(batch([upsert]), ada), 0, 404, "DOCUMENT_NOT_FOUND");
  const read = await project.asSecret({ path: `/api/data/secrets/${hidden}` });
  assert.deepEqual([read.body.data.n, read.body.data.userId], [undefined, bob.id]);
});

Deno.test("a batch with an idempotency key runs once, even if 20 are concurrent", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const one = await posts.insertOne({ n: 0 });
  const counting = (by: number) => [
    create({}),
    { action: "patch", collection: "posts", id: one._id, document: { n: { $inc: by } } },
  ];
  const count = (by = 1) =>
    posts.project.asSecret(batch(counting(by), { "idempotency-key": "once" }));
  const answers = await Promise.all(times(20, () => count()));
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]!.text]);
  assert.equal((await posts.read(one._id)).body.data.n, 1);
  assert.equal(ok(await posts.asSecret({ path: "?count=true" })).count, 2);
  refused(await count(2), 422, "IDEMPOTENCY_KEY_REUSED");
  const invalid = batch(counting(1), { "idempotency-key": "x".repeat(129) });
  refused(await posts.project.asSecret(invalid), 400, "INVALID_IDEMPOTENCY_KEY");
});

Deno.test("concurrent batches add up, and of those that create one document one creates it", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app, { fields: [{ key: "n", type: "Number" }] });
  const [one, two] = await posts.insert({ n: 0 }, { n: 0 });
  const move = (n: number) =>
    batch([
      { action: "patch", collection: "posts", id: one!._id, document: { n: { $inc: -n } } },
      { action: "upsert", collection: "posts", id: UNKNOWN_ID, document: { n } },
      { action: "patch", collection: "posts", id: two!._id, document: { n: { $inc: n } } },
    ]);
  const answers = await Promise.all(times(20, (n) => posts.project.asSecret(move(n))));
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  const n = async (id: string) => (await posts.read(id)).body.data.n;
  assert.deepEqual([await n(one!._id), await n(two!._id)], [-190, 190]);
  assert.equal(ok(await posts.asSecret({ path: "?count=true" })).count, 3);
});

Deno.test("a response over 8 MiB is refused and nothing is written", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app);
  const documents = await posts.insert(...times(9, () => ({ x: "x".repeat(1_000_000) })));
  await posts.untouched(async () => {
    const changes = documents.map(({ _id: id }) => ({
      action: "patch",
      collection: "posts",
      id,
      document: { n: 1 },
    }));
    const answer = await posts.project.asSecret(batch(changes));
    refused(answer, 413, "ANSWER_TOO_LARGE", "fewer operations");
  });
});

Deno.test("a batch over the project's quota is refused entirely", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app);
  const plan = { ...PLANS.free, documentBytes: 3_000_000 };
  const plans = { ...app.services.plans, ofProject: () => Promise.resolve(plan) };
  const tight = createApp({ ...app.services, plans });
  await posts.untouched(async () => {
    const answer = await send(tight, {
      ...batch(times(4, () => create({ x: "x".repeat(900_000) }))),
      headers: { "x-api-key": posts.project.secretKey },
    });
    refusedAt(answer, 3, 403, "DOCUMENT_QUOTA_EXCEEDED");
  });
});

Deno.test("a batch needs a key of the project", async () => {
  await using app = await openTestApp();
  const posts = await createTestCollection(app);
  const call = batch([create({})], { "x-api-key": "pk_live_wrong" });
  refused(await app.send(call), 401, "API_KEY_INVALID");
  const invalid = { id: UNKNOWN_ID, token: "wrong" };
  refused(await posts.project.asPublic(batch([create({})]), invalid), 401, "ACCESS_TOKEN_INVALID");
});
