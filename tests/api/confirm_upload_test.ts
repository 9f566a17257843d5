import assert from "node:assert/strict";
import { type BlobStat, BlobsUnavailable } from "@/lib/files/blobs.ts";
import { STORAGE_USAGE, type StorageUsageRecord } from "@/lib/files/uploads.ts";
import { fileBytes } from "../support/file_bytes.ts";
import { openTestApp } from "../support/test_app.ts";
import { textBytes } from "./blobs.ts";
import {
  CONFIRM,
  type Files,
  openFiles,
  type RequestedUpload,
  sendOver,
  withChangedStores,
  withFailingStores,
} from "./files.ts";
import { refused, tally, times } from "./test_collection.ts";

const callOf = ({ filePath, size }: RequestedUpload) => ({
  path: CONFIRM,
  body: { filePath, size },
});

const usageOf = async (files: Files) => {
  const { used, reserved } = await files.usage();
  return { used, reserved };
};

/** Returns the bytes that count towards the quota, which no response contains. */
async function heldBytes({ app, project: { projectId } }: Files): Promise<number> {
  const usage = app.services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE);
  return (await usage.get(projectId))!.value.held;
}

Deno.test("confirmUpload charges the reserved bytes and returns path, provider and url", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(12);
  await files.put(upload);
  const { status, body } = await files.confirm(upload);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), [
    "success",
    "path",
    "provider",
    "url",
    "visibility",
    "data",
    "message",
  ]);
  assert.equal(body.success, true);
  assert.equal(body.path, upload.filePath);
  const { path, provider, url, visibility } = body;
  assert.deepEqual(body.data, { path, provider, url, visibility });
  assert.equal(visibility, "public");
  assert.equal(body.provider, "internal");
  assert.ok(body.url.endsWith(`/${upload.filePath}`));
  assert.equal(typeof body.message, "string");
  assert.deepEqual(await usageOf(files), { used: 12, reserved: 0 });
  assert.equal(await heldBytes(files), 12);
  assert.deepEqual(await files.objects(), { staged: [], stored: [upload.filePath] });
});

Deno.test("confirmUpload repeats its response without charging or touching an object", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(12);
  await files.put(upload);
  const first = await files.confirm(upload);
  const fail = () => Promise.reject(new Error("touched"));
  const services = withChangedStores(app.services, { stat: fail, publish: fail, remove: fail });
  await files.untouched(async () => {
    app.clock.advance(3_600_000);
    const again = await sendOver(services, files.project, callOf(upload));
    assert.equal(again.text, first.text);
    const other = await files.confirm({ ...upload, size: 13 });
    refused(other, 400, "SIZE_MISMATCH");
  });
});

Deno.test("of 50 concurrent confirmUpload requests one charges, and the others are 200 or 409", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1000);
  await files.put(upload);
  const answers = await Promise.all(times(50, () => files.confirm(upload)));
  const { 200: done = 0, 409: waiting = 0 } = tally(answers);
  assert.equal(done + waiting, 50, JSON.stringify(tally(answers)));
  assert.ok(done >= 1);
  assert.equal(new Set(answers.filter(({ status }) => status === 200).map((a) => a.text)).size, 1);
  assert.deepEqual(await usageOf(files), { used: 1000, reserved: 0 });
  assert.equal(await heldBytes(files), 1000);
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("confirmUpload refuses a malformed member by name and changes nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const { filePath, size } = upload;
  await files.untouched(async () => {
    for (const bad of [undefined, null, "", 7, [filePath], {}]) {
      const body = { filePath: bad, size };
      refused(
        await files.project.asSecret({ path: CONFIRM, body }),
        400,
        "INVALID_UPLOAD",
        "filePath",
      );
    }
    for (const bad of [undefined, null, -12, 12.5, "12", [12], true]) {
      const body = { filePath, size: bad };
      const answer = await files.project.asSecret({ path: CONFIRM, body });
      refused(answer, 400, "INVALID_UPLOAD", "size");
      assert.equal(answer.body.error, answer.body.message);
    }
    refused(await files.project.asSecret({ path: CONFIRM, body: "[]" }), 400, "INVALID_BODY");
  });
});

Deno.test("confirmUpload refuses a size that was not requested, and removes nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(12);
  const wrong = async () => {
    for (const size of [11, 13, 1, 1e300]) {
      refused(await files.confirm({ ...upload, size }), 400, "SIZE_MISMATCH");
    }
  };
  await files.untouched(wrong);
  await files.put(upload);
  await files.untouched(wrong);
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("confirmUpload refuses every unknown path with an identical 404", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const stranger = await openFiles(app);
  const foreign = await stranger.request();
  await stranger.put(foreign);
  const deleted = await files.upload();
  assert.equal((await files.remove(deleted.filePath)).status, 200);
  const expired = await files.request();
  await files.put(expired);
  app.clock.advance(20 * 60_000);
  const { projectId } = files.project;
  const uuid = crypto.randomUUID();
  const paths = [
    foreign.filePath,
    deleted.filePath,
    expired.filePath,
    foreign.filePath.replace(stranger.project.projectId, projectId),
    `${projectId}/${uuid}_x`,
    `/${expired.filePath}`,
    `_incoming/${expired.filePath}`,
    `${projectId}/../${foreign.filePath}`,
    `${expired.filePath}\0`,
    `${expired.filePath} `,
    expired.filePath.toUpperCase(),
    "../../etc/passwd",
    "x".repeat(10_000),
    "\u202E",
    projectId,
  ];
  const texts = new Set<string>();
  await files.untouched(async () => {
    for (const filePath of paths) {
      const answer = await files.confirm({ filePath, size: 12 });
      refused(answer, 404, "FILE_NOT_FOUND");
      texts.add(answer.text);
    }
  });
  assert.equal(texts.size, 1);
  assert.equal((await stranger.objects()).staged.length, 1);
});

