/** Scripts of `mirrored_operations_test.ts` for documents. */
import assert from "node:assert/strict";
import { DOCUMENT_BYTES_MAX } from "@/lib/limits.ts";
import { faults } from "../support/server_faults.ts";
import type { Script, Side } from "./mirrored_operations_test.ts";
import {
  createTestCollection,
  ok,
  refused,
  type TestCollection,
  UNKNOWN_ID,
} from "./test_collection.ts";
import { tooSlowApp } from "./too_slow_app.ts";

const TOO_LONG = "x".repeat(DOCUMENT_BYTES_MAX);

async function openPosts({ app, project }: Side) {
  const posts = await createTestCollection(app, {
    fields: [{ key: "slug", type: "String", unique: true }, { key: "n", type: "Number" }],
    strict: false,
    rls: { mode: "private" },
  }, project);
  const ann = await project.user();
  const owned = ok(await posts.asPublic({ body: { n: 1 } }, ann), 201);
  return { posts, ann, owned };
}

const appWithSlowStore = ({ app }: Side) => tooSlowApp(app, (kind) => kind.startsWith("posts."));

const list: Script = async (side) => {
  const { posts, ann } = await openPosts(side);
  await posts.insert({ n: 2 }, { n: 3 });
  const names = async (query: string) =>
    ok(await side.ask({ query })).items.map(({ n }: { n: number }) => n);
  assert.deepEqual(await names("?sort=n"), [1, 2, 3]); // All owners' documents are listed.
  assert.deepEqual(await names("?n_gt=1&sort=-n&limit=1"), [3]);
  assert.deepEqual(await names(`?userId=${ann.id}`), [1]);
  assert.equal(ok(await side.ask({ query: "?count=true" })).count, 3);
  const first = ok(await side.ask({ query: "?limit=2" }));
  const next = ok(await side.ask({ query: `?limit=2&cursor=${first.nextCursor}` }));
  assert.equal(next.items.length, 1);
  assert.ok("examined" in ok(await side.ask({ query: "?explain=true" })).explain);
  const { headers } = await side.ask();
  const held = { headers: { "if-none-match": headers.get("etag")! } };
  assert.equal((await side.ask(held)).status, 304);
  await posts.insertOne();
  assert.equal((await side.ask(held)).status, 200);
  await side.admits("viewer");
  refused(await side.ask({ query: "?limit=0" }), 400, "INVALID_QUERY", "limit");
  refused(await side.ask({ query: "?n_foo=1" }), 400, "UNKNOWN_OPERATOR");
  refused(await side.ask({ query: "?search=x" }), 400, "SEARCH_NOT_DECLARED");
  refused(await side.ask({ query: "?cursor=x" }), 400, "INVALID_CURSOR");
  refused(await side.ask({ collection: "none" }), 404, "COLLECTION_NOT_FOUND");
  refused(
    await side.ask({ query: "?n_ne=9", over: appWithSlowStore(side) }),
    503,
    "QUERY_TOO_SLOW",
  );
};

const aggregate: Script = async (side) => {
  const { posts } = await openPosts(side);
  await posts.insertOne({ n: 3 });
  assert.deepEqual(ok(await side.ask({ query: "?count=true&sum=n" })), {
    groups: [{ key: {}, count: 2, sum: { n: 4 } }],
    more: false,
  });
  await side.admits("viewer", { query: "?count=true" });
  refused(await side.ask(), 400, "INVALID_QUERY");
  refused(await side.ask({ query: "?count=true&n_near=1" }), 400, "UNKNOWN_OPERATOR");
  const none = { collection: "none", query: "?count=true" };
  refused(await side.ask(none), 404, "COLLECTION_NOT_FOUND");
  refused(
    await side.ask({ query: "?count=true", over: appWithSlowStore(side) }),
    503,
    "QUERY_TOO_SLOW",
  );
  const long = "x".repeat(900_000);
  for (let n = 0; n < 20; n++) await posts.insertOne({ slug: `${n}${long}` });
  refused(await side.ask({ query: "?group=slug" }), 413, "ANSWER_TOO_LARGE");
};

const create: Script = async (side) => {
  const { posts, ann } = await openPosts(side);
  const answer = await side.ask({ body: { n: 1, slug: "taken", userId: ann.id } });
  const { _id, createdAt } = ok(answer, 201);
  assert.equal(createdAt, new Date(side.app.clock.now()).toISOString());
  assert.ok(answer.headers.get("etag"));
  assert.equal(ok(await posts.asPublic({ path: `/${_id}` }, ann)).n, 1);
  assert.equal("userId" in ok(await side.ask({ body: {} }), 201), false);
  await side.admits("admin", { body: {} });
  const once = { "idempotency-key": "k" };
  ok(await side.ask({ body: { n: 5 }, headers: once }), 201);
  await posts.untouched(async () => {
    refused(await side.ask({ body: { n: "x" } }), 400, "INVALID_DOCUMENT", "n");
    refused(await side.ask({ body: [] }), 400, "INVALID_BODY");
    refused(await side.ask({ body: { _id: "x" } }), 400, "FIELD_READ_ONLY");
    refused(await side.ask({ body: {}, query: "?upsert=none" }), 400, "INVALID_QUERY");
    refused(await side.ask({ body: { slug: "taken" } }), 409, "DUPLICATE_VALUE");
    refused(await side.ask({ body: { text: TOO_LONG } }), 413, "DOCUMENT_TOO_LARGE");
    refused(await side.ask({ body: {}, collection: "none" }), 404, "COLLECTION_NOT_FOUND");
    refused(await side.ask({ body: { n: 6 }, headers: once }), 422, "IDEMPOTENCY_KEY_REUSED");
    const long = { "idempotency-key": "k".repeat(200) };
    refused(await side.ask({ body: {}, headers: long }), 400, "INVALID_IDEMPOTENCY_KEY");
  });
};

