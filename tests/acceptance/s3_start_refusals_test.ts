import assert from "node:assert/strict";
import { PutBucketPolicyCommand } from "@aws-sdk/client-s3";
import { createTestBucket, hasS3 } from "../support/s3.ts";
import { createTestStore } from "../support/test_store.ts";
import { refusedStart } from "./refused_start.ts";
import { adminEnd, freePort, startServer } from "./server.ts";

const ignore = !hasS3();

Deno.test({
  name: "a bucket that cannot be used refuses the start with what to do, and no secret",
  ignore,
  async fn() {
    await using store = await createTestStore();
    await using bucket = await createTestBucket();
    const { settings, account, name } = bucket;
    const { endpoint, secretAccessKey } = account;
    const nobody = `http://127.0.0.1:${freePort()}`;
    for (
      const [wrong, told] of [
        [{ STORAGE_URL: `s3://no-${name}?endpoint=${endpoint}` }, /no-test-.*create it/],
        [{ AWS_SECRET_ACCESS_KEY: "another secret" }, /secret access key is not the one/],
        [{ AWS_ACCESS_KEY_ID: "nobody" }, /access key id is unknown/],
        [{ STORAGE_URL: `s3://${name}?endpoint=${nobody}` }, /cannot be reached \(ECONNREFUSED\)/],
      ] as const
    ) {
      const said = await refusedStart({ ...store.settings, ...settings, ...wrong });
      assert.match(said, told);
      assert.ok(!said.includes(secretAccessKey) && !said.includes("another secret"), said);
    }
  },
});

Deno.test({
  name:
    "a bucket that answers 403 for what is missing refuses the start: nothing could be told from it",
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
  name: "a bucket that can be used serves, and commands work beside one that cannot",
  ignore,
  async fn() {
    await using store = await createTestStore();
    await using bucket = await createTestBucket();
    const settings = { ...store.settings, ...bucket.settings };
    await using server = await startServer({ store, settings });
    const ready = await fetch(`${server.url}/api/health/ready`, { client: server.http });
    assert.equal((await ready.json()).data.storage, "s3");
    const gone = { ...settings, AWS_ACCESS_KEY_ID: "nobody" };
    const { code, stderr } = await adminEnd(["project", "list"], gone);
    assert.equal(code, 0, stderr);
  },
});
