import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { ok, refused } from "./shelf.ts";
import { setStorage } from "@/tests/support/given.ts";

const CHECK = { method: "POST", path: "/storage/check" };

Deno.test("the check of a bucket that nobody answers for says which step failed", async () => {
  await using app = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const desk = await openDesk(app);
  await setStorage(app.services, desk.projectId, {
    endpoint: "http://127.0.0.1:1",
    bucket: "blog-files",
    accessKeyId: "AKIDBLOG",
    secretAccessKey: "a-bucket-secret-that-stays-inside",
  });
  const answer = await desk.as("admin", CHECK);
  const { ok: isGood, steps, corsRules, bucketPolicy } = ok(answer);
  assert.equal(isGood, false);
  assert.deepEqual([steps[0].step, steps[0].result], ["reach", "failed"]);
  assert.ok(corsRules.length > 0 && bucketPolicy !== null);
  assert.ok(!answer.text.includes("stays-inside"));
});

Deno.test("without a bucket there is nothing to check, and viewers cannot", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  refused(await desk.asOwner(CHECK), 400, "INVALID_INPUT", "set it first");
  await desk.isForAdmins(CHECK);
});
