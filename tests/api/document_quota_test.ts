import assert from "node:assert/strict";
import { setPlan } from "@/lib/accounts/manage_accounts.ts";
import { readDocumentBytes, withinQuota } from "@/lib/documents/quota.ts";
import { recountDocuments } from "@/lib/documents/recount.ts";
import { type Plan, PLANS } from "@/lib/projects/plans.ts";
import type { Services } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import { until } from "../acceptance/until.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { openTestServices } from "../support/test_services.ts";
import { database } from "../support/test_store.ts";
import { createTestOwner } from "./test_owner.ts";
import {
  createTestCollection,
  ok,
  refused,
  tally,
  type TestCollection,
  times,
} from "./test_collection.ts";

const PAGE = "x".repeat(4096);

/** An app whose plan leaves a number of free bytes. */
interface LimitedApp {
  readonly plan: { documentBytes: number; name: Plan["name"] };
  send(call: Call): Promise<Answer>;
  asSecret(call: Call): Promise<Answer>;
  used(): Promise<number>;
}

async function openLimited(
  services: Services,
  { projectId, secretKey }: TestProject,
  bytes: number,
): Promise<LimitedApp> {
  const { engine } = services;
  const plan = { ...PLANS.free, documentBytes: await readDocumentBytes(engine, projectId) + bytes };
  const plans = { ...services.plans, ofProject: () => Promise.resolve(plan) };
  const app = createApp({ ...services, plans });
  return {
    plan,
    send: (call) => send(app, call),
    asSecret: (call) =>
      send(app, {
        ...call,
        headers: [["x-api-key", secretKey], ...new Headers(call.headers)],
      }),
    used: () => engine.bytes(projectId),
  };
}

const POSTS = "/api/data/posts";

/** Returns the larger and the smaller of a document's stored bytes and its text's bytes. */
async function sizeOf(
  { app, project, insertOne }: TestCollection,
  body: { [name: string]: unknown },
) {
  const before = await app.services.engine.bytes(project.projectId);
  const stored = await insertOne(body);
  const size = await app.services.engine.bytes(project.projectId) - before;
  const text = JSON.stringify(stored).length;
  return { most: Math.max(size, text), least: Math.min(size, text) };
}

Deno.test("of 50 concurrent inserts, exactly those within the quota are stored", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { most, least } = await sizeOf(collection, { text: PAGE });
  // Ten documents fit and eleven do not, whether the store uses more or fewer bytes than the text.
  const limited = await openLimited(
    app.services,
    collection.project,
    10 * most + Math.floor(least / 2),
  );
  const answers = await Promise.all(
    times(50, () => limited.asSecret({ path: POSTS, body: { text: PAGE } })),
  );
  assert.deepEqual(tally(answers), { 201: 10, 403: 40 });
  assert.equal(ok(await collection.asSecret({ path: "?count=true" })).count, 11);
  assert.ok(await limited.used() <= limited.plan.documentBytes);
});

Deno.test("of concurrent changes that grow documents, exactly those within the quota are stored", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const ids = (await collection.insert(...times(20, () => ({ text: "" })))).map(({ _id }) => _id);
  const limited = await openLimited(app.services, collection.project, 5 * PAGE.length + 1000);
  const answers = await Promise.all(
    ids.map((id) =>
      limited.asSecret({ method: "PATCH", path: `${POSTS}/${id}`, body: { text: PAGE } })
    ),
  );
  assert.deepEqual(tally(answers), { 200: 5, 403: 15 });
  assert.ok(await limited.used() <= limited.plan.documentBytes);
});

/** Opens a project with one document of `PAGE` and a full quota. */
async function openFull(app: TestApp) {
  const collection = await createTestCollection(app, { rls: { mode: "private" } });
  const ann = await collection.project.user();
  const { _id } = ok(await collection.asPublic({ body: { text: PAGE } }, ann), 201);
  const limited = await openLimited(app.services, collection.project, 0);
  const path = `${POSTS}/${_id}`;
  return { collection, ann, _id, path, limited };
}

