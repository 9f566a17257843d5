import assert from "node:assert/strict";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocument } from "@/lib/documents/create_document.ts";
import { deleteCollection } from "@/lib/documents/delete_collection.ts";
import {
  REMOVED_COLLECTIONS,
  type RemovedCollection,
} from "@/lib/documents/removed_collections.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { maintain } from "@/routes/maintenance.ts";
import { until } from "../acceptance/until.ts";
import { openTestApp } from "../support/test_app.ts";
import { type Desk, openDesk } from "./desk.ts";
import { ok, refused, tally, times } from "./shelf.ts";
import { updateCollection } from "@/tests/support/given.ts";

const drop = (name = "posts") => ({ method: "DELETE", path: `/collections/${name}` });

/** Where the documents of the collection that stands are kept. */
async function place({ app, projectId }: Desk): Promise<Definition> {
  const { records } = (await app.services.catalog.find(projectId, "posts"))!;
  return { name: records.name, fields: records.fields, indexes: [], trash: true };
}

/** How many documents lie where a collection's are, or were. */
const kept = ({ app, projectId }: Desk, where: Definition): Promise<number> =>
  app.services.engine.records(projectId, where).count(ALL);

const removals = async ({ app, projectId }: Desk): Promise<number> =>
  await app.services.engine.records<RemovedCollection>(projectId, REMOVED_COLLECTIONS).count(ALL);

async function fill({ project }: Desk, count: number, n = 1): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const documents = times(Math.min(left, 100), () => ({ n }));
    ok(await project.asSecret({ path: "/api/data/posts/bulk", body: { documents } }), 201);
  }
}

/** The collection's documents, as the secret key counts them. */
const count = async ({ project }: Desk): Promise<number> =>
  ok(await project.asSecret({ path: "/api/data/posts?include_deleted=true" })).total;

/** Deletes it and has the removal of its documents cut off before it begins. */
const deleteCutOff = ({ app, projectId }: Desk) =>
  deleteCollection(
    {
      ...app.services,
      collectionRemovals: { begin() {}, async [Symbol.asyncDispose]() {} },
    },
    projectId,
    "posts",
  );

Deno.test("a deleted collection is gone at once, and its documents soon", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({ name: "posts" });
  await fill(desk, 230);
  const where = await place(desk);
  assert.equal(await kept(desk, where), 230);
  assert.deepEqual(ok(await desk.asOwner(drop())), { name: "posts" });
  refused(await desk.project.asSecret({ path: "/api/data/posts" }), 404, "COLLECTION_NOT_FOUND");
  refused(await desk.asOwner(drop()), 404, "COLLECTION_NOT_FOUND");
  await until("the documents are removed", async () => await kept(desk, where) === 0, 10_000);
});

Deno.test("a collection of the same name, made in between, is empty and loses nothing", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  for (const round of [1, 2, 3]) {
    await desk.project.collection({ name: round === 2 ? "Posts" : "posts" });
    const name = round === 2 ? "Posts" : "posts";
    const path = `/api/data/${name}`;
    assert.equal(ok(await desk.project.asSecret({ path })).total, 0);
    const documents = times(100, () => ({ round }));
    ok(await desk.project.asSecret({ path: `${path}/bulk`, body: { documents } }), 201);
    if (round < 3) ok(await desk.asOwner(drop(name)));
  }
  app.clock.advance(600_000);
  for (const _pass of [1, 2]) await maintain(app.services);
  assert.equal(await count(desk), 100, "maintenance leaves the new one alone");
  assert.equal(await removals(desk), 0);
});

Deno.test("a removal that was cut off is finished by maintenance, for good", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({ name: "posts" });
  await fill(desk, 120, 1);
  const where = await place(desk);
  await deleteCutOff(desk);
  await desk.project.collection({ name: "posts" });
  await fill(desk, 7, 2);
  assert.equal(await kept(desk, where), 120);
  const { documents } = await maintain(app.services);
  assert.equal(documents, 120);
  assert.equal(await kept(desk, where), 0);
  assert.equal(await removals(desk), 1, "late writers may still come");
  app.clock.advance(600_000);
  await maintain(app.services);
  assert.equal(await removals(desk), 0);
  assert.equal(await count(desk), 7);
});

