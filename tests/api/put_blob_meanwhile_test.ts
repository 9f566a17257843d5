/** Uploads whose row changes while they are under way, that take long, or come at once. */

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
import { addressOf, partials, pieces, put, staged, textBytes, tokenOf } from "./blobs.ts";
import { type Files, openFiles, type Requested } from "./files.ts";
import { ok, refused, times } from "./test_collection.ts";

/** Changes a row behind the product's back, to have it in any state at any moment. */
async function changeRow({ app, project }: Files, upload: Requested, change: Change) {
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

Deno.test("UPLOAD_FINISHED: confirmed, deleted, elsewhere or too late: nothing is read", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const uploads: Requested[] = [];
  for (let i = 0; i < 4; i++) uploads.push(await files.request());
  const [confirmed, elsewhere, over, removed] = uploads;
  await changeRow(files, confirmed!, CONFIRMED);
  await changeRow(files, elsewhere!, { set: { target: "a bucket" } });
  await changeRow(files, over!, { set: { expiresAt: new Date(app.clock.now()).toISOString() } });
  assert.equal((await files.remove(removed!.filePath)).status, 200);
  const state = [await files.rows(), await files.objects()];
  for (const upload of uploads) {
    const body = pieces(() => textBytes("x".repeat(12)));
    refused(await put(app, upload, { body }), 409, "UPLOAD_FINISHED");
    assert.equal(body.pulled(), 0, "nothing was read");
  }
  assert.deepEqual([await files.rows(), await files.objects()], state);
});

Deno.test("UPLOAD_FINISHED: a second PUT over a confirmed file leaves it as it is", async () => {
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

Deno.test("a claim that has lapsed holds nobody up", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await changeRow(files, upload, claimed(files, 0));
  ok(await put(app, upload));
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("bytes that arrive while a confirm that came too early is at work are taken", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1);
  await changeRow(files, upload, claimed(files, 60_000));
  const givenBack: Change = { set: { state: "requested", claim: null, claimedUntil: null } };
  const body = pieces(async (i) => {
    if (i === 0) return textBytes("x");
    await changeRow(files, upload, givenBack);
    return null;
  });
  ok(await put(app, upload, { body }));
  assert.equal((await files.confirm(upload)).status, 200);
});

/** What happens to an upload while its bytes arrive, and whether they stay staged. */
const MEANWHILE: Readonly<
  Record<string, [(files: Files, upload: Requested) => Promise<unknown>, boolean]>
> = {
  "it is confirmed": [(files, upload) => changeRow(files, upload, CONFIRMED), false],
  "it is deleted": [(files, { filePath }) => files.remove(filePath), false],
  "its hold ends": [({ app }) => Promise.resolve(app.clock.advance(1_200_000)), false],
  "a confirm takes it": [(files, upload) => changeRow(files, upload, claimed(files, 6e4)), true],
};

for (const [what, [happen, staysStaged]] of Object.entries(MEANWHILE)) {
  Deno.test(`UPLOAD_FINISHED: ${what} before the last byte arrives`, async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(2);
    let happening: Promise<unknown> | undefined;
    const body = pieces(async (i) => {
      if (i === 1) await (happening = happen(files, upload));
      return i < 2 ? textBytes("x") : null;
    });
    refused(await put(app, upload, { body }), 409, "UPLOAD_FINISHED");
    await happening; // The upload may end before what ends it has done all it does.
    // A confirm that is at work may be about to publish it.
    assert.equal(await staged(files, upload), staysStaged ? "xx" : null);
    assert.deepEqual(await partials(files), []);
  });
}

for (const who of ["this process", "another process"]) {
  Deno.test(`UPLOAD_FINISHED: an upload that ${who} deletes ends though nothing more arrives, and leaves nothing`, async () => {
    await using app = await openTestApp();
    await using other = await openTestApp({ store: app.store, clock: app.clock });
    const files = await openFiles(app);
    const upload = await files.request(1000);
    const body = pieces((i) => i === 0 ? textBytes("x".repeat(999)) : new Promise(() => {}));
    const answer = put(app, upload, { body });
    await until("it has begun", async () => (await partials(files)).length === 1);
    const deleting = who === "this process" ? app : other;
    const scope = { projectId: files.project.projectId, ownerId: null };
    await deleteFile(deleting.services, scope, upload.filePath);
    refused(await answer, 409, "UPLOAD_FINISHED");
    assert.deepEqual(await partials(files), []);
    assert.equal((await files.usage()).reserved, 0);
  });
}

Deno.test("REQUEST_TIMEOUT: an upload ends with its hold, however it comes along", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  // The clock of the test stands still; the time that is left is counted by a real one.
  const soon = new Date(app.clock.now() + 30).toISOString();
  const stalls = () => new Promise<null>(() => {});
  const trickles = () =>
    new Promise<Uint8Array<ArrayBuffer>>((resolve) => setTimeout(() => resolve(textBytes("x")), 1));
  for (const next of [stalls, trickles]) {
    const upload = await files.request(2000);
    await changeRow(files, upload, { set: { expiresAt: soon } });
    const body = pieces((i) => i < 3 ? textBytes("x") : next());
    refused(await put(app, upload, { body }), 408, "REQUEST_TIMEOUT");
    assert.equal(await staged(files, upload), null);
  }
  assert.deepEqual(await partials(files), []);
});

Deno.test("each piece that arrives starts the time of the handler anew", async () => {
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
    body: pieces((i) => i < 5 ? textBytes("x") : null),
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
    () => put(app, upload, { body: pieces((i) => i === 0 ? textBytes("x") : gate.promise) }),
  );
  const all = async () => (await partials(files)).length === UPLOADS_AT_ONCE_MAX;
  await until("all are under way", all);
  const answer = await put(app, upload);
  refused(answer, 429, "RATE_LIMITED");
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  ok(await put(app, other));
  gate.resolve(null);
  for (const answer of await Promise.all(arriving)) ok(answer);
  ok(await put(app, upload));
});

Deno.test("of uploads at once to one address each is whole, and the file is one of them", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(300_000);
  const bodies = ["a", "b", "c", "d"].map((letter) => letter.repeat(300_000));
  const answers = await Promise.all(
    bodies.map((text) => put(app, upload, { body: textBytes(text) })),
  );
  for (const answer of answers) ok(answer);
  assert.ok(bodies.includes((await staged(files, upload))!));
  assert.equal((await files.confirm(upload)).status, 200);
});
