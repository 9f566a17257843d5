/** Tests uploads whose row changes in between, slow uploads and concurrent uploads. */

import assert from "node:assert/strict";
import { deleteFile } from "@/lib/files/delete_file.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { UPLOADS_AT_ONCE_MAX } from "@/lib/limits.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Change } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { until } from "../acceptance/until.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { addressOf, partialPaths, put, stagedText, streamOf, textBytes, tokenOf } from "./blobs.ts";
import { type Files, openFiles, type RequestedUpload } from "./files.ts";
import { ok, refused, times } from "./test_collection.ts";

/** Changes an upload's row directly in the store. */
async function changeRow({ app, project }: Files, upload: RequestedUpload, change: Change) {
  const rows = app.services.engine.records<UploadRecord>(project.projectId, UPLOADS);
  assert.ok(await rows.updateOne(eq("path", upload.filePath), change));
}

const claimed = (files: Files, until: number): Change => ({
  set: {
    state: "copying",
    claim: "somebody's",
    claimedUntil: new Date(files.app.clock.now() + until).toISOString(),
  },
});

const CONFIRMED: Change = { set: { state: "confirmed", expiresAt: null } };

Deno.test("UPLOAD_FINISHED: putBlob of a confirmed, deleted, moved or expired upload reads nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const uploads: RequestedUpload[] = [];
  for (let i = 0; i < 4; i++) uploads.push(await files.request());
  const [confirmed, elsewhere, over, removed] = uploads;
  await changeRow(files, confirmed!, CONFIRMED);
  await changeRow(files, elsewhere!, { set: { target: "a bucket" } });
  await changeRow(files, over!, { set: { expiresAt: new Date(app.clock.now()).toISOString() } });
  assert.equal((await files.remove(removed!.filePath)).status, 200);
  const state = [await files.rows(), await files.objects()];
  for (const upload of uploads) {
    const body = streamOf(() => textBytes("x".repeat(12)));
    refused(await put(app, upload, { body }), 409, "UPLOAD_FINISHED");
    assert.equal(body.pulled(), 0, "nothing was read");
  }
  assert.deepEqual([await files.rows(), await files.objects()], state);
});

Deno.test("UPLOAD_FINISHED: a second PUT leaves a confirmed file as it is", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  ok(await put(app, upload, { body: textBytes("first") }));
  assert.equal((await files.confirm(upload)).status, 200);
  await files.untouched(async () => {
    refused(await put(app, upload, { body: textBytes("other") }), 409, "UPLOAD_FINISHED");
  });
  const answer = await app.send({ path: `/files/${upload.filePath}` });
  assert.equal(answer.text, "first");
});

Deno.test("an expired claim blocks no upload", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await changeRow(files, upload, claimed(files, 0));
  ok(await put(app, upload));
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("bytes that arrive during a premature confirm are accepted", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1);
  await changeRow(files, upload, claimed(files, 60_000));
  const givenBack: Change = { set: { state: "requested", claim: null, claimedUntil: null } };
  const body = streamOf(async (i) => {
    if (i === 0) return textBytes("x");
    await changeRow(files, upload, givenBack);
    return null;
  });
  ok(await put(app, upload, { body }));
  assert.equal((await files.confirm(upload)).status, 200);
});

/** Events during an upload, and whether its bytes stay staged. */
const INTERRUPTIONS: Readonly<
  Record<string, [(files: Files, upload: RequestedUpload) => Promise<unknown>, boolean]>
> = {
  "it is confirmed": [(files, upload) => changeRow(files, upload, CONFIRMED), false],
  "it is deleted": [(files, { filePath }) => files.remove(filePath), false],
  "its hold ends": [({ app }) => Promise.resolve(app.clock.advance(1_200_000)), false],
  "a confirm takes it": [(files, upload) => changeRow(files, upload, claimed(files, 6e4)), true],
};

