import assert from "node:assert/strict";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { piecedUpload } from "@/lib/files/uploads.ts";
import { UPLOAD_HOLD_MS } from "@/lib/limits.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { until } from "../acceptance/until.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { partialPaths, streamOf, textBytes } from "./blobs.ts";
import { type Files, openFiles, type RequestedUpload, withFailingStores } from "./files.ts";
import {
  ask,
  cancel,
  forgedPaths,
  offsetOf,
  patch,
  resumablePath,
  storedText,
} from "./resumable.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

/** Fails if anything of an upload is left, or if bytes are used or reserved. */
async function assertClean(files: Files): Promise<void> {
  const { app, project: { projectId } } = files;
  assert.deepEqual(await files.rows(), []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 0, reserved: 0 });
  assert.deepEqual(await partialPaths(files), []);
  const { drift, unfinished } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual({ drift, unfinished }, { drift: [], unfinished: [] });
}

const STATES: Readonly<
  Record<string, (files: Files, upload: RequestedUpload) => Promise<unknown>>
> = {
  nothing: () => Promise.resolve(),
  "a part": ({ app }, upload) => patch(app, upload, 0, { body: textBytes("hel") }),
  everything: ({ app }, upload) => patch(app, upload, 0, { body: textBytes("hello") }),
  "a part, and everything by PUT,": async (files, upload) => {
    await patch(files.app, upload, 0, { body: textBytes("hel") });
    await files.put(upload);
  },
};

for (const [how, arrive] of Object.entries(STATES)) {
  Deno.test(`cancelUpload after ${how} has arrived frees the space and removes the bytes`, async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(5);
    await arrive(files, upload);
    const [row] = await files.rows();
    const answer = await cancel(app, upload);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(answer.headers.get("tus-resumable"), "1.0.0");
    await assertClean(files);
    if (typeof row!.pieces === "string") {
      const { internal } = app.services.blobStores;
      assert.equal(await internal.pieces.join(piecedUpload(row!), row!.pieces), null);
    }
    refused(await ask(app, upload), 410, "UPLOAD_GONE");
    refused(await patch(app, upload, 0, { body: textBytes("hello") }), 410, "UPLOAD_GONE");
    refused(await cancel(app, upload), 410, "UPLOAD_GONE");
    refused(await files.confirm(upload), 404, "FILE_NOT_FOUND");
    await assertClean(files);
  });
}

Deno.test("cancelUpload ends one upload and no other", async () => {
  await using app = await openTestApp();
  const [files, others] = [await openFiles(app), await openFiles(app)];
  const [upload, sibling, foreign] = [
    await files.request(5),
    await files.request(5),
    await others.request(5),
  ];
  for (const one of [upload, sibling, foreign]) {
    await patch(app, one, 0, { body: textBytes("hel") });
  }
  assert.equal((await cancel(app, upload)).status, 204);
  for (const one of [sibling, foreign]) {
    assert.equal((await patch(app, one, 3, { body: textBytes("lo") })).status, 204);
  }
  assert.equal((await files.confirm(sibling)).status, 200);
  assert.equal((await others.confirm(foreign)).status, 200);
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 5, reserved: 0 });
});

Deno.test("cancelUpload is UPLOAD_GONE for confirmed and expired uploads, and changes nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  assert.equal((await files.confirm(upload)).status, 200);
  await files.untouched(async () => {
    refused(await cancel(app, upload), 410, "UPLOAD_GONE");
  });
  assert.equal(await storedText(app, upload), "hello");
  const expired = await files.request(5);
  app.clock.advance(UPLOAD_HOLD_MS);
  await files.untouched(async () => {
    refused(await cancel(app, expired), 410, "UPLOAD_GONE");
  });
});

Deno.test("cancelUpload is UPLOAD_LOCKED until the claim of a running confirm expires", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  const rows = app.services.engine.records<UploadRecord>(files.project.projectId, UPLOADS);
  const claimedUntil = new Date(app.clock.now() + 60_000).toISOString();
  const set = { state: "copying" as const, claim: "somebody's", claimedUntil };
  assert.ok(await rows.updateOne(eq("path", upload.filePath), { set }));
  await files.untouched(async () => {
    const answer = await cancel(app, upload);
    refused(answer, 423, "UPLOAD_LOCKED");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  });
  app.clock.advance(60_000);
  assert.equal((await cancel(app, upload)).status, 204);
  await assertClean(files);
});

Deno.test("exactly one of 20 concurrent cancels ends the upload and gives back its space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.upload(7);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hel") });
  const answers = await Promise.all(times(20, () => cancel(app, upload)));
  assert.deepEqual(tally(answers), { 204: 1, 410: 19 });
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 7, reserved: 0 });
});

Deno.test("cancelUpload ends a running PATCH that receives no more bytes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1000);
  const body = streamOf((i) => i === 0 ? textBytes("x".repeat(999)) : new Promise(() => {}));
  const patching = patch(app, upload, 0, { body });
  await until("the PATCH is under way", () => body.pulled() === 2);
  assert.equal((await cancel(app, upload)).status, 204);
  refused(await patching, 410, "UPLOAD_GONE");
  await reap(app.services); // Removes the part that the PATCH may have stored when it ended.
  await assertClean(files);
});

Deno.test("cancelUpload works while the file store is down, and the reaper removes the bytes later", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hel") });
  const away = createApp(withFailingStores(app.services));
  const answer = await send(away, { method: "DELETE", path: resumablePath(upload) });
  assert.equal(answer.status, 204);
  assert.equal((await files.usage()).reserved, 0);
  assert.equal((await partialPaths(files)).length, 1);
  refused(await ask(app, upload), 410, "UPLOAD_GONE");
  app.clock.advance(60 * 60_000);
  await reap(app.services);
  await assertClean(files);
});

Deno.test("cancelUpload refuses a wrong TUS version or token, and the upload continues", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hel") });
  await files.untouched(async () => {
    const headers = { "tus-resumable": "0.2.2" };
    refused(await cancel(app, upload, { headers }), 412, "TUS_VERSION_UNSUPPORTED");
    for (const path of forgedPaths(app, upload)) {
      refused(await cancel(app, upload, { path }), 403, "UPLOAD_TOKEN_INVALID");
    }
  });
  assert.equal(await offsetOf(app, upload), 3);
  assert.equal(ok(await ask(app, upload)).offset, 3);
});
