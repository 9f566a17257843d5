import assert from "node:assert/strict";
import { openForWriting } from "@/lib/documents/access.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import { COLLECTION_REMOVAL } from "@/lib/documents/collection_removals.ts";
import { type JobRecord, JOBS } from "@/lib/jobs/jobs.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { until } from "../acceptance/until.ts";
import { muteQueue } from "../support/mute_queue.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import { updateCollection } from "@/tests/support/given.ts";

const drop = (name = "posts") => ({ method: "DELETE", path: `/collections/${name}` });

/** Returns the definition under which the current collection's documents are stored. */
async function storedDefinition({ app, projectId }: TestOwner): Promise<Definition> {
  const { records } = (await app.services.catalog.find(projectId, "posts"))!;
  return { name: records.name, fields: records.fields, indexes: [], trash: true };
}

const countStored = ({ app, projectId }: TestOwner, definition: Definition): Promise<number> =>
  app.services.engine.records(projectId, definition).count(ALL);

const removals = async ({ app, projectId }: TestOwner): Promise<number> =>
  await app.services.engine.records<JobRecord>(projectId, JOBS).count(
    eq("kind", COLLECTION_REMOVAL.name),
  );

/** Runs the removals until no late writer can follow. */
async function finishRemovals(owner: TestOwner): Promise<void> {
  await until("the removals are done", async () => {
    // Every lease expires. If the background still works, one of the two fails and tries again.
    owner.app.clock.advance(600_000);
    await owner.app.services.jobRunner.runDue();
    return await removals(owner) === 0;
  });
}

async function fill({ project }: TestOwner, count: number, n = 1): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const documents = times(Math.min(left, 100), () => ({ n }));
    ok(await project.asSecret({ path: "/api/data/posts/bulk", body: { documents } }), 201);
  }
}

/** Returns the number of the collection's documents, including the trash. */
const count = async ({ project }: TestOwner): Promise<number> =>
  ok(await project.asSecret({ path: "/api/data/posts?include_deleted=true" })).total;

/** Deletes the collection as a process that dies before it removes the documents. */
const deleteWithoutRemoval = ({ app, projectId }: TestOwner) =>
  deleteCollection(
    {
      ...app.services,
      jobRunner: muteQueue(app.services.jobRunner),
    },
    projectId,
    "posts",
  );

Deno.test("deleteCollection hides the collection at once and removes its documents afterwards", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 230);
  const definition = await storedDefinition(owner);
  assert.equal(await countStored(owner, definition), 230);
  assert.deepEqual(ok(await owner.asOwner(drop())), { name: "posts" });
  refused(await owner.project.asSecret({ path: "/api/data/posts" }), 404, "COLLECTION_NOT_FOUND");
  refused(await owner.asOwner(drop()), 404, "COLLECTION_NOT_FOUND");
  await until("the documents are removed", async () => await countStored(owner, definition) === 0);
  assert.equal(await removals(owner), 1, "late writers may still follow");
  await finishRemovals(owner);
});

Deno.test("a new collection of a deleted one's name is empty and loses no document", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  for (const round of [1, 2, 3]) {
    await owner.project.collection({ name: round === 2 ? "Posts" : "posts" });
    const name = round === 2 ? "Posts" : "posts";
    const path = `/api/data/${name}`;
    assert.equal(ok(await owner.project.asSecret({ path })).total, 0);
    const documents = times(100, () => ({ round }));
    ok(await owner.project.asSecret({ path: `${path}/bulk`, body: { documents } }), 201);
    if (round < 3) ok(await owner.asOwner(drop(name)));
  }
  await finishRemovals(owner);
  assert.equal(await count(owner), 100, "the removals do not touch the new collection");
});

