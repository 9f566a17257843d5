import assert from "node:assert/strict";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

const remove = (path: string) => ({ method: "DELETE", path: "/files", body: { path } });

Deno.test("a deleted file is gone, and its space is free", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const { filePath } = await files.upload();
  assert.deepEqual(ok(await owner.as("admin", remove(filePath))), { deleted: true });
  assert.deepEqual((await files.objects()).stored, []);
  assert.equal((await files.usage()).used, 0);
  refused(await owner.asOwner(remove(filePath)), 404, "FILE_NOT_FOUND");
});

Deno.test("another project's file, one that is being confirmed and another role are refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const foreign = await (await openFiles(app)).upload();
  const stored = await files.upload();
  const { filePath } = await files.request();
  await app.services.engine.records<UploadRecord>(owner.projectId, UPLOADS)
    .updateOne(eq("path", filePath), {
      set: { state: "copying", claimedUntil: new Date(app.clock.now() + 60_000).toISOString() },
    });
  await files.untouched(async () => {
    refused(await owner.asOwner(remove(foreign.filePath)), 404, "FILE_NOT_FOUND");
    refused(await owner.asOwner(remove(filePath)), 409, "UPLOAD_NOT_READY");
    refused(await owner.asOwner(remove("")), 400, "INVALID_BODY");
    await owner.isForAdmins(remove(stored.filePath));
  });
});
