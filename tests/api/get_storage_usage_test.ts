import assert from "node:assert/strict";
import { STORAGE_USAGE, type StorageUsageRecord } from "@/lib/files/uploads.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  MiB,
  openFiles,
  REQUEST,
  sendOver,
  withChangedStores,
  withFailingStores,
} from "./files.ts";
import { ok, refused } from "./test_collection.ts";

const USAGE = "/api/storage/usage";

Deno.test("getStorageUsage follows an upload from its request to its deletion", async () => {
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

Deno.test("getStorageUsage has no quota in a project's own storage, where files have 10,000 parts", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const own = withChangedStores(app.services, {}, "https://s3.example.com/bucket");
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
  const readLedger = async () => {
    const usage = app.services.engine.records<StorageUsageRecord>(
      files.project.projectId,
      STORAGE_USAGE,
    );
    const { held, external } = (await usage.get(files.project.projectId))!.value;
    return { held, external };
  };
  assert.deepEqual(await readLedger(), { held: 0, external: 4 });
  const removal = { method: "DELETE", path: "/api/storage/file", body: { path: filePath } };
  ok(await sendOver(own, files.project, removal));
  assert.deepEqual(await readLedger(), { held: 0, external: 3 });
});

Deno.test("getStorageUsage returns 503 if the file store is unavailable", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const answer = await sendOver(withFailingStores(app.services), files.project, { path: USAGE });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
});

Deno.test("getStorageUsage refuses a publishable key", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const user = await files.project.user();
  for (const caller of [undefined, user]) {
    refused(await files.project.asPublic({ path: USAGE }, caller), 403, "SECRET_KEY_REQUIRED");
  }
});
