import assert from "node:assert/strict";
import type { Blobs, ListedBlob } from "@/lib/files/blobs.ts";
import { newPath } from "@/lib/files/paths.ts";
import { reap } from "@/lib/files/reaper.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { clearStorage } from "@/lib/files/storage_settings.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { openFiles } from "./files.ts";
import { times } from "./test_collection.ts";
import { setStorage } from "@/tests/support/given.ts";

const HOLD_MS = 20 * 60_000;
const SLOW_MS = 4_000;

/** Returns services whose store for this project takes `SLOW_MS` for each removal. */
function withSlowStore(app: TestApp, { projectId }: TestProject, staged: readonly string[] = []) {
  const { services, clock } = app;
  const left = new Set(staged);
  let asked = 0;
  const blobs: Blobs = Object.assign(Object.create(services.blobStores.internal), {
    remove(_place: string, path: string) {
      asked++;
      clock.advance(SLOW_MS);
      left.delete(path);
      return Promise.resolve();
    },
    list(place: string) {
      const found = place === "staged" ? [...left].toSorted() : [];
      const listed = found.map((path): ListedBlob => ({ path, bytes: 1, writtenAt: 0 }));
      return Promise.resolve({ blobs: listed, next: null });
    },
  });
  const { blobStores } = services;
  const slow: Services = {
    ...services,
    blobStores: {
      ...blobStores,
      currentTarget: async (id) =>
        id === projectId
          ? { name: (await blobStores.currentTarget(id)).name, blobs }
          : await blobStores.currentTarget(id),
      blobsOf: (id, target) =>
        target === "internal" ? blobStores.blobsOf(id, target) : Promise.resolve(blobs),
    },
  };
  return { services: slow, asked: () => asked, left: () => left.size };
}

const GIVEN = {
  endpoint: "https://s3.example.com",
  bucket: "photos",
  accessKeyId: "key",
  secretAccessKey: "secret",
};

const notes = ({ services: { engine } }: TestApp, { projectId }: TestProject) =>
  engine.records(projectId, JOBS).count(ALL);

Deno.test("one project's slow store takes half a minute of a pass, and later passes continue", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await setStorage(app.services, project.projectId, GIVEN);
  const files = await openFiles(app, project);
  for (let i = 0; i < 20; i++) await files.request();
  const other = await openFiles(app);
  await other.request(7);
  app.clock.advance(HOLD_MS);
  const slow = withSlowStore(app, project);

  const before = app.clock.now();
  await reap(slow.services);
  assert.ok(app.clock.now() - before <= 30_000 + 2 * SLOW_MS);
  assert.ok(slow.asked() > 0);
  assert.equal((await other.usage()).reserved, 0, "the other project was processed");
  assert.ok(await notes(app, project) > 0);
  for (let passes = 0; await notes(app, project) > 0; passes++) {
    assert.ok(passes < 20, "the passes end");
    app.clock.advance(600_000);
    await reap(slow.services);
  }
  assert.equal(slow.asked(), 60, "each staged, private and stored object is removed once");
});

Deno.test("staged objects in a slow store are removed in several passes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await setStorage(app.services, project.projectId, GIVEN);
  const staged = times(20, () => newPath(project.projectId, crypto.randomUUID(), "late.txt"));
  const slow = withSlowStore(app, project, staged);
  const before = app.clock.now();
  await reap(slow.services);
  assert.ok(app.clock.now() - before <= 30_000 + 2 * SLOW_MS);
  assert.ok(slow.left() > 0 && slow.left() < 20);
  for (let passes = 0; slow.left() > 0; passes++) {
    assert.ok(passes < 20, "the passes end");
    await reap(slow.services);
  }
});

Deno.test("a store whose lists never end is left when the time is up", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await setStorage(app.services, project.projectId, GIVEN);
  const { services, clock } = app;
  const { name } = await services.blobStores.currentTarget(project.projectId);
  let pages = 0;
  const list = () => {
    clock.advance(SLOW_MS);
    return Promise.resolve({ blobs: [], next: `${project.projectId}/${pages++}` });
  };
  const blobs: Blobs = Object.assign(Object.create(services.blobStores.internal), { list });
  const current = () => Promise.resolve({ name, blobs });
  await reap({ ...services, blobStores: { ...services.blobStores, currentTarget: current } });
  assert.ok(pages > 1 && pages <= 30_000 / SLOW_MS + 1, `${pages} pages were listed`);
});

Deno.test("disconnecting a slow bucket answers within 10 s, before all objects are checked", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await setStorage(app.services, project.projectId, GIVEN);
  const files = await openFiles(app, project);
  for (let i = 0; i < 120; i++) await files.request();
  app.clock.advance(HOLD_MS);
  const slow = withSlowStore(app, project);
  const before = app.clock.now();
  await assert.rejects(
    clearStorage(slow.services, project.projectId),
    (error) => error instanceof Problem && error.code === "STORAGE_IN_USE",
  );
  assert.ok(app.clock.now() - before <= 10_000 + 2 * SLOW_MS);
});
