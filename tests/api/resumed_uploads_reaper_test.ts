import assert from "node:assert/strict";
import { piecesPath } from "@/lib/files/paths.ts";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { piecedUpload } from "@/lib/files/uploads.ts";
import { RESUMABLE_HOLD_MS, UPLOAD_HOLD_MS } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { partialPaths, textBytes } from "./blobs.ts";
import { type Files, openFiles, type RequestedUpload } from "./files.ts";
import { ask, offsetOf, patch, sendRest, storedText } from "./resumable.ts";
import { refused } from "./test_collection.ts";

const HOUR_MS = 3_600_000;
const NOTHING = { released: 0, removed: 0, swept: 0 };

const pathsOf = (...uploads: RequestedUpload[]): string[] =>
  uploads.map(({ filePath }) => piecesPath(filePath)).toSorted();

async function isClean(files: Files): Promise<void> {
  const { app, project: { projectId } } = files;
  assert.deepEqual(await partialPaths(files), []);
  const { drift, unfinished } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual({ drift, unfinished }, { drift: [], unfinished: [] });
}

Deno.test("pieces stay for a day after the last bytes, and then go with their upload and its quota", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [idle, going, untouched] = [
    await files.request(10),
    await files.request(10),
    await files.request(7),
  ];
  for (const upload of [idle, going]) await patch(app, upload, 0, { body: textBytes("abc") });
  app.clock.advance(HOUR_MS);
  assert.deepEqual(await reap(app.services), { ...NOTHING, released: 1 });
  refused(await ask(app, untouched), 410, "UPLOAD_GONE");
  assert.deepEqual((await partialPaths(files)).toSorted(), pathsOf(idle, going));
  assert.equal((await files.usage()).reserved, 20);

  app.clock.advance(RESUMABLE_HOLD_MS - HOUR_MS - 1);
  assert.deepEqual(await reap(app.services), NOTHING);
  for (const upload of [idle, going]) assert.equal(await offsetOf(app, upload), 3);
  await patch(app, going, 3, { body: textBytes("def") });

  app.clock.advance(1);
  assert.deepEqual(await reap(app.services), { ...NOTHING, released: 1 });
  refused(await ask(app, idle), 410, "UPLOAD_GONE");
  assert.deepEqual(await partialPaths(files), pathsOf(going));
  assert.equal((await files.usage()).reserved, 10);

  await sendRest(app, going, textBytes("abcdefghij"));
  assert.equal((await files.confirm(going)).status, 200);
  assert.equal(await storedText(app, going), "abcdefghij");
  await isClean(files);
});

Deno.test("pieces that outlive their upload are swept, and cannot be continued in the store", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { pieces } = app.services.blobStores.internal;
  const [confirmed, deleted, open] = [
    await files.request(5),
    await files.request(5),
    await files.request(5),
  ];
  for (const upload of [confirmed, deleted, open]) {
    await patch(app, upload, 0, { body: textBytes("hel") });
  }
  const rows = new Map((await files.rows()).map((row) => [row.path, row]));
  await files.stage(confirmed);
  assert.equal((await files.confirm(confirmed)).status, 200);
  assert.equal((await files.remove(deleted.filePath)).status, 200);
  assert.deepEqual(await partialPaths(files), pathsOf(open));

  // Requests that started before and arrive late begin pieces again.
  const late = [confirmed, deleted].map(({ filePath }) => piecedUpload(rows.get(filePath)!));
  const names = await Promise.all(late.map((upload) => pieces.begin(upload)));
  assert.equal((await partialPaths(files)).length, 3);
  assert.deepEqual(await reap(app.services), { ...NOTHING, swept: 2 });
  assert.deepEqual(await partialPaths(files), pathsOf(open));
  for (const [i, upload] of late.entries()) {
    assert.equal(await pieces.join(upload, names[i]!), null);
  }
  assert.equal(await storedText(app, confirmed), "x".repeat(5));
  await sendRest(app, open, textBytes("hello"));
  assert.equal((await files.confirm(open)).status, 200);
  await isClean(files);
});

Deno.test("a complete but unconfirmed upload expires, and a repair ends it immediately", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { projectId } = files.project;
  const late = await files.request(5);
  await sendRest(app, late, textBytes("hello"));
  app.clock.advance(UPLOAD_HOLD_MS);
  const { drift, unfinished } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual(drift, []);
  assert.deepEqual(unfinished.map(({ kind }) => kind).toSorted(), ["hold", "temporary"]);
  app.clock.advance(RESUMABLE_HOLD_MS - UPLOAD_HOLD_MS);
  assert.deepEqual(await reap(app.services), { ...NOTHING, released: 1 });
  refused(await files.confirm(late), 404, "FILE_NOT_FOUND");
  await isClean(files);

  const repaired = await files.request(5);
  await patch(app, repaired, 0, { body: textBytes("hel") });
  assert.equal((await reconcile(app.services, projectId, { repair: true })).ok, true);
  refused(await ask(app, repaired), 410, "UPLOAD_GONE");
  assert.equal((await files.usage()).reserved, 0);
  await isClean(files);
});
