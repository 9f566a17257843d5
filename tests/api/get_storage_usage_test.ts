import assert from "node:assert/strict";
import { STORAGE_USAGE, type StorageUsageRecord } from "@/lib/files/uploads.ts";
import { openTestApp } from "../support/test_app.ts";
import { changedStores, MiB, openFiles, REQUEST, sendOver, storesAway } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

const USAGE = "/api/storage/usage";

Deno.test("usage follows an upload from request to delete", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const limits = { limit: 20 * MiB, fileBytesMax: 10 * MiB, provider: "internal" };
  assert.deepEqual(await files.usage(), { used: 0, reserved: 0, ...limits });
  const upload = await files.request(1000);
  assert.deepEqual(await files.usage(), { used: 0, reserved: 1000, ...limits });
  await files.put(upload);
  assert.deepEqual(await files.usage(), { used: 0, reserved: 1000, ...limits });
  await files.confirm(upload);
  assert.deepEqual(await files.usage(), { used: 1000, reserved: 0, ...limits });
  await files.remove(upload.filePath);
  assert.deepEqual(await files.usage(), { used: 0, reserved: 0, ...limits });
});

Deno.test("in a project's own storage there is no quota, and a file may have 10,000 parts", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const own = changedStores(app.services, {}, "https://s3.example.com/bucket");
  const call = (size: number) => ({
    path: REQUEST,
    body: { filename: "film.mp4", contentType: "video/mp4", size },
  });
  for (let i = 0; i < 3; i++) {
    assert.equal((await sendOver(own, files.project, call(80_000 * MiB))).status, 200);
  }
  refused(await sendOver(own, files.project, call(80_000 * MiB + 1)), 413, "FILE_TOO_LARGE");
  assert.deepEqual(ok(await sendOver(own, files.project, { path: USAGE })), {
    used: 0,
    reserved: 0,
    limit: null,
    fileBytesMax: 80_000 * MiB,
    provider: "external",
  });
  const small = await sendOver(own, files.project, call(12));
  const { filePath } = small.body;
  await files.stage({ ...small.body, size: 12, contentType: "video/mp4" });
  const confirm = { path: "/api/storage/upload-confirm", body: { filePath, size: 12 } };
  const { body } = await sendOver(own, files.project, confirm);
  assert.equal(body.provider, "external");
  assert.equal(ok(await sendOver(own, files.project, { path: USAGE })).used, 0);
  const external = async () => {
    const usage = app.services.engine.records<StorageUsageRecord>(
      files.project.projectId,
      STORAGE_USAGE,
    );
    const { held, external } = (await usage.get(files.project.projectId))!.value;
    return { held, external };
  };
  assert.deepEqual(await external(), { held: 0, external: 4 });
  const gone = { method: "DELETE", path: "/api/storage/file", body: { path: filePath } };
  ok(await sendOver(own, files.project, gone));
  assert.deepEqual(await external(), { held: 0, external: 3 });
});

Deno.test("while the store of files is away it is 503", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const answer = await sendOver(storesAway(app.services), files.project, { path: USAGE });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
});

Deno.test("a publishable key is told nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const user = await files.project.user();
  for (const who of [undefined, user]) {
    refused(await files.project.asPublic({ path: USAGE }, who), 403, "SECRET_KEY_REQUIRED");
  }
});