Deno.test("a full quota refuses every write that adds bytes, and names the limit and the plan", async () => {
  await using app = await openTestApp();
  const { collection, ann, path, limited, _id } = await openFull(app);
  const owner = await createTestOwner(app, collection.project);
  const larger = { text: `${PAGE}x` };
  const writes: Call[] = [
    { path: POSTS, body: {} },
    { path: POSTS, body: {}, headers: { "idempotency-key": "new" } },
    { path: `${POSTS}/bulk`, body: [{ n: 1 }, { n: 2 }] },
    { method: "PUT", path, body: larger },
    { method: "PATCH", path, body: larger },
    { method: "PATCH", path, body: { more: 1 } },
    { method: "PATCH", path, body: { "a.b": 1 } },
  ];
  await collection.untouched(async () => {
    for (const call of writes) {
      refused(
        await limited.asSecret(call),
        403,
        "DOCUMENT_QUOTA_EXCEEDED",
        /0 MB on the free plan/,
      );
      const headers = [
        ["x-api-key", collection.project.publishableKey],
        ["authorization", `Bearer ${ann.token}`],
        ...new Headers(call.headers),
      ] as [string, string][];
      refused(await limited.send({ ...call, headers }), 403, "DOCUMENT_QUOTA_EXCEEDED");
    }
    const documents = `/api/projects/${owner.projectId}/collections/posts/documents`;
    const { cookie } = owner.account;
    for (
      const call of [
        { path: documents, body: {} },
        { method: "PUT", path: `${documents}/${_id}`, body: larger },
        { method: "PATCH", path: `${documents}/${_id}`, body: larger },
      ]
    ) refused(await limited.send({ ...call, headers: { cookie } }), 403, "DOCUMENT_QUOTA_EXCEEDED");
  });
});

Deno.test("a full quota still allows reads, deletions, recoveries and writes of no more bytes", async () => {
  await using app = await openTestApp();
  const { collection, path, limited } = await openFull(app);
  const { asSecret } = limited;
  ok(await asSecret({ path: POSTS }));
  ok(await asSecret({ path }));
  ok(await asSecret({ method: "PATCH", path, body: { text: PAGE.replace("x", "y") } }));
  const { documentBytes } = limited.plan;
  limited.plan.documentBytes = 0;
  ok(await asSecret({ method: "PATCH", path, body: { text: PAGE.slice(1) } }));
  ok(await asSecret({ method: "PUT", path, body: { text: PAGE.slice(2) } }));
  limited.plan.documentBytes = documentBytes;
  ok(await asSecret({ method: "DELETE", path }));
  ok(await asSecret({ method: "PATCH", path: `${path}/recover` }));
  const shorter = { method: "PUT", path, body: { text: PAGE.slice(0, 100) } };
  ok(await asSecret(shorter));
  ok(await asSecret({ path: POSTS, body: { text: PAGE.slice(0, 1000) } }), 201);
  const large = { path: POSTS, body: { text: PAGE } };
  refused(await asSecret(large), 403, "DOCUMENT_QUOTA_EXCEEDED");
  ok(await asSecret({ method: "DELETE", path }));
  refused(await asSecret(large), 403, "DOCUMENT_QUOTA_EXCEEDED");
  const { items } = ok(await collection.asSecret({ path: "?include_deleted=true" }));
  for (const { _id } of items) {
    ok(await asSecret({ method: "DELETE", path: `${POSTS}/${_id}?permanent=true` }));
  }
  ok(await asSecret({ ...large, body: { text: PAGE.slice(0, 3000) } }), 201);
});

Deno.test("an idempotent write is answered again after the quota is full", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const limited = await openLimited(app.services, collection.project, 1000);
  const headers = { "idempotency-key": "once" };
  const first = await limited.asSecret({ path: POSTS, body: { n: 1 }, headers });
  ok(first, 201);
  limited.plan.documentBytes = 0;
  const again = await limited.asSecret({ path: POSTS, body: { n: 1 }, headers });
  assert.equal(again.text, first.text);
  const other = await limited.asSecret({ path: POSTS, body: { n: 2 }, headers });
  refused(other, 422, "IDEMPOTENCY_KEY_REUSED");
});

Deno.test("writes and deletions by another process count at once", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await using other = await openTestServices({ store: app.store, clock: app.clock });
  const room = 3 * PAGE.length + 2000;
  const here = await openLimited(app.services, collection.project, room);
  const there = await openLimited(other.services, collection.project, room);
  ok(await here.asSecret({ path: POSTS, body: {} }), 201);
  const body = times(3, () => ({ text: PAGE }));
  const { ids } = ok(await there.asSecret({ path: `${POSTS}/bulk`, body }), 201);
  const page = { path: POSTS, body: { text: PAGE } };
  refused(await here.asSecret(page), 403, "DOCUMENT_QUOTA_EXCEEDED");
  const path = `${POSTS}/${ids[0]}?permanent=true`;
  ok(await there.asSecret({ method: "DELETE", path }));
  ok(await here.asSecret(page), 201);
  refused(await there.asSecret(page), 403, "DOCUMENT_QUOTA_EXCEEDED");
});

