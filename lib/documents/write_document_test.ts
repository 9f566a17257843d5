import assert from "node:assert/strict";
import { openTestServices, type TestServices } from "@/tests/support/test_services.ts";
import type { Caller } from "../auth/principals.ts";
import { UPLOADS } from "../files/uploads.ts";
import { Problem } from "../problems.ts";
import { StoreUnavailable, UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Filter, Json, Transaction } from "../store/port.ts";
import { openForWriting, type WriteAccess } from "./access.ts";
import { createDocuments } from "./create_documents.ts";
import { etagOf } from "./document.ts";
import { performWrite, writeDocument, type WriteInput } from "./write_document.ts";
import { createCollection, updateCollection } from "@/tests/support/given.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER_USER = "bbbbbbbbbbbbbbbbbbbbbbbb";
const SECRET: Caller = { kind: "secret", projectId: PROJECT };
const OWNER: Caller = { kind: "publishable", projectId: PROJECT, userId: USER };

type Body = { [name: string]: Json };

interface Posts extends TestServices {
  open(caller?: Caller): Promise<WriteAccess>;
  create(body: Body, caller?: Caller): Promise<Body>;
  put(id: Json, body: Body, caller?: Caller, ifMatch?: string | null): Promise<Body>;
  patch(id: Json, body: Body, caller?: Caller, ifMatch?: string | null): Promise<Body>;
  stored(id: Json): Promise<Body | undefined>;
  tag(id: Json): Promise<string>;
}

async function setup(definition: Record<string, unknown> = {}): Promise<Posts> {
  const opened = await openTestServices();
  const { services } = opened;
  await createCollection(services, PROJECT, {
    name: "posts",
    rls: { mode: "public-read" },
    ...definition,
  });
  const open = (caller = SECRET) => openForWriting(services, caller, "posts");
  const write = async (input: WriteInput, caller?: Caller) =>
    JSON.parse((await writeDocument(services, await open(caller), input)).json);
  return {
    ...opened,
    open,
    create: (body, caller) => write({ action: "create", body }, caller),
    put: (id, body, caller, ifMatch = null) =>
      write({ action: "replace", id: String(id), body, ifMatch }, caller),
    patch: (id, body, caller, ifMatch = null) =>
      write({ action: "patch", id: String(id), body, ifMatch }, caller),
    stored: async (id) => (await (await open()).records.get(String(id)))?.value,
    tag: async (id) => etagOf((await (await open()).records.get(String(id)))!),
  };
}

Deno.test("a created document is stored with its id, owner and times", async () => {
  await using posts = await setup();
  const created = await posts.create({ title: "a" }, OWNER);
  assert.deepEqual(created, {
    _id: created._id,
    title: "a",
    userId: USER,
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T12:00:00.000Z",
    isDeleted: false,
    deletedAt: null,
  });
  assert.deepEqual(await posts.stored(created._id!), created);
});

Deno.test("a bulk insert stores all documents or none, and names the rejected document", async () => {
  await using posts = await setup({ fields: [{ key: "n", type: "Number", unique: true }] });
  const bulk = async (body: Json) =>
    await createDocuments(posts.services, await posts.open(), { body, idempotencyKey: null });
  await assert.rejects(bulk({ documents: [{ n: 1 }, { n: "2" }] }), {
    code: "INVALID_DOCUMENT",
    message: 'documents[1]: The field "n" must be a Number.',
  });
  await assert.rejects(bulk([{ n: 1 }, 5]), { code: "INVALID_BODY", message: /^documents\[1\]: / });
  await assert.rejects(bulk([{ n: 1 }, { _id: "x" }]), { code: "FIELD_READ_ONLY" });
  await assert.rejects(bulk([{ n: 1 }, { n: 1 }]), { code: "DUPLICATE_VALUE" });
  assert.equal(await (await posts.open()).records.count(eq("isDeleted", false)), 0);
  const { insertedCount, ids } = JSON.parse(await bulk({ documents: [{ n: 1 }, { n: 2 }] }));
  assert.equal(insertedCount, 2);
  assert.equal((await posts.stored(ids[1]))?.n, 2);
});

