import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";
import { setStorage } from "@/tests/support/given.ts";

const CHECK = { method: "POST", path: "/storage/check" };

Deno.test("checkProjectStorage reports the failed step for an unreachable bucket", async () => {
  await using app = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const owner = await createTestOwner(app);
  await setStorage(app.services, owner.projectId, {
    endpoint: "http://127.0.0.1:1",
    bucket: "blog-files",
    accessKeyId: "AKIDBLOG",
    secretAccessKey: "a-bucket-secret-that-stays-inside",
  });
  const answer = await owner.as("admin", CHECK);
  const { ok: isGood, steps, corsRules, bucketPolicy } = ok(answer);
  assert.equal(isGood, false);
  assert.deepEqual([steps[0].step, steps[0].result], ["reach", "failed"]);
  assert.ok(corsRules.length > 0 && bucketPolicy !== null);
  assert.ok(!answer.text.includes("stays-inside"));
});

Deno.test("checkProjectStorage refuses a project without a bucket, and viewers", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  refused(await owner.asOwner(CHECK), 400, "INVALID_INPUT", "set it first");
  await owner.isForAdmins(CHECK);
});