Deno.test("confirmUpload before the bytes arrive is 409, can be repeated and changes nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.untouched(async () => {
    const answer = await files.confirm(upload);
    refused(answer, 409, "UPLOAD_NOT_READY");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.equal(answer.body.error, answer.body.message);
  });
  await files.put(upload);
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("confirmUpload of bytes with another length ends the upload with 400 and frees its space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const publish = () => Promise.reject(new Error("published"));
  const services = withChangedStores(app.services, { publish });
  for (const length of [11, 13, 1]) {
    const upload = await files.request(12);
    await files.stage(upload, new Uint8Array(length));
    const answer = await sendOver(services, files.project, callOf(upload));
    refused(answer, 400, "SIZE_MISMATCH", "new upload");
    refused(await files.confirm(upload), 404, "FILE_NOT_FOUND");
  }
  assert.deepEqual(await usageOf(files), { used: 0, reserved: 0 });
  assert.equal(await heldBytes(files), 0);
  assert.deepEqual(await files.rows(), []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
});

Deno.test("confirmUpload of bytes of another type ends the upload with 415 and frees its space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const announced: readonly (readonly [type: string, bytes: Uint8Array<ArrayBuffer>])[] = [
    ["image/png", fileBytes("image/jpeg", 5_000)],
    ["image/jpeg", textBytes("<!doctype html><script>alert(1)</script>")],
    ["application/pdf", fileBytes("application/zip", 100)],
    ["application/zip", fileBytes("text/plain", 1)],
    ["video/mp4; codecs=avc1", fileBytes("application/pdf", 100)],
    ["audio/mpeg", fileBytes("image/gif", 100)],
  ];
  for (const [type, bytes] of announced) {
    for (const visibility of ["public", "private"]) {
      const body = { filename: "a", contentType: type, size: bytes.length, visibility };
      const upload = { ...body, ...(await files.ask(body)).body };
      await files.stage(upload, bytes);
      refused(await files.confirm(upload), 415, "TYPE_MISMATCH", "new upload");
      refused(await files.confirm(upload), 404, "FILE_NOT_FOUND");
    }
  }
  assert.deepEqual(await usageOf(files), { used: 0, reserved: 0 });
  assert.equal(await heldBytes(files), 0);
  assert.deepEqual(await files.rows(), []);
  for (const place of ["staged", "stored", "private"] as const) {
    const page = { prefix: `${files.project.projectId}/`, after: null, limit: 1000 };
    assert.deepEqual((await app.services.blobStores.internal.list(place, page)).blobs, []);
  }
});

Deno.test("confirmUpload ends an upload whose bytes change during publishing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(12);
  await files.put(upload);
  const { internal } = app.services.blobStores;
  const services = withChangedStores(app.services, {
    async publish(path, contentType) {
      await files.stage(upload, new Uint8Array(11));
      return await internal.publish(path, contentType);
    },
  });
  refused(await sendOver(services, files.project, callOf(upload)), 400, "SIZE_MISMATCH");
  assert.deepEqual(await files.rows(), []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  assert.equal(await heldBytes(files), 0);
});

Deno.test("confirmUpload accepts an upload for exactly 20 minutes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [intime, late] = [await files.request(), await files.request()];
  await files.put(intime);
  await files.put(late);
  app.clock.advance(20 * 60_000 - 1);
  assert.equal((await files.confirm(intime)).status, 200);
  app.clock.advance(1);
  refused(await files.confirm(late), 404, "FILE_NOT_FOUND");
  assert.equal((await files.confirm(intime)).status, 200);
});

/** Starts a confirm that never returns from a call of the file store, and keeps its claim. */
async function abandonConfirmAt(
  files: Files,
  upload: RequestedUpload,
  step: "stat" | "publish" | "remove",
) {
  const { app } = files;
  const { internal } = app.services.blobStores;
  const forever = Promise.withResolvers<never>();
  const reached = Promise.withResolvers<void>();
  const services = withChangedStores(app.services, {
    async [step](...args: never[]) {
      if (step === "remove") return;
      if (step === "publish") await (internal.publish as (...args: never[]) => unknown)(...args);
      reached.resolve();
      return await forever.promise;
    },
  });
  void sendOver(services, files.project, callOf(upload));
  await reached.promise;
}

