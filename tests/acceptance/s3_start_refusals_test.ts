import assert from "node:assert/strict";
import { PutBucketPolicyCommand } from "@aws-sdk/client-s3";
import { createTestBucket, hasS3 } from "../support/s3.ts";
import { createTestStore } from "../support/test_store.ts";
import { refusedStart } from "./refused_start.ts";
import { freePort, runAdmin, startServer } from "./server.ts";

const ignore = !hasS3();

Deno.test({
  name: "start refuses an unusable bucket with a remedy and prints no secret",
  ignore,
  async fn() {
    await using store = await createTestStore();
    await using bucket = await createTestBucket();
    const { settings, account, name } = bucket;
    const { endpoint, secretAccessKey } = account;
    const unusedUrl = `http://127.0.0.1:${freePort()}`;
    for (
      const [wrong, expected] of [
        [{ STORAGE_URL: `s3://no-${name}?endpoint=${endpoint}` }, /no-test-.*create it/],
        [{ AWS_SECRET_ACCESS_KEY: "another secret" }, /secret access key is not the one/],
        [{ AWS_ACCESS_KEY_ID: "nobody" }, /access key id is unknown/],
        [
          { STORAGE_URL: `s3://${name}?endpoint=${unusedUrl}` },
          /cannot be reached \(ECONNREFUSED\)/,
        ],
      ] as const
    ) {
      const said = await refusedStart({ ...store.settings, ...settings, ...wrong });
      assert.match(said, expected);
      assert.ok(!said.includes(secretAccessKey) && !said.includes("another secret"), said);
    }
  },
});

Deno.test({
  name: "start refuses a bucket that answers 403 for a missing object",
  ignore,
  async fn() {
    await using store = await createTestStore();
    await using bucket = await createTestBucket();
    const { client, name: Bucket } = bucket;
    const Statement = [{
      Effect: "Deny",
      Principal: "*",
      Action: "s3:ListBucket",
      Resource: `arn:aws:s3:::${Bucket}`,
    }];
    const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
    await client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    const said = await refusedStart({ ...store.settings, ...bucket.settings });
    assert.match(said, /not allowed to do this: it needs s3:ListBucket/);
  },
});

Deno.test({
  name: "start accepts a usable bucket, and commands run while the bucket is unusable",
  ignore,
  async fn() {
    await using store = await createTestStore();
    await using bucket = await createTestBucket();
    const settings = { ...store.settings, ...bucket.settings };
    await using server = await startServer({ store, settings });
    const ready = await fetch(`${server.url}/api/health/ready`, { client: server.http });
    assert.equal((await ready.json()).data.storage, "s3");
    const gone = { ...settings, AWS_ACCESS_KEY_ID: "nobody" };
    const { code, stderr } = await runAdmin(["project", "list"], gone);
    assert.equal(code, 0, stderr);
  },
});