for (const [what, [happen, staysStaged]] of Object.entries(INTERRUPTIONS)) {
  Deno.test(`UPLOAD_FINISHED: ${what} before the last byte arrives`, async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(2);
    let happening: Promise<unknown> | undefined;
    const body = streamOf(async (i) => {
      if (i === 1) await (happening = happen(files, upload));
      return i < 2 ? textBytes("x") : null;
    });
    refused(await put(app, upload, { body }), 409, "UPLOAD_FINISHED");
    await happening; // The upload may end before this does.
    // A confirm in progress may be about to publish the file.
    assert.equal(await stagedText(files, upload), staysStaged ? "xx" : null);
    assert.deepEqual(await partialPaths(files), []);
  });
}

for (const who of ["this process", "another process"]) {
  Deno.test(`UPLOAD_FINISHED: a stalled upload ends when ${who} deletes it, and leaves nothing`, async () => {
    await using app = await openTestApp();
    await using other = await openTestApp({ store: app.store, clock: app.clock });
    const files = await openFiles(app);
    const upload = await files.request(1000);
    const body = streamOf((i) => i === 0 ? textBytes("x".repeat(999)) : new Promise(() => {}));
    const answer = put(app, upload, { body });
    await until("it has begun", async () => (await partialPaths(files)).length === 1);
    const deleting = who === "this process" ? app : other;
    const scope = { projectId: files.project.projectId, ownerId: null };
    await deleteFile(deleting.services, scope, upload.filePath);
    refused(await answer, 409, "UPLOAD_FINISHED");
    assert.deepEqual(await partialPaths(files), []);
    assert.equal((await files.usage()).reserved, 0);
  });
}

Deno.test("REQUEST_TIMEOUT: an upload ends when its reservation expires, at any speed", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  // The test's clock does not advance; the remaining time is measured by a real clock.
  const soon = new Date(app.clock.now() + 30).toISOString();
  const stalls = () => new Promise<null>(() => {});
  const trickles = () =>
    new Promise<Uint8Array<ArrayBuffer>>((resolve) => setTimeout(() => resolve(textBytes("x")), 1));
  for (const next of [stalls, trickles]) {
    const upload = await files.request(2000);
    await changeRow(files, upload, { set: { expiresAt: soon } });
    const body = streamOf((i) => i < 3 ? textBytes("x") : next());
    refused(await put(app, upload, { body }), 408, "REQUEST_TIMEOUT");
    assert.equal(await stagedText(files, upload), null);
  }
  assert.deepEqual(await partialPaths(files), []);
});

Deno.test("each arriving piece restarts the handler's timeout", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  let restarts = 0;
  const deadlines = {
    within: <T>(work: (restart: () => void) => T) => work(() => void restarts++),
    [Symbol.dispose]() {},
  };
  const answer = await send(createApp({ ...app.services, deadlines }), {
    method: "PUT",
    path: addressOf(tokenOf(upload)),
    headers: { "content-type": "text/plain" },
    body: streamOf((i) => i < 5 ? textBytes("x") : null),
  });
  assert.equal(answer.status, 200);
  assert.ok(restarts >= 5, `${restarts} restarts`);
});

Deno.test("RATE_LIMITED: an address takes four uploads at once, and more when they end", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [upload, other] = [await files.request(1), await files.request(1)];
  const gate = Promise.withResolvers<null>();
  const arriving = times(
    UPLOADS_AT_ONCE_MAX,
    () => put(app, upload, { body: streamOf((i) => i === 0 ? textBytes("x") : gate.promise) }),
  );
  const all = async () => (await partialPaths(files)).length === UPLOADS_AT_ONCE_MAX;
  await until("all are under way", all);
  const answer = await put(app, upload);
  refused(answer, 429, "RATE_LIMITED");
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  ok(await put(app, other));
  gate.resolve(null);
  for (const answer of await Promise.all(arriving)) ok(answer);
  ok(await put(app, upload));
});

Deno.test("of concurrent uploads to one address each is complete, and the file is one of them", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(300_000);
  const bodies = ["a", "b", "c", "d"].map((letter) => letter.repeat(300_000));
  const answers = await Promise.all(
    bodies.map((text) => put(app, upload, { body: textBytes(text) })),
  );
  for (const answer of answers) ok(answer);
  assert.ok(bodies.includes((await stagedText(files, upload))!));
  assert.equal((await files.confirm(upload)).status, 200);
});
