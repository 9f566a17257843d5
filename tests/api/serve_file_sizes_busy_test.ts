import assert from "node:assert/strict";
import { chooseSize } from "@/lib/files/picture_size.ts";
import { PICTURES_WAITING_SHARE_MAX } from "@/lib/limits.ts";
import { picture } from "../support/picture.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openFiles } from "./files.ts";
import { times } from "./test_collection.ts";

/** Opens a project with a picture that takes a while to resize. */
async function openProject(app: TestApp) {
  const files = await openFiles(app);
  const bytes = await picture({ width: 1600, height: 1200, format: "jpeg" });
  const path = await files.storeFile(bytes, "image/jpeg");
  const row = (await app.services.pictures.source("stored", path))!;
  return {
    path,
    /** Requests a size. Each `index` is another one. */
    find: (index: number, client: string, gone = new AbortController().signal) => {
      const size = chooseSize("image/jpeg", SIZES[index]!, null);
      return app.services.pictures.find(row, size, { client, gone });
    },
  };
}

const SIZES = [16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024].flatMap((w) =>
  (["jpeg", "webp"] as const).map((format) => ({ w, format }))
);

/** Returns how many of `first` had finished when all `others` had. */
async function countFinished(
  first: readonly Promise<unknown>[],
  others: readonly Promise<unknown>[],
) {
  let finished = 0;
  for (const one of first) one.then(() => finished++);
  await Promise.all(others);
  const before = finished;
  await Promise.all(first);
  return before;
}

Deno.test("many requests for a project's picture sizes do not hold up another project's", async () => {
  await using app = await openTestApp();
  const [busy, other] = [await openProject(app), await openProject(app)];
  const crowd = times(20, (i) => busy.find(i, `192.0.2.${i}`));
  const before = await countFinished(crowd, [other.find(0, "198.51.100.1")]);
  assert.ok(before <= 2, `${before} of the crowd's sizes were made before`);
});

Deno.test("a client that requests sizes from many projects holds up no other client", async () => {
  await using app = await openTestApp();
  const projects: Awaited<ReturnType<typeof openProject>>[] = [];
  for (let i = 0; i < 6; i++) projects.push(await openProject(app));
  const crowd = times(20, (i) => projects[i % 6]!.find(i, "192.0.2.1"));
  const before = await countFinished(crowd, [projects[5]!.find(21, "198.51.100.1")]);
  assert.ok(before <= 2, `${before} of the client's sizes were made before`);
});

Deno.test("a size whose clients have all disconnected is not produced", async () => {
  await using app = await openTestApp();
  const { find } = await openProject(app);
  const left = new AbortController();
  const first = find(0, "192.0.2.1");
  const dropped = times(5, (i) => find(i + 1, "192.0.2.1", left.signal));
  const kept = find(1, "192.0.2.2");
  left.abort();
  for (const one of dropped) await assert.rejects(one, { code: "SERVER_BUSY" });
  await Promise.all([first, kept]);
  const after = performance.now();
  await find(0, "192.0.2.1");
  assert.ok(performance.now() - after < 1_000, "no other size is in progress");
  const page = { prefix: "", after: null, limit: 100 };
  const { blobs } = await app.services.blobStores.internal.list("derived", page);
  assert.equal(blobs.length, 2, blobs.map(({ path }) => path).join(" "));
  // A dropped size is produced when it is requested again.
  assert.equal((await find(2, "192.0.2.1")).contentType, "image/jpeg");
});

Deno.test("SERVER_BUSY: the waiting sizes of one project and of one client are limited", async () => {
  await using app = await openTestApp();
  const [one, other] = [await openProject(app), await openProject(app)];
  const most = PICTURES_WAITING_SHARE_MAX;
  const waiting = times(most, (i) => one.find(i, "192.0.2.1"));
  await assert.rejects(one.find(most, "198.51.100.1"), { code: "SERVER_BUSY" });
  await assert.rejects(other.find(0, "192.0.2.1"), { code: "SERVER_BUSY" });
  await other.find(0, "198.51.100.1");
  await Promise.all(waiting);
  await one.find(most, "192.0.2.1");
});
