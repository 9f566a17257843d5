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

/** Where the documents of the collection that stands are kept. */
async function place({ app, projectId }: TestOwner): Promise<Definition> {
  const { records } = (await app.services.catalog.find(projectId, "posts"))!;
  return { name: records.name, fields: records.fields, indexes: [], trash: true };
}

/** How many documents lie where a collection's are, or were. */
const kept = ({ app, projectId }: TestOwner, where: Definition): Promise<number> =>
  app.services.engine.records(projectId, where).count(ALL);

const removals = async ({ app, projectId }: TestOwner): Promise<number> =>
  await app.services.engine.records<JobRecord>(projectId, JOBS).count(
    eq("kind", COLLECTION_REMOVAL.name),
  );

/** Some passes later than anybody could still write there. */
async function removed(owner: TestOwner): Promise<void> {
  await until("the places are removed", async () => {
    // Past every lease: where the background is at it still, one of the two fails and tries again.
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

/** The collection's documents, as the secret key counts them. */
const count = async ({ project }: TestOwner): Promise<number> =>
  ok(await project.asSecret({ path: "/api/data/posts?include_deleted=true" })).total;

/** Deletes it and has the removal of its documents cut off before it begins. */
const deleteCutOff = ({ app, projectId }: TestOwner) =>
  deleteCollection(
    {
      ...app.services,
      jobRunner: muteQueue(app.services.jobRunner),
    },
    projectId,
    "posts",
  );

Deno.test("a deleted collection is gone at once, and its documents soon", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 230);
  const where = await place(owner);
  assert.equal(await kept(owner, where), 230);
  assert.deepEqual(ok(await owner.asOwner(drop())), { name: "posts" });
  refused(await owner.project.asSecret({ path: "/api/data/posts" }), 404, "COLLECTION_NOT_FOUND");
  refused(await owner.asOwner(drop()), 404, "COLLECTION_NOT_FOUND");
  await until("the documents are removed", async () => await kept(owner, where) === 0);
  assert.equal(await removals(owner), 1, "late writers may still come");
  await removed(owner);
});

Deno.test("a collection of the same name, made in between, is empty and loses nothing", async () => {
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
  await removed(owner);
  assert.equal(await count(owner), 100, "maintenance leaves the new one alone");
});

Deno.test("a removal that was cut off is finished at the next look, for good", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 120, 1);
  const where = await place(owner);
  await deleteCutOff(owner);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 7, 2);
  assert.equal(await kept(owner, where), 120);
  await app.services.jobRunner.runDue();
  assert.equal(await kept(owner, where), 0);
  app.clock.advance(600_000);
  await app.services.jobRunner.runDue();
  assert.equal(await kept(owner, where), 0);
  assert.equal(await removals(owner), 0);
  assert.equal(await count(owner), 7);
});

Deno.test("a place that was another collection's is never used again, however long ago", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const places: string[] = [];
  for (const n of [1, 2, 3]) {
    await owner.project.collection({ name: "posts" });
    places.push((await place(owner)).name);
    await fill(owner, n);
    assert.equal(await count(owner), n);
    ok(await owner.asOwner(drop()));
    await removed(owner);
  }
  assert.equal(new Set(places).size, 3);
});

Deno.test("a write that found the collection before its deletion goes into the present one, or nowhere", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  const caller = { kind: "secret", projectId: owner.projectId } as const;
  const late = await openForWriting(app.services, caller, "posts");
  const where = await place(owner);
  ok(await owner.asOwner(drop()));
  await owner.project.collection({ name: "posts" });
  await writeDocument(app.services, late, { action: "create", body: { n: 1 } });
  await removed(owner);
  assert.equal(await kept(owner, where), 0, "nothing is left where the first one was");
  assert.equal(await count(owner), 1);
});

Deno.test("a write that found a collection that is stricter now, or deleted, is refused", async () => {
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

Deno.test("of many deletions at once one takes effect", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 10);
  const answers = await Promise.all(times(20, () => owner.asOwner(drop())));
  assert.deepEqual(tally(answers), { 200: 1, 404: 19 });
});

Deno.test("a collection that others refer to stays, and they are named", async () => {
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

Deno.test("a reference made in the moment of the deletion never dangles", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const fields = [{ key: "post", type: "Ref", ref: "posts" }];
  for (const round of times(8, (i) => i)) {
    await owner.project.collection({ name: "posts" });
    const [made, gone] = await Promise.all([
      owner.asOwner({ path: "/collections", body: { name: `c${round}`, fields } }),
      owner.asOwner(drop()),
    ]);
    const isMade = made.status === 201;
    assert.equal(gone.status, isMade ? 409 : 200, `${made.text} ${gone.text}`);
    if (!isMade) continue;
    ok(await owner.asOwner(drop(`c${round}`)));
    ok(await owner.asOwner(drop()));
  }
});

Deno.test("only admins and the owner delete a collection", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  await fill(owner, 3);
  await owner.isForAdmins(drop());
  assert.equal(await count(owner), 3);
  ok(await owner.as("admin", drop()));
});
