import assert from "node:assert/strict";
import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import { newPath } from "@/lib/files/paths.ts";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { UPLOADS } from "@/lib/files/uploads.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { withSteps } from "../support/with_steps.ts";
import { openTestApp } from "../support/test_app.ts";
import { storage } from "../support/test_store.ts";
import { CONFIRM, type Files, MiB, openFiles, sendOver, withChangedStores } from "./files.ts";
import { refused, times } from "./test_collection.ts";

const HOLD_MS = 20 * 60_000;

async function isClean({ app, project: { projectId } }: Files): Promise<void> {
  const { drift, unfinished } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual({ drift, unfinished }, { drift: [], unfinished: [] });
}

Deno.test("expired uploads are released with their objects, in batches, and no others", async () => {
  await using app = await openTestApp();
  const [files, other] = [await openFiles(app), await openFiles(app)];
  const confirmed = await files.upload(100);
  for (let i = 0; i < 120; i++) await files.request(10);
  const staged = await files.request(10);
  await files.put(staged);
  await other.request(7);
  app.clock.advance(1000);
  const later = await files.request(5);
  await files.put(later);
  app.clock.advance(HOLD_MS - 1001);
  assert.deepEqual(await reap(app.services), { released: 0, removed: 0, swept: 0 });
  app.clock.advance(1);
  assert.deepEqual(await reap(app.services), { released: 122, removed: 0, swept: 0 });
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 100, reserved: 5 });
  assert.equal((await other.usage()).reserved, 0);
  assert.deepEqual(await files.objects(), {
    staged: [later.filePath],
    stored: [confirmed.filePath],
  });
  assert.equal((await files.confirm(later)).status, 200);
  await isClean(files);
  assert.deepEqual(await reap(app.services), { released: 0, removed: 0, swept: 0 });
});

Deno.test("a claim protects an expired upload until it expires; its published object goes, too", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  app.clock.advance(HOLD_MS - 1000);
  const { engine, blobStores: { internal } } = app.services;
  const until = new Date(app.clock.now() + 60_000).toISOString();
  await engine.records(files.project.projectId, UPLOADS).updateOne(eq("path", upload.filePath), {
    set: { state: "copying", claim: "of one that died", claimedUntil: until },
  });
  await internal.publish(upload.filePath, upload.contentType);
  app.clock.advance(59_999);
  assert.equal((await reap(app.services)).released, 0);
  assert.equal((await files.usage()).reserved, 12);
  refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
  refused(await files.remove(upload.filePath), 409, "UPLOAD_NOT_READY");
  app.clock.advance(1);
  assert.equal((await reap(app.services)).released, 1);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  await isClean(files);
});

Deno.test("a confirm that commits at the last moment keeps its file", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const { internal } = app.services.blobStores;
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = withChangedStores(app.services, {
    async publish(path, contentType) {
      reached.resolve();
      await released.promise;
      return await internal.publish(path, contentType);
    },
  });
  const body = { filePath: upload.filePath, size: upload.size };
  const confirming = sendOver(slow, files.project, { path: CONFIRM, body });
  await reached.promise;
  app.clock.advance(HOLD_MS + 60_000);
  const services = withSteps(app.services, async (name) => {
    if (name !== "begin") return;
    released.resolve();
    assert.equal((await confirming).status, 200);
  });
  assert.equal((await reap(services)).released, 0);
  assert.equal((await files.info(upload.filePath)).status, 200);
  assert.equal((await files.usage()).used, upload.size);
  await isClean(files);
});

