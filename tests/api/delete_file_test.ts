import assert from "node:assert/strict";
import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import { reap } from "@/lib/files/reaper.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { withSteps } from "../support/with_steps.ts";
import { openTestApp } from "../support/test_app.ts";
import { FILE, openFiles, sendOver, withChangedStores } from "./files.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const callOf = (path: unknown) => ({ method: "DELETE", path: FILE, body: { path } });

Deno.test("deleteFile removes the file and its object and frees the space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [kept, gone] = [await files.upload(5), await files.upload(12)];
  assert.deepEqual(ok(await files.remove(gone.filePath)), { deleted: true });
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 5, reserved: 0 });
  assert.deepEqual(await files.objects(), { staged: [], stored: [kept.filePath] });
  refused(await files.info(gone.filePath), 404, "FILE_NOT_FOUND");
  refused(await files.confirm(gone), 404, "FILE_NOT_FOUND");
  refused(await files.remove(gone.filePath), 404, "FILE_NOT_FOUND");
});

Deno.test("exactly one of 50 concurrent deleteFile requests succeeds and frees the space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [kept, gone] = [await files.upload(5), await files.upload(12)];
  const answers = await Promise.all(times(50, () => files.remove(gone.filePath)));
  assert.deepEqual(tally(answers), { 200: 1, 404: 49 });
  assert.equal((await files.usage()).used, 5);
  assert.deepEqual((await files.objects()).stored, [kept.filePath]);
});

Deno.test("deleteFile cancels an upload before and after its bytes arrived", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [empty, staged] = [await files.request(12), await files.request(7)];
  await files.put(staged);
  assert.equal((await files.usage()).reserved, 19);
  for (const upload of [empty, staged]) {
    assert.deepEqual(ok(await files.remove(upload.filePath)), { deleted: true });
    refused(await files.confirm(upload), 404, "FILE_NOT_FOUND");
  }
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 0, reserved: 0 });
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  assert.deepEqual(await files.rows(), []);
});

Deno.test("deleteFile refuses every unknown path with an identical 404", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const stranger = await openFiles(app);
  const foreign = await stranger.upload();
  const own = await files.upload();
  const expired = await files.request();
  await files.put(expired);
  app.clock.advance(20 * 60_000);
  const texts = new Set<string>();
  await files.untouched(async () => {
    for (
      const path of [
        foreign.filePath,
        expired.filePath,
        foreign.filePath.replace(stranger.project.projectId, files.project.projectId),
        `/${own.filePath}`,
        `${own.filePath}/`,
        `_incoming/${own.filePath}`,
        `${files.project.projectId}/../${foreign.filePath}`,
        `${files.project.projectId}/`,
        own.filePath.replace("/", "%2f"),
        "..",
        "\0",
        "x".repeat(60_000),
      ]
    ) {
      const answer = await files.remove(path);
      refused(answer, 404, "FILE_NOT_FOUND");
      texts.add(answer.text);
    }
  });
  assert.equal(texts.size, 1);
  assert.equal((await stranger.info(foreign.filePath)).status, 200);
});

Deno.test("deleteFile refuses a path that is missing, empty or not a text", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload();
  await files.untouched(async () => {
    for (const path of [undefined, null, "", 7, [filePath], { path: filePath }, true]) {
      const answer = await files.project.asSecret(callOf(path));
      refused(answer, 400, "INVALID_BODY", "path");
      assert.equal(answer.body.error, answer.body.message);
    }
    refused(await files.project.asSecret({ ...callOf(""), body: "null" }), 400, "INVALID_BODY");
  });
});

Deno.test("deleteFile is 409 during a confirm, which succeeds", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.put(upload);
  const { internal } = app.services.blobStores;
  const services = withChangedStores(app.services, {
    async publish(path, contentType) {
      refused(await files.remove(upload.filePath), 409, "UPLOAD_NOT_READY", "confirm");
      return await internal.publish(path, contentType);
    },
  });
  const body = { filePath: upload.filePath, size: upload.size };
  const path = "/api/storage/upload-confirm";
  assert.equal((await sendOver(services, files.project, { path, body })).status, 200);
  assert.equal((await files.remove(upload.filePath)).status, 200);
});

Deno.test("deleteFile succeeds if the object cannot be removed, which is retried with backoff", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.upload();
  let tried = 0;
  const services = withChangedStores(app.services, {
    remove() {
      tried++;
      return Promise.reject(new BlobsUnavailable("away"));
    },
  });
  ok(await sendOver(services, files.project, callOf(upload.filePath)));
  assert.equal(tried, 1);
  assert.equal((await files.usage()).used, 0);
  assert.deepEqual((await files.objects()).stored, [upload.filePath]);
  for (const minutes of [1, 2, 4, 8]) {
    app.clock.advance(minutes * 60_000 - 1);
    const before: number = tried;
    await reap(services);
    assert.equal(tried, before, `not before ${minutes} minutes`);
    app.clock.advance(minutes * 6_000 + 1); // The delay has up to 10% jitter.
    await reap(services);
    assert.equal(tried, before + 1);
  }
  app.clock.advance(6 * 3_600_000);
  assert.equal((await reap(app.services)).removed, 1);
  assert.deepEqual((await files.objects()).stored, []);
  assert.equal((await reap(app.services)).removed, 0);
});

Deno.test("deleteFile succeeds if the database fails after the deletion", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.upload();
  const services = withSteps(app.services, (name) => {
    if (name === `${JOBS.name}.deleteOne` || name === `${JOBS.name}.updateOne`) {
      throw new StoreUnavailable("away");
    }
  });
  ok(await sendOver(services, files.project, callOf(upload.filePath)));
  refused(await files.remove(upload.filePath), 404, "FILE_NOT_FOUND");
  assert.equal(await app.services.jobRunner.runDue(), 1, "the removal is repeated");
});

Deno.test("deleteFile refuses publishable keys", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload();
  const user = await files.project.user();
  await files.untouched(async () => {
    for (const caller of [undefined, user]) {
      refused(await files.project.asPublic(callOf(filePath), caller), 403, "SECRET_KEY_REQUIRED");
    }
  });
});

Deno.test("deleteFile accepts the address that confirmUpload returned", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload(5);
  const { url } = ok(
    await files.project.asSecret({ method: "GET", path: `${FILE}?path=${filePath}` }),
  );
  assert.notEqual(url, filePath);
  refused(
    await files.project.asSecret(callOf(url.replace(filePath, "x/y"))),
    404,
    "FILE_NOT_FOUND",
  );
  refused(await files.project.asSecret(callOf("https://example.com")), 404, "FILE_NOT_FOUND");
  ok(await files.project.asSecret(callOf(url)));
  refused(await files.project.asSecret(callOf(url)), 404, "FILE_NOT_FOUND");
});