Deno.test("concurrent writes of two processes keep within the quota", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  await using other = await openTestServices({ store: app.store, clock: app.clock });
  const ids = (await collection.insert(...times(80, () => ({ text: "" })))).map(({ _id }) => _id);
  const room = 20 * PAGE.length;
  const here = await openLimited(app.services, collection.project, room);
  const there = await openLimited(other.services, collection.project, room);
  // There are too few of the faster writes to fill the quota.
  const answers = await Promise.all(times(80, (n) => {
    const { asSecret } = n % 2 === 0 ? here : there;
    if (n % 8 < 2) return asSecret({ path: POSTS, body: { text: PAGE } });
    return asSecret({ method: "PATCH", path: `${POSTS}/${ids[n]}`, body: { text: PAGE } });
  }));
  const statuses = tally(answers);
  const { 403: refusals = 0, ...stored } = statuses;
  assert.deepEqual(Object.keys(stored), ["200", "201"]);
  // On MongoDB each process may fill the quota while these requests are in flight.
  const missed = database === "sqlite" ? 0 : 20;
  assert.ok(refusals >= 60 - missed && refusals <= 62, JSON.stringify(statuses));
  const used = await here.used();
  const most = here.plan.documentBytes + missed * PAGE.length;
  assert.ok(used <= most && used > here.plan.documentBytes - 2 * PAGE.length);
  const page = { path: POSTS, body: { text: PAGE + PAGE } };
  for (const { asSecret } of [here, there]) {
    refused(await asSecret(page), 403, "DOCUMENT_QUOTA_EXCEEDED");
  }
});

Deno.test("deleting a collection frees the bytes of its documents", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  await owner.project.collection({ name: "tasks" });
  await collection.insert(...times(3, () => ({ text: PAGE })));
  const limited = await openLimited(app.services, collection.project, 0);
  const call = { path: "/api/data/tasks", body: { text: PAGE } };
  refused(await limited.asSecret(call), 403, "DOCUMENT_QUOTA_EXCEEDED");
  ok(await owner.asOwner({ method: "DELETE", path: "/collections/posts" }));
  await until("the bytes are free", async () => (await limited.asSecret(call)).status === 201);
});

Deno.test("the quota is set by the plan of the project's owner", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { services } = app;
  const owner = await project.owner();
  const room = () =>
    withinQuota(services, project.projectId, (room) => Promise.resolve(room?.bytesMax));
  assert.equal(await room(), PLANS.free.documentBytes);
  await setPlan(services, { email: owner.email, plan: "pro" });
  services.plans.forgetAccount(owner.accountId);
  assert.equal(await room(), PLANS.pro.documentBytes);
});

Deno.test("PLANS=off sets no quota", async () => {
  await using app = await openTestApp({ env: { PLANS: "off" } });
  const { projectId } = await app.project();
  const room = await withinQuota(app.services, projectId, (room) => Promise.resolve(room));
  assert.equal(room, undefined);
});

Deno.test("recountDocuments finds nothing to correct after writes and deletions", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const owner = await createTestOwner(app, collection.project);
  const [first] = await collection.insert(...times(3, (n) => ({ n, text: PAGE })));
  ok(await collection.asSecret({ method: "PATCH", path: `/${first!._id}`, body: { text: "é" } }));
  await collection.remove(first!._id);
  ok(await owner.asOwner({ method: "DELETE", path: "/collections/posts" }));
  await collection.project.collection({ name: "posts" });
  await collection.insertOne({ text: PAGE });
  const { engine } = app.services;
  const emptied = async () => await engine.bytes(owner.projectId) < 2 * PAGE.length;
  await until("the deleted collection's documents are removed", emptied);
  const documentBytes = await engine.bytes(owner.projectId);
  assert.deepEqual(await recountDocuments(app.services, owner.projectId), {
    documentBytes,
    corrected: 0,
  });
  assert.ok(documentBytes > PAGE.length);
});
