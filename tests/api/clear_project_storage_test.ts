import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles } from "./files.ts";
import { ok, refused } from "./test_collection.ts";
import { setStorage } from "@/tests/support/given.ts";

const BUCKET = {
  endpoint: "https://s3.example.com",
  bucket: "blog-files",
  accessKeyId: "AKIDBLOG",
  secretAccessKey: "secret",
};
const CLEAR = { method: "DELETE", path: "/storage" };

Deno.test("clearProjectStorage returns to Corbel's storage, and changes nothing without a bucket", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.deepEqual(ok(await owner.asOwner(CLEAR)), { provider: "internal" });
  await setStorage(app.services, owner.projectId, BUCKET);
  ok(await owner.as("admin", CLEAR));
  assert.equal(ok(await owner.asOwner({ path: "/storage" })).own, null);
  await (await openFiles(app, owner.project)).upload();
});

Deno.test("clearProjectStorage refuses viewers, and a bucket that has files", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await setStorage(app.services, owner.projectId, BUCKET);
  const files = await openFiles(app, owner.project);
  const answer = await files.ask({ filename: "a", contentType: "text/plain", size: 1 });
  assert.equal(answer.status, 200, answer.text);
  refused(await owner.asOwner(CLEAR), 409, "STORAGE_IN_USE", "1 file");
  await owner.isForAdmins(CLEAR);
  assert.equal(ok(await owner.asOwner({ path: "/storage" })).own.bucket, "blog-files");
});