Deno.test("a place that was another collection's is never used again, however long ago", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const places: string[] = [];
  for (const n of [1, 2, 3]) {
    await desk.project.collection({ name: "posts" });
    places.push((await place(desk)).name);
    await fill(desk, n);
    assert.equal(await count(desk), n);
    ok(await desk.asOwner(drop()));
    app.clock.advance(600_000);
    await maintain(app.services);
    assert.equal(await removals(desk), 0);
  }
  assert.equal(new Set(places).size, 3);
});

Deno.test("who found the collection before it was deleted writes into the one that stands, or nowhere", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({ name: "posts" });
  const caller = { kind: "secret", projectId: desk.projectId } as const;
  const late = await openForWriting(app.services, caller, "posts");
  const where = await place(desk);
  ok(await desk.asOwner(drop()));
  await desk.project.collection({ name: "posts" });
  await createDocument(app.services, late, { body: { n: 1 }, idempotencyKey: null });
  app.clock.advance(600_000);
  await maintain(app.services);
  assert.equal(await kept(desk, where), 0, "nothing is left where the first one was");
  assert.equal(await count(desk), 1);
});

Deno.test("who found a collection that is stricter now, or gone, is told so", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({ name: "posts" });
  const caller = { kind: "secret", projectId: desk.projectId } as const;
  const late = await openForWriting(app.services, caller, "posts");
  const write = () => createDocument(app.services, late, { body: { n: 1 }, idempotencyKey: null });
  assert.equal(JSON.parse(await write()).n, 1);
  await updateCollection(app.services, desk.projectId, {
    name: "posts",
    fields: [{ key: "m", type: "Number" }],
    strict: true,
  });
  await assert.rejects(write, { code: "INVALID_DOCUMENT" });
  ok(await desk.asOwner(drop()));
  await assert.rejects(write, { code: "COLLECTION_NOT_FOUND" });
});

Deno.test("of many deletions at once one takes effect", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({ name: "posts" });
  await fill(desk, 10);
  const answers = await Promise.all(times(20, () => desk.asOwner(drop())));
  assert.deepEqual(tally(answers), { 200: 1, 404: 19 });
});

Deno.test("a collection that others refer to stays, and they are named", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({
    name: "posts",
    fields: [{ key: "parent", type: "Ref", ref: "posts" }],
  });
  const fields = [{ key: "post", type: "Ref", ref: "posts" }];
  await desk.project.collection({ name: "comments", fields });
  await fill(desk, 1);
  refused(await desk.asOwner(drop()), 409, "COLLECTION_IN_USE", "comments");
  assert.equal(await count(desk), 1);
  ok(await desk.asOwner(drop("comments")));
  ok(await desk.asOwner(drop()));
});

Deno.test("a reference made in the moment of the deletion never dangles", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const fields = [{ key: "post", type: "Ref", ref: "posts" }];
  for (const round of times(8, (i) => i)) {
    await desk.project.collection({ name: "posts" });
    const [made, gone] = await Promise.all([
      desk.asOwner({ path: "/collections", body: { name: `c${round}`, fields } }),
      desk.asOwner(drop()),
    ]);
    const isMade = made.status === 201;
    assert.equal(gone.status, isMade ? 409 : 200, `${made.text} ${gone.text}`);
    if (!isMade) continue;
    ok(await desk.asOwner(drop(`c${round}`)));
    ok(await desk.asOwner(drop()));
  }
});

Deno.test("only admins and the owner delete a collection", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  await desk.project.collection({ name: "posts" });
  await fill(desk, 3);
  await desk.isForAdmins(drop());
  assert.equal(await count(desk), 3);
  ok(await desk.as("admin", drop()));
});