for (const step of ["stat", "publish"] as const) {
  Deno.test(`confirmUpload that died at ${step} blocks others for 60 s, then another finishes it`, async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request();
    await files.put(upload);
    await abandonConfirmAt(files, upload, step);
    app.clock.advance(59_999);
    await files.untouched(async () => {
      app.clock.advance(-1000); // `untouched` advances the clock by this time.
      refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
      refused(await files.confirm({ ...upload, size: 13 }), 400, "SIZE_MISMATCH");
      refused(await files.remove(upload.filePath), 409, "UPLOAD_NOT_READY");
      refused(await files.info(upload.filePath), 404, "FILE_NOT_FOUND");
    });
    app.clock.advance(1);
    assert.equal((await files.confirm(upload)).status, 200);
    assert.deepEqual(await usageOf(files), { used: 12, reserved: 0 });
    assert.deepEqual(await files.objects(), { staged: [], stored: [upload.filePath] });
  });
}

Deno.test("confirmUpload publishes nothing if too little time of its claim is left", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const { internal } = app.services.blobStores;
  let published = 0;
  const slow = (ms: number) =>
    withChangedStores(app.services, {
      async stat(place, path) {
        app.clock.advance(ms);
        return await internal.stat(place, path);
      },
      publish(path, contentType) {
        published++;
        return internal.publish(path, contentType);
      },
    });
  const answer = await sendOver(slow(25_001), files.project, callOf(upload));
  refused(answer, 409, "UPLOAD_NOT_READY");
  assert.equal(published, 0);
  assert.equal((await sendOver(slow(25_000), files.project, callOf(upload))).status, 200);
});

Deno.test("confirmUpload commits nothing if it lost its claim during publishing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { internal } = app.services.blobStores;
  /** Returns services that run `afterPublish` before publishing returns. */
  const withDelay = (afterPublish: () => Promise<void>) =>
    withChangedStores(app.services, {
      async publish(path: string, contentType: string): Promise<BlobStat | null> {
        const published = await internal.publish(path, contentType);
        await afterPublish();
        return published;
      },
    });
  const taken = await files.request(12);
  await files.put(taken);
  const won = withDelay(async () => {
    app.clock.advance(60_000);
    assert.equal((await files.confirm(taken)).status, 200);
  });
  assert.equal((await sendOver(won, files.project, callOf(taken))).status, 200);
  assert.deepEqual(await usageOf(files), { used: 12, reserved: 0 });

  const handedOn = await files.request(12);
  await files.put(handedOn);
  const late = withDelay(async () => {
    app.clock.advance(60_000);
    await abandonConfirmAt(files, handedOn, "stat");
  });
  refused(await sendOver(late, files.project, callOf(handedOn)), 409, "UPLOAD_NOT_READY");
  assert.deepEqual(await usageOf(files), { used: 12, reserved: 12 });
  app.clock.advance(60_000);
  assert.equal((await files.remove(handedOn.filePath)).status, 200);

  const deleted = await files.request(12);
  await files.put(deleted);
  const lost = withDelay(async () => {
    app.clock.advance(60_000);
    assert.equal((await files.remove(deleted.filePath)).status, 200);
    await files.stage(deleted);
    await internal.publish(deleted.filePath, "text/plain");
  });
  refused(await sendOver(lost, files.project, callOf(deleted)), 404, "FILE_NOT_FOUND");
  assert.deepEqual(await usageOf(files), { used: 12, reserved: 0 });
  assert.deepEqual(await files.objects(), { staged: [], stored: [taken.filePath] });
});

Deno.test("confirmUpload is 503 while the file store fails, and releases its claim", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const fail = () => Promise.reject(new BlobsUnavailable("detail of a failure"));
  for (
    const services of [
      withFailingStores(app.services),
      withChangedStores(app.services, { stat: fail }),
      withChangedStores(app.services, { publish: fail }),
    ]
  ) {
    await files.untouched(async () => {
      const answer = await sendOver(services, files.project, callOf(upload));
      refused(answer, 503, "STORAGE_UNAVAILABLE");
      assert.ok(!answer.text.includes("detail"));
    });
  }
  const failingRemoval = withChangedStores(app.services, { remove: fail });
  assert.equal((await sendOver(failingRemoval, files.project, callOf(upload))).status, 200);
  assert.deepEqual(await usageOf(files), { used: 12, reserved: 0 });
});

Deno.test("confirmUpload returns a null url and a warning if the store has no public address", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const services = withChangedStores(app.services, { publicUrl: () => null });
  const { body } = await sendOver(services, files.project, callOf(upload));
  assert.equal(body.url, null);
  assert.match(body.warning, /public address/);
  const again = await sendOver(services, files.project, callOf(upload));
  assert.deepEqual(again.body, body);
  assert.equal((await files.confirm(upload)).body.warning, undefined);
});

Deno.test("confirmUpload refuses publishable keys", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const user = await files.project.user();
  await files.untouched(async () => {
    for (const caller of [undefined, user]) {
      refused(await files.project.asPublic(callOf(upload), caller), 403, "SECRET_KEY_REQUIRED");
    }
  });
});