Deno.test("a bulk insert has 1 to 100 documents", async () => {
  await using posts = await setup();
  const bulk = async (body: Json) =>
    await createDocuments(posts.services, await posts.open(), { body, idempotencyKey: null });
  for (const body of [[], {}, { documents: {} }, { documents: [] }, Array(101).fill({}), null]) {
    await assert.rejects(bulk(body), { code: "INVALID_BODY", message: /with 1 to 100 documents/ });
  }
  assert.equal(JSON.parse(await bulk(Array(100).fill({}))).insertedCount, 100);
});

Deno.test("a replacement keeps only the id, the owner and the time of creation", async () => {
  await using posts = await setup();
  const { _id } = await posts.create({ a: 1, b: 2 }, OWNER);
  posts.clock.advance(1000);
  const replaced = await posts.put(_id!, { c: 3 }, OWNER);
  assert.deepEqual(replaced, {
    _id,
    c: 3,
    userId: USER,
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T12:00:01.000Z",
    isDeleted: false,
    deletedAt: null,
  });
  assert.deepEqual(await posts.stored(_id!), replaced);
});

Deno.test("a replacement without a required owner field keeps the stored owner", async () => {
  const owner = { key: "userId", type: "String", required: true };
  await using posts = await setup({ fields: [owner] });
  const { _id } = await posts.create({ a: 1 }, OWNER);
  assert.equal((await posts.put(_id!, { a: 2 }, OWNER)).userId, USER);
  assert.equal((await posts.put(_id!, { a: 3 })).userId, USER);
});

Deno.test("a replacement gets defaults, a patch does not", async () => {
  await using posts = await setup({ fields: [{ key: "n", type: "Number", default: 7 }] });
  const { _id } = await posts.create({ n: 1 });
  assert.equal((await posts.patch(_id!, { a: 1 })).n, 1);
  assert.equal((await posts.put(_id!, {})).n, 7);
});

Deno.test("the secret key can change or clear the owner, a user cannot", async () => {
  await using posts = await setup();
  const { _id } = await posts.create({}, OWNER);
  for (const userId of [OTHER_USER, null] as Json[]) {
    await assert.rejects(posts.patch(_id!, { userId }, OWNER), { code: "OWNER_IMMUTABLE" });
    await assert.rejects(posts.put(_id!, { userId }, OWNER), { code: "OWNER_IMMUTABLE" });
  }
  assert.equal((await posts.put(_id!, { userId: USER }, OWNER)).userId, USER);
  assert.equal((await posts.patch(_id!, { userId: OTHER_USER })).userId, OTHER_USER);
  await assert.rejects(posts.patch(_id!, { a: 1 }, OWNER), { code: "OWNER_MISMATCH" });
  assert.equal((await posts.put(_id!, { userId: null })).userId, null);
});

Deno.test("a patch replaces each named field, and with a path a part of a field", async () => {
  await using posts = await setup();
  const { _id } = await posts.create({ o: { a: 1, b: 2 }, p: { a: 1, b: 2 }, q: 1 });
  const changed = await posts.patch(_id!, { o: { c: 3 }, "p.a": 5, "p.d.e": 6, q: null });
  assert.deepEqual([changed.o, changed.p, changed.q], [
    { c: 3 },
    { a: 5, b: 2, d: { e: 6 } },
    null,
  ]);
});

Deno.test("a path through a stored value that is not an object is rejected without a change", async () => {
  await using posts = await setup();
  const created = await posts.create({ a: "text", l: [1], z: false });
  for (const path of ["a.b", "l.0", "z.b"]) {
    await assert.rejects(posts.patch(created._id!, { [path]: 1, other: 2 }), {
      code: "INVALID_DOCUMENT",
      message: `The path "${path}" leads through a value that is not an object.`,
    });
  }
  assert.deepEqual(await posts.stored(created._id!), created);
});

