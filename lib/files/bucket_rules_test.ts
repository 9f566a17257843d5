import assert from "node:assert/strict";
import { documented } from "@/tests/support/s3.ts";
import { bucketPolicy, corsRules } from "./bucket_rules.ts";

Deno.test("what the check prints is what docs/storage.md says", async () => {
  assert.deepEqual(bucketPolicy("photos"), JSON.parse(await documented("policy", "photos")));
  const { CORSRules } = JSON.parse(await documented("cors", "photos"));
  assert.deepEqual(corsRules(["*"]), CORSRules);
});