Deno.test("an interrupted removal of documents is finished by the next run of the queue", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 120, 1);
  const definition = await storedDefinition(owner);
  await deleteWithoutRemoval(owner);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 7, 2);
  assert.equal(await countStored(owner, definition), 120);
  await app.services.jobRunner.runDue();
  assert.equal(await countStored(owner, definition), 0);
  app.clock.advance(600_000);
  await app.services.jobRunner.runDue();
  assert.equal(await countStored(owner, definition), 0);
  assert.equal(await removals(owner), 0);
  assert.equal(await count(owner), 7);
});

Deno.test("a new collection never uses the records of a deleted one", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const places: string[] = [];
  for (const n of [1, 2, 3]) {
    await owner.project.collection({ name: "posts" });
    places.push((await storedDefinition(owner)).name);
    await fill(owner, n);
    assert.equal(await count(owner), n);
    ok(await owner.asOwner(drop()));
    await finishRemovals(owner);
  }
  assert.equal(new Set(places).size, 3);
});

Deno.test("a write begun before deleteCollection is stored in the new collection or nowhere", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  const caller = { kind: "secret", projectId: owner.projectId } as const;
  const late = await openForWriting(app.services, caller, "posts");
  const definition = await storedDefinition(owner);
  ok(await owner.asOwner(drop()));
  await owner.project.collection({ name: "posts" });
  await writeDocument(app.services, late, { action: "create", body: { n: 1 } });
  await finishRemovals(owner);
  assert.equal(await countStored(owner, definition), 0, "nothing of the first collection is left");
  assert.equal(await count(owner), 1);
});

Deno.test("a write begun before a collection got stricter or was deleted is refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  const caller = { kind: "secret", projectId: owner.projectId } as const;
  const late = await openForWriting(app.services, caller, "posts");
  const write = () => writeDocument(app.services, late, { action: "create", body: { n: 1 } });
  assert.equal(JSON.parse((await write()).json).n, 1);
  await updateCollection(app.services, owner.projectId, {
    name: "posts",
    fields: [{ key: "m", type: "Number" }],
    strict: true,
  });
  await assert.rejects(write, { code: "INVALID_DOCUMENT" });
  ok(await owner.asOwner(drop()));
  await assert.rejects(write, { code: "COLLECTION_NOT_FOUND" });
});

Deno.test("exactly one of 20 concurrent deleteCollection requests succeeds", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 10);
  const answers = await Promise.all(times(20, () => owner.asOwner(drop())));
  assert.deepEqual(tally(answers), { 200: 1, 404: 19 });
});

Deno.test("deleteCollection refuses a collection that others refer to, and names them", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({
    name: "posts",
    fields: [{ key: "parent", type: "Ref", ref: "posts" }],
  });
  const fields = [{ key: "post", type: "Ref", ref: "posts" }];
  await owner.project.collection({ name: "comments", fields });
  await fill(owner, 1);
  refused(await owner.asOwner(drop()), 409, "COLLECTION_IN_USE", "comments");
  assert.equal(await count(owner), 1);
  ok(await owner.asOwner(drop("comments")));
  ok(await owner.asOwner(drop()));
});

Deno.test("a reference created during deleteCollection never dangles", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const fields = [{ key: "post", type: "Ref", ref: "posts" }];
  for (const round of times(8, (i) => i)) {
    await owner.project.collection({ name: "posts" });
    const [created, deleted] = await Promise.all([
      owner.asOwner({ path: "/collections", body: { name: `c${round}`, fields } }),
      owner.asOwner(drop()),
    ]);
    const isCreated = created.status === 201;
    assert.equal(deleted.status, isCreated ? 409 : 200, `${created.text} ${deleted.text}`);
    if (!isCreated) continue;
    ok(await owner.asOwner(drop(`c${round}`)));
    ok(await owner.asOwner(drop()));
  }
});

Deno.test("deleteCollection admits only admins and the owner", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 3);
  await owner.isForAdmins(drop());
  assert.equal(await count(owner), 3);
  ok(await owner.as("admin", drop()));
});
