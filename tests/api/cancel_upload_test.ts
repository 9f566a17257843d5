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
import { partials, pieces, textBytes } from "./blobs.ts";
import { type Files, openFiles, type Requested, storesAway } from "./files.ts";
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

/** Nothing of any upload is left, and no byte is held for one. */
async function isClean(files: Files): Promise<void> {
  const { app, project: { projectId } } = files;
  assert.deepEqual(await files.rows(), []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 0, reserved: 0 });
  assert.deepEqual(await partials(files), []);
  const { drift, unfinished } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual({ drift, unfinished }, { drift: [], unfinished: [] });
}

/** How far uploads can come before they are cancelled. */
const STATES: Readonly<Record<string, (files: Files, upload: Requested) => Promise<unknown>>> = {
  nothing: () => Promise.resolve(),
  "a part": ({ app }, upload) => patch(app, upload, 0, { body: textBytes("hel") }),
  everything: ({ app }, upload) => patch(app, upload, 0, { body: textBytes("hello") }),
  "a part, beside all of it by PUT,": async (files, upload) => {
    await patch(files.app, upload, 0, { body: textBytes("hel") });
    await files.put(upload);
  },
};

for (const [how, arrive] of Object.entries(STATES)) {
  Deno.test(`an upload of which ${how} has arrived is over: its space is free, and nothing stays`, async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(5);
    await arrive(files, upload);
    const [row] = await files.rows();
    const answer = await cancel(app, upload);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(answer.headers.get("tus-resumable"), "1.0.0");
    await isClean(files);
    if (typeof row!.pieces === "string") {
      const { internal } = app.services.blobStores;
      assert.equal(await internal.pieces.join(piecedUpload(row!), row!.pieces), null);
    }
    refused(await ask(app, upload), 410, "UPLOAD_GONE");
    refused(await patch(app, upload, 0, { body: textBytes("hello") }), 410, "UPLOAD_GONE");
    refused(await cancel(app, upload), 410, "UPLOAD_GONE");
    refused(await files.confirm(upload), 404, "FILE_NOT_FOUND");
    await isClean(files);
  });
}

Deno.test("one upload is cancelled, and no other", async () => {
  await using app = await openTestApp();
  const [files, others] = [await openFiles(app), await openFiles(app)];
  const [upload, beside, foreign] = [
    await files.request(5),
    await files.request(5),
    await others.request(5),
  ];
  for (const one of [upload, beside, foreign]) {
    await patch(app, one, 0, { body: textBytes("hel") });
  }
  assert.equal((await cancel(app, upload)).status, 204);
  for (const one of [beside, foreign]) {
    assert.equal((await patch(app, one, 3, { body: textBytes("lo") })).status, 204);
  }
  assert.equal((await files.confirm(beside)).status, 200);
  assert.equal((await others.confirm(foreign)).status, 200);
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 5, reserved: 0 });
});

Deno.test("UPLOAD_GONE: a confirmed file stays as it is, and so does what expired, for the reaper", async () => {
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

Deno.test("UPLOAD_LOCKED: while a confirm is at work, and no longer than its claim", async () => {
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
  await isClean(files);
});

Deno.test("of 20 cancels at once one ends the upload, and its space is given back once", async () => {
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

Deno.test("a PATCH that is under way ends with its upload, though nothing more arrives", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1000);
  const body = pieces((i) => i === 0 ? textBytes("x".repeat(999)) : new Promise(() => {}));
  const patching = patch(app, upload, 0, { body });
  await until("it is under way", () => body.pulled() === 2);
  assert.equal((await cancel(app, upload)).status, 204);
  refused(await patching, 410, "UPLOAD_GONE");
  await reap(app.services); // What it kept at its end, where it did.
  await isClean(files);
});

Deno.test("a store that is away keeps nobody from cancelling: what lies there goes later", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hel") });
  const away = createApp(storesAway(app.services));
  const answer = await send(away, { method: "DELETE", path: resumablePath(upload) });
  assert.equal(answer.status, 204);
  assert.equal((await files.usage()).reserved, 0);
  assert.equal((await partials(files)).length, 1);
  refused(await ask(app, upload), 410, "UPLOAD_GONE");
  app.clock.advance(60 * 60_000);
  await reap(app.services);
  await isClean(files);
});

Deno.test("TUS_VERSION_UNSUPPORTED, UPLOAD_TOKEN_INVALID: what is refused ends nothing", async () => {
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
