import assert from "node:assert/strict";
import { documentedRules } from "@/tests/support/s3.ts";
import { bucketPolicy, corsRules } from "./bucket_rules.ts";

Deno.test("corsRules and bucketPolicy match docs/storage.md", async () => {
  assert.deepEqual(bucketPolicy("photos"), JSON.parse(await documentedRules("policy", "photos")));
  const { CORSRules } = JSON.parse(await documentedRules("cors", "photos"));
  assert.deepEqual(corsRules(["*"]), CORSRules);
});