Deno.test("a path does not create an object without its required members", async () => {
  const fields = [
    { key: "a", type: "String", required: true },
    { key: "b", type: "Number" },
  ];
  await using posts = await setup({ fields: [{ key: "o", type: "Object", fields }] });
  const created = await posts.create({});
  await assert.rejects(posts.patch(created._id!, { "o.b": 1 }), { code: "INVALID_DOCUMENT" });
  assert.deepEqual(await posts.stored(created._id!), created);
  const complete = await posts.patch(created._id!, { "o.a": "x", "o.b": 1 });
  assert.deepEqual(complete.o, { a: "x", b: 1 });
  assert.deepEqual((await posts.patch(created._id!, { "o.b": 2 })).o, { a: "x", b: 2 });
});

Deno.test("server fields in a write are ignored, except another _id, which is rejected", async () => {
  await using posts = await setup();
  const created = await posts.create({ a: 1 });
  posts.clock.advance(1000);
  assert.equal((await posts.put(created._id!, { ...created, a: 2 })).a, 2);
  assert.equal((await posts.put(created._id!, { ...created, a: 3 })).a, 3);
  const kept = await posts.patch(created._id!, { isDeleted: true, createdAt: "2001-01-01" });
  assert.deepEqual([kept.isDeleted, kept.createdAt], [false, created.createdAt]);
  const other = { ...created, _id: "66f1a0c2e4b0a1b2c3d4e5f7", a: 4 };
  await assert.rejects(posts.put(created._id!, other), { code: "FIELD_READ_ONLY" });
  assert.equal((await posts.stored(created._id!))?.a, 3);
});

Deno.test("missing documents and documents in the trash cannot be written", async () => {
  await using posts = await setup();
  const { _id } = await posts.create({ a: 1 });
  await (await posts.open()).records.updateOne(eq("_id", String(_id)), {
    set: { isDeleted: true },
  });
  for (const id of [_id!, "66f1a0c2e4b0a1b2c3d4e5f6"]) {
    await assert.rejects(posts.put(id, { a: 2 }), { code: "DOCUMENT_NOT_FOUND" });
    await assert.rejects(posts.patch(id, { a: 2 }), { code: "DOCUMENT_NOT_FOUND" });
    await assert.rejects(posts.patch(id, { a: 2 }, SECRET, "*"), { code: "DOCUMENT_NOT_FOUND" });
  }
  assert.equal((await posts.stored(_id!))?.a, 1);
});

Deno.test("of 50 concurrent writes with equal If-Match exactly one succeeds", async () => {
  await using posts = await setup();
  const { _id } = await posts.create({ n: 0 });
  const tag = await posts.tag(_id!);
  const all = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => posts.patch(_id!, { n }, SECRET, tag)),
  );
  const won = all.flatMap((one) => one.status === "fulfilled" ? [one.value.n] : []);
  const codes = all.flatMap((one) => one.status === "rejected" ? [one.reason.code] : []);
  assert.equal(won.length, 1);
  assert.deepEqual(new Set(codes), new Set(["PRECONDITION_FAILED"]));
  assert.equal((await posts.stored(_id!))?.n, won[0]);
});

Deno.test("of 20 concurrent writes with If-Match: * all succeed", async () => {
  await using posts = await setup();
  const { _id } = await posts.create({ n: 0 });
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => posts.patch(_id!, { [`n${n}`]: n }, SECRET, "*")),
  );
  const codes = all.flatMap((one) => one.status === "rejected" ? [one.reason.code] : []);
  assert.deepEqual(codes, []);
});

Deno.test("a document that changes between reading and writing is not overwritten", async () => {
  await using posts = await setup();
  const created = await posts.create({ a: 1 });
  const target = await posts.open();
  const racing = new Proxy(target.records, {
    get: (to, name) =>
      name !== "findOne" ? Reflect.get(to, name, to).bind(to) : async (filter: Filter) => {
        const found = await to.findOne(filter);
        await to.updateOne(eq("_id", String(created._id)), { set: { a: 2 } });
        return found;
      },
  });
  const engine = new Proxy(posts.services.engine, {
    get: (to, name) => name === "records" ? () => racing : Reflect.get(to, name, to),
  });
  const ifMatch = await posts.tag(created._id!);
  const patch = { action: "patch", id: String(created._id), body: { a: 3 }, ifMatch } as const;
  await assert.rejects(writeDocument({ ...posts.services, engine }, target, patch), {
    code: "PRECONDITION_FAILED",
  });
  assert.equal((await posts.stored(created._id!))?.a, 2);
});

