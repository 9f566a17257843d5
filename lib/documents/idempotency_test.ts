import assert from "node:assert/strict";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import type { Caller } from "../auth/principals.ts";
import { ALL } from "../store/filter.ts";
import { purgeExpired } from "../store/expiry.ts";
import type { Json } from "../store/port.ts";
import { openForWriting, type WriteAccess } from "./access.ts";
import { createDocuments } from "./create_documents.ts";
import { performWrite, type PreparedRequest, writeDocument } from "./write_document.ts";
import { checkedIdempotencyKey, KEPT_ANSWERS } from "./idempotency.ts";
import { createCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const SECRET: Caller = { kind: "secret", projectId: PROJECT };
const user = (digit: string): Caller => ({
  kind: "publishable",
  projectId: PROJECT,
  userId: digit.repeat(24),
});

interface Setup extends AsyncDisposable {
  readonly opened: TestServices;
  target(caller?: Caller, name?: string): Promise<WriteAccess>;
  create(idempotencyKey: string, body?: Json, caller?: Caller, name?: string): Promise<string>;
  count(name?: string): Promise<number>;
}

const createOne = async (
  services: TestServices["services"],
  target: WriteAccess,
  input: { body: Json; idempotencyKey: string | null },
): Promise<string> => (await writeDocument(services, target, { action: "create", ...input })).json;

/** Creates two collections with a unique field each, and functions that write with a key. */
async function setup(): Promise<Setup> {
  const opened = await openTestServices();
  const { services } = opened;
  for (const name of ["posts", "notes"]) {
    const fields = [{ key: "slug", type: "String", unique: true }];
    await createCollection(services, PROJECT, { name, fields });
  }
  const target = (caller = SECRET, name = "posts") => openForWriting(services, caller, name);
  return {
    opened,
    target,
    create: async (idempotencyKey, body = { n: 1 }, caller, name) =>
      await createOne(services, await target(caller, name), { body, idempotencyKey }),
    count: async (name) => await (await target(SECRET, name)).records.count(ALL),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

Deno.test("a repeated request returns the first answer and writes nothing", async () => {
  await using posts = await setup();
  const first = await posts.create("key");
  posts.opened.clock.advance(60_000);
  assert.equal(await posts.create("key"), first);
  assert.equal(await posts.count(), 1);
});

Deno.test("every request without a key, and with another key, writes", async () => {
  await using posts = await setup();
  const { services } = posts.opened;
  for (let n = 0; n < 2; n++) {
    await createOne(services, await posts.target(), { body: {}, idempotencyKey: null });
    await posts.create(`key ${n}`);
  }
  assert.equal(await posts.count(), 4);
});

Deno.test("a key with another body, collection or operation is rejected, and nothing is written", async () => {
  await using posts = await setup();
  const refusal = { code: "IDEMPOTENCY_KEY_REUSED", status: 422 };
  await posts.create("key");
  await assert.rejects(posts.create("key", { n: 2 }), refusal);
  await assert.rejects(posts.create("key", { n: 1 }, SECRET, "notes"), refusal);
  const bulk = { body: { documents: [{ n: 1 }] }, idempotencyKey: "key" };
  await assert.rejects(createDocuments(posts.opened.services, await posts.target(), bulk), refusal);
  assert.equal(await posts.count(), 1);
  assert.equal(await posts.count("notes"), 0);
  await posts.create("key");
});

Deno.test("equal keys of different callers are different keys", async () => {
  await using posts = await setup();
  const answers = [
    await posts.create("key"),
    await posts.create("key", { n: 1 }, user("a")),
    await posts.create("key", { n: 1 }, user("b")),
  ];
  assert.equal(new Set(answers).size, 3);
  assert.equal(await posts.create("key", { n: 1 }, user("a")), answers[1]);
  assert.equal(await posts.count(), 3);
});

Deno.test("equal keys in different projects are different keys", async () => {
  await using posts = await setup();
  const { services } = posts.opened;
  const projectId = "66f1a0c2e4b0a1b2c3d4e5f7";
  await createCollection(services, projectId, { name: "posts" });
  const elsewhere = await openForWriting(services, { kind: "secret", projectId }, "posts");
  const first = await posts.create("key");
  const input = { body: { n: 1 }, idempotencyKey: "key" };
  assert.notEqual(await createOne(services, elsewhere, input), first);
});

Deno.test("an answer is stored for exactly 24 hours, then its key can be used again", async () => {
  await using posts = await setup();
  const first = await posts.create("key");
  posts.opened.clock.advance(86_400_000 - 1);
  assert.equal(await posts.create("key"), first);
  posts.opened.clock.advance(1);
  const second = await posts.create("key", { other: "body" });
  assert.notEqual(second, first);
  assert.equal(await posts.create("key", { other: "body" }), second);
  assert.equal(await posts.count(), 2);
});

Deno.test("the answer to a rejected write is not stored, so its key can be used again", async () => {
  await using posts = await setup();
  await posts.create("first", { slug: "taken" });
  await assert.rejects(posts.create("key", { slug: "taken" }), { code: "DUPLICATE_VALUE" });
  await assert.rejects(posts.create("key", { slug: 5 }), { code: "INVALID_DOCUMENT" });
  await posts.create("key", { slug: "free" });
  assert.equal(await posts.count(), 2);
});

Deno.test("of 50 concurrent requests with one key only one writes, and all get its answer", async () => {
  await using posts = await setup();
  const answers = await Promise.all(Array.from({ length: 50 }, () => posts.create("key")));
  assert.equal(new Set(answers).size, 1);
  assert.equal(await posts.count(), 1);
});

Deno.test("a repeated bulk insert with a key is stored once", async () => {
  await using posts = await setup();
  const { services } = posts.opened;
  const input = { body: { documents: [{ n: 1 }, { n: 2 }] }, idempotencyKey: "key" };
  const first = await createDocuments(services, await posts.target(), input);
  assert.equal(await createDocuments(services, await posts.target(), input), first);
  assert.equal(JSON.parse(first).insertedCount, 2);
  assert.equal(await posts.count(), 2);
});

Deno.test("a key has 1 to 128 printable ASCII characters", () => {
  assert.equal(checkedIdempotencyKey(null), null);
  for (const key of ["k", "x".repeat(128), "a b~!\"'{}", " "]) {
    assert.equal(checkedIdempotencyKey(key), key);
  }
  for (const key of ["", "x".repeat(129), "größe", "a\tb", "a\nb", "\x7f", "a\0"]) {
    assert.throws(() => checkedIdempotencyKey(key), {
      code: "INVALID_IDEMPOTENCY_KEY",
      status: 400,
    });
  }
});

Deno.test("the answer is stored if and only if the write is committed", async () => {
  await using posts = await setup();
  const { services } = posts.opened;
  const target = await posts.target();
  const write = (store: PreparedRequest["store"]) =>
    performWrite(services, [target], {
      repeatable: { key: "key", request: "request" },
      prepare: () => ({
        needsTransaction: false,
        store,
        explain: (problem) => Promise.resolve({ problem, canRetry: false }),
      }),
    });
  let runs = 0;
  const failing = write(() => {
    runs++;
    return Promise.reject(new Error("lost on the way"));
  });
  await assert.rejects(failing, /lost on the way/);
  const kept = services.engine.records(PROJECT, KEPT_ANSWERS);
  assert.equal(await kept.count(ALL), 0);
  const succeeding = () => Promise.resolve({ data: `"${++runs}"`, isNew: true });
  const { data } = await write(succeeding);
  assert.equal(data, '"2"');
  assert.equal(await kept.count(ALL), 1);
});

Deno.test("a stored answer contains only hashes of the key and the request", async () => {
  await using posts = await setup();
  await posts.create("my-own-key", { secret: "in the request" });
  const kept = posts.opened.services.engine.records(PROJECT, KEPT_ANSWERS);
  const { keyHash, request, expiresAt } = (await kept.findOne(ALL))!.value;
  for (const hash of [keyHash, request]) assert.match(String(hash), /^[A-Za-z0-9_-]{43}$/);
  assert.equal(expiresAt, "2026-02-01T12:00:00.000Z");
});

Deno.test("stored answers are removed when they have expired, and not before", async () => {
  await using posts = await setup();
  const { services, clock } = posts.opened;
  const kept = services.engine.records(PROJECT, KEPT_ANSWERS);
  await posts.create("one");
  clock.advance(1000);
  await posts.create("two");
  clock.advance(86_400_000 - 999);
  assert.equal(await purgeExpired(kept, KEPT_ANSWERS, clock), 1);
  assert.equal(await kept.count(ALL), 1);
});