async function askForMissing(side: Side, own: string, body?: object): Promise<void> {
  const foreign = await (await createTestCollection(side.app)).insertOne();
  const sent = body === undefined ? {} : { body };
  refused(await side.ask({ ...sent, id: UNKNOWN_ID }), 404, "DOCUMENT_NOT_FOUND");
  refused(await side.ask({ ...sent, id: foreign._id }), 404, "DOCUMENT_NOT_FOUND");
  refused(await side.ask({ ...sent, id: "x" }), 400, "INVALID_ID");
  refused(await side.ask({ ...sent, id: own, collection: "none" }), 404, "COLLECTION_NOT_FOUND");
}

const get: Script = async (side) => {
  const { owned: { _id: id } } = await openPosts(side);
  const answer = await side.ask({ id });
  assert.equal(ok(answer).n, 1);
  assert.deepEqual(ok(await side.ask({ id, query: "?fields=n&meta=false" })), { _id: id, n: 1 });
  const held = { "if-none-match": answer.headers.get("etag")! };
  assert.equal((await side.ask({ id, headers: held })).status, 304);
  await side.admits("viewer", { id });
  await askForMissing(side, id);
  refused(await side.ask({ id, query: "?what=1" }), 400, "INVALID_QUERY");
};

const write = (wrongQuery: string | null): Script => async (side) => {
  const { posts, ann, owned: { _id: id, userId } } = await openPosts(side);
  assert.equal(userId, ann.id);
  const answer = await side.ask({ id, body: { n: 2 } });
  assert.deepEqual([ok(answer).n, ok(answer).userId], [2, ann.id]);
  const headers = { "if-match": answer.headers.get("etag")! };
  const given = await side.ask({ id, body: { n: 3, userId: "other" }, headers });
  assert.equal(ok(given).userId, "other");
  await side.admits("admin", { id, body: { n: 4 } });
  await posts.insertOne({ slug: "taken" });
  await posts.untouched(async () => {
    refused(await side.ask({ id, body: { n: 5 }, headers }), 412, "PRECONDITION_FAILED");
    refused(await side.ask({ id, body: { n: "x" } }), 400, "INVALID_DOCUMENT");
    refused(await side.ask({ id, body: [] }), 400, "INVALID_BODY");
    refused(await side.ask({ id, body: { _id: UNKNOWN_ID } }), 400, "FIELD_READ_ONLY");
    refused(await side.ask({ id, body: { slug: "taken" } }), 409, "DUPLICATE_VALUE");
    refused(await side.ask({ id, body: { text: TOO_LONG } }), 413, "DOCUMENT_TOO_LARGE");
    if (wrongQuery !== null) {
      refused(await side.ask({ id, body: {}, query: wrongQuery }), 400, "INVALID_QUERY");
    }
    await askForMissing(side, id, { n: 1 });
  });
};

const remove: Script = async (side) => {
  const { posts, owned: { _id: id } } = await openPosts(side);
  const [second] = await posts.insert({ n: 2 }, { n: 3 });
  await posts.untouched(async () => {
    const headers = { "if-match": '"old"' };
    refused(await side.ask({ id, headers }), 412, "PRECONDITION_FAILED");
    refused(await side.ask({ id, query: "?permanent=maybe" }), 400, "INVALID_QUERY");
    await askForMissing(side, id);
  });
  assert.deepEqual(ok(await side.ask({ id })), { id });
  assert.equal(ok(await posts.read(id)).isDeleted, true);
  refused(await side.ask({ id }), 404, "DOCUMENT_NOT_FOUND");
  ok(await side.ask({ id, query: "?permanent=true" }));
  refused(await posts.read(id), 404, "DOCUMENT_NOT_FOUND");
  await side.admits("admin", { id: second!._id });
};

const recover: Script = async (side) => {
  const { posts, owned: { _id: id } } = await openPosts(side);
  await posts.remove(id);
  await posts.untouched(() => askForMissing(side, id));
  const first = ok(await side.ask({ id }));
  assert.deepEqual([first.isDeleted, first.deletedAt, first.n], [false, null, 1]);
  side.app.clock.advance(1000);
  assert.deepEqual(ok(await side.ask({ id })), first);
  await side.admits("admin", { id });
  if (!faults.staysTaken) await raiseTaken(side, posts);
};

/** Gives a value of a document in the trash to another document, which prevents its recovery. */
async function raiseTaken(side: Side, posts: TestCollection): Promise<void> {
  const { _id: id } = await posts.insertOne({ slug: "a" });
  await posts.remove(id);
  await posts.insertOne({ slug: "a" });
  await posts.untouched(async () => refused(await side.ask({ id }), 409, "DUPLICATE_VALUE"));
}

export const documentScripts: Readonly<Record<string, Script>> = {
  listProjectDocuments: list,
  aggregateProjectDocuments: aggregate,
  createProjectDocument: create,
  getProjectDocument: get,
  replaceProjectDocument: write("?upsert=maybe"),
  patchProjectDocument: write(null),
  deleteProjectDocument: remove,
  recoverProjectDocument: recover,
};