Deno.test("a patch that makes a document larger than 1 MiB is rejected without a change", async () => {
  await using posts = await setup();
  const created = await posts.create({ a: "x".repeat(600_000) });
  await assert.rejects(posts.patch(created._id!, { b: "x".repeat(600_000) }), {
    code: "DOCUMENT_TOO_LARGE",
    status: 413,
  });
  assert.deepEqual(await posts.stored(created._id!), created);
});

/** Returns a request without documents that always fails and counts its attempts. */
function refusedRequest(problem: Error, canRetry: boolean) {
  const request = {
    attempts: 0,
    repeatable: { key: null, request: "" },
    prepare: () => {
      request.attempts++;
      return {
        needsTransaction: true,
        store: () => Promise.reject(problem),
        explain: (problem: Problem) => Promise.resolve({ problem, canRetry }),
      };
    },
  };
  return request;
}

Deno.test("an overtaken request is prepared and attempted three times, then rejected", async () => {
  await using posts = await setup();
  const overtaken = refusedRequest(new UniqueViolation("slug"), true);
  await assert.rejects(performWrite(posts.services, [await posts.open()], overtaken), {
    code: "DUPLICATE_VALUE",
  });
  assert.equal(overtaken.attempts, 3);
});

Deno.test("a problem that a retry would not change, and a failure, are not retried", async () => {
  await using posts = await setup();
  const targets = [await posts.open()];
  const refused = refusedRequest(new UniqueViolation("slug"), false);
  await assert.rejects(performWrite(posts.services, targets, refused), { code: "DUPLICATE_VALUE" });
  const failed = refusedRequest(new StoreUnavailable("full"), true);
  await assert.rejects(performWrite(posts.services, targets, failed), { message: "full" });
  assert.deepEqual([refused.attempts, failed.attempts], [1, 1]);
});

Deno.test("a write under an outdated definition is checked again under the new definition", async () => {
  await using posts = await setup({ fields: [{ key: "n", type: "Number" }] });
  const { services } = posts;
  const target = await posts.open();
  const fields = [{ key: "n", type: "Number", required: true }];
  await updateCollection(services, PROJECT, { name: "posts", fields });
  const written = writeDocument(services, target, { action: "create", body: {} });
  await assert.rejects(written, { code: "INVALID_DOCUMENT" });
  assert.equal(await (await posts.open()).records.count(eq("isDeleted", false)), 0);
});

/** Returns an engine that retries a failed transaction once, as MongoDB does. */
function runningTwice(engine: Engine, change: (tx: Transaction, run: number) => Transaction) {
  const transaction: Engine["transaction"] = async (space, work, options) => {
    const run = (n: number) => engine.transaction(space, (tx) => work(change(tx, n)), options);
    return await run(1).catch((error) => {
      if (error instanceof Problem) throw error;
      return run(2);
    });
  };
  return new Proxy(engine, {
    get: (to, name) => name === "transaction" ? transaction : Reflect.get(to, name, to),
  });
}

Deno.test("a bulk insert whose transaction is retried reports each document once", async () => {
  await using posts = await setup({ fields: [{ key: "cover", type: "String", file: true }] });
  const engine = runningTwice(posts.services.engine, (tx, run) => ({
    define: (...given) => tx.define(...given),
    records: (definition, writing) => {
      const records = tx.records<never>(definition, writing);
      const findOne = (filter: Filter) =>
        run === 1 && definition === UPLOADS && JSON.stringify(filter).includes("second")
          ? Promise.reject(new Error("The connection is lost"))
          : records.findOne(filter);
      return new Proxy(records, {
        get: (to, name) => name === "findOne" ? findOne : Reflect.get(to, name, to).bind(to),
      });
    },
  }));
  const body = [{ cover: "first" }, { cover: "second" }];
  const input = { body, idempotencyKey: null };
  const bulk = createDocuments({ ...posts.services, engine }, await posts.open(), input);
  await assert.rejects(bulk, (error: Problem) => {
    assert.deepEqual(error.faults.map(({ path }) => path), ["0.cover", "1.cover"]);
    return true;
  });
});