// A bucket keeps uploads in progress itself.
if (storage === "disk") {
  Deno.test("a partial object is swept when nothing was written to it for the length of a hold", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const { projectId } = files.project;
    const folder = `${app.store.folder}/files/_partial/${projectId}`;
    await Deno.mkdir(folder, { recursive: true });
    const writePartial = async (ageMs: number) => {
      const path = newPath(projectId, crypto.randomUUID(), "a");
      const file = `${app.store.folder}/files/_partial/${path}.${"x".repeat(16)}`;
      await Deno.writeTextFile(file, "half");
      const at = (app.clock.now() - ageMs) / 1000;
      await Deno.utime(file, at, at);
      return file;
    };
    const [growing, left] = [await writePartial(HOLD_MS - 1000), await writePartial(HOLD_MS)];
    const { unfinished } = await reconcile(app.services, projectId, { repair: false });
    assert.deepEqual(unfinished.map(({ kind }) => kind), ["temporary", "temporary"]);
    assert.equal((await reap(app.services)).swept, 1);
    await assert.rejects(Deno.stat(left), Deno.errors.NotFound);
    assert.equal(await Deno.readTextFile(growing), "half");
    app.clock.advance(1000);
    assert.equal((await reap(app.services)).swept, 1);
    await isClean(files);
  });
}

Deno.test("a PUT that ends after a sweep is swept by the next, even for a confirmed or deleted file", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [confirmed, deleted] = [await files.upload(), await files.upload()];
  await files.remove(deleted.filePath);
  const expired = await files.request();
  app.clock.advance(HOLD_MS);
  assert.equal((await reap(app.services)).released, 1);
  const waiting = await files.request();
  await files.put(waiting);
  for (const late of [expired, confirmed, deleted]) await files.stage(late);
  assert.equal((await files.objects()).staged.length, 4);
  assert.deepEqual(await reap(app.services), { released: 0, removed: 0, swept: 3 });
  assert.deepEqual(await files.objects(), {
    staged: [waiting.filePath],
    stored: [confirmed.filePath],
  });
  assert.equal((await files.confirm(waiting)).status, 200);
});

Deno.test("staged objects of a project that this store does not know remain", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const stranger = "0123456789abcdef01234567";
  const foreign = {
    filePath: newPath(stranger, crypto.randomUUID(), "a"),
    signedUrl: "",
    size: 3,
    contentType: "a/b",
  };
  await files.stage(foreign);
  assert.equal((await reap(app.services)).swept, 0);
  assert.ok(await app.services.blobStores.internal.stat("staged", foreign.filePath));
  await app.services.blobStores.internal.remove("staged", foreign.filePath);
});

Deno.test("concurrent sweeps do each piece of work once", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (let i = 0; i < 60; i++) await files.request(10);
  const [kept, late] = [await files.upload(), await files.upload()];
  await files.remove(late.filePath);
  app.clock.advance(HOLD_MS);
  const passes = await Promise.all(times(8, () => reap(app.services)));
  assert.equal(passes.reduce((sum, { released }) => sum + released, 0), 60);
  assert.equal((await files.usage()).reserved, 0);
  assert.equal((await files.usage()).used, kept.size);
  await isClean(files);
});

Deno.test("while file storage is unavailable the reaper frees quota, and deletes objects later", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10 * MiB);
  await files.stage(upload, new Uint8Array(3));
  app.clock.advance(HOLD_MS);
  const fail = () => Promise.reject(new BlobsUnavailable("away"));
  const away = withChangedStores(app.services, { remove: fail, list: fail });
  assert.equal((await reap(away)).released, 1);
  assert.equal((await files.usage()).reserved, 0);
  assert.equal((await files.objects()).staged.length, 1);
  const removals = app.services.engine.records(files.project.projectId, JOBS);
  assert.equal(await removals.count(ALL), 1);
  app.clock.advance(66_000); // One minute plus jitter.
  assert.equal((await reap(app.services)).removed, 1);
  await isClean(files);
});

Deno.test("a project that fails does not hold up the others", async () => {
  await using app = await openTestApp();
  const [broken, files] = [await openFiles(app), await openFiles(app)];
  await broken.request();
  await files.request();
  app.clock.advance(HOLD_MS);
  const services = withSteps(app.services, (name, space) => {
    if (name === "begin" && space === broken.project.projectId) throw new Error("broken");
  });
  assert.equal((await reap(services)).released, 1);
  assert.equal((await files.usage()).reserved, 0);
  assert.equal((await broken.usage()).reserved, 12);
});
