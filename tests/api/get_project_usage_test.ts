import assert from "node:assert/strict";
import { readDocumentBytes } from "@/lib/documents/quota.ts";
import { QueryTooSlow } from "@/lib/store/errors.ts";
import type { Definition, Space } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { withMethods } from "../support/with_methods.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { MiB, openFiles, withFailingStores } from "./files.ts";
import { createTestCollection, ok, refused } from "./test_collection.ts";

const usagePath = ({ projectId }: TestProject) => `/api/projects/${projectId}/usage`;

async function readUsage(project: TestProject) {
  return ok(await (await project.owner()).send({ path: usagePath(project) }));
}

type Count = { from: string; requests: number; errors: number };

const withoutZeros = (counts: Count[]) => counts.filter(({ requests }) => requests > 0);

Deno.test("getProjectUsage returns what the project stores and the plan's limits", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { project } = files;
  const collection = await createTestCollection(app, {}, project);
  const [first] = await collection.insert({ n: 1 }, { n: 2 }, { n: 3 });
  await collection.remove(first!._id);
  await files.upload(100);
  await files.request(7);
  const { plan, collections, documents, storage, ai } = await readUsage(project);
  assert.equal(plan, "free");
  assert.deepEqual(collections, { used: 1, limit: 20 });
  assert.equal(documents.count, 3);
  assert.equal(documents.limit, 50 * MiB);
  assert.equal(documents.bytes, await readDocumentBytes(app.services.engine, project.projectId));
  assert.ok(documents.bytes > 0);
  assert.deepEqual(storage, {
    used: 100,
    reserved: 7,
    limit: 20 * MiB,
    fileBytesMax: 10 * MiB,
    provider: "internal",
  });
  assert.deepEqual([ai.queries.limit, ai.designs.limit], [5, 1]);
});

Deno.test("getProjectUsage counts requests with keys, refusals as errors, and none of members", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app);
  const { project } = collection;
  const other = await createTestCollection(app);
  await collection.insertOne();
  ok(await collection.asPublic({}));
  refused(await collection.asSecret({ path: "/x" }), 400, "INVALID_ID");
  await app.send({
    path: "/api/data/posts",
    headers: { "x-api-key": `pk_live_${"a".repeat(43)}` },
  });
  ok(await other.asSecret({}));
  await readUsage(project);
  assert.deepEqual(withoutZeros((await readUsage(project)).requests.days), [], "not stored so far");
  await app.services.requestCounts.store();
  const { requests } = await readUsage(project);
  assert.equal(requests.minutes.length, 60);
  assert.equal(requests.days.length, 30);
  assert.deepEqual(withoutZeros(requests.minutes), [
    { from: "2026-01-31T12:00:00.000Z", requests: 3, errors: 1 },
  ]);
  assert.deepEqual(withoutZeros(requests.days), [
    { from: "2026-01-31T00:00:00.000Z", requests: 3, errors: 1 },
  ]);
});

const sendOver = async (
  { services }: TestApp,
  project: TestProject,
  change: Partial<TestApp["services"]>,
) =>
  send(createApp({ ...services, ...change }), {
    path: usagePath(project),
    headers: { cookie: (await project.owner()).cookie },
  });

Deno.test("getProjectUsage returns 503 if the file store is unavailable", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { blobStores } = withFailingStores(app.services);
  refused(await sendOver(app, project, { blobStores }), 503, "STORAGE_UNAVAILABLE");
});

Deno.test("getProjectUsage returns 503 if a count takes too long", async () => {
  await using app = await openTestApp();
  const { project } = await createTestCollection(app);
  const { engine } = app.services;
  const tooSlow = () => Promise.reject(new QueryTooSlow(null));
  const slow = withMethods(engine, {
    records: (space: Space, definition: Definition) => {
      const records = engine.records(space, definition);
      return space === "control" ? records : withMethods(records, { list: tooSlow });
    },
  });
  refused(await sendOver(app, project, { engine: slow }), 503, "QUERY_TOO_SLOW");
});
