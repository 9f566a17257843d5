import assert from "node:assert/strict";
import { DeleteBucketCommand } from "@aws-sdk/client-s3";
import { createLog } from "@/lib/runtime/log.ts";
import type { Engine } from "@/lib/store/port.ts";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { createTestBucket, hasS3 } from "../support/s3.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/api/health/ready";

Deno.test("getReadiness reports ready if the database and the file storage respond", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: PATH });
  const { engine, config } = app.services;
  const expected = { status: "ready", database: engine.name, storage: config.storage.kind };
  assert.deepEqual(ok(answer), expected);
  assert.equal(answer.body.message, "Ready");
});

Deno.test("getReadiness reports a connection shortage of the last minute and stays ready", async () => {
  await using app = await openTestApp();
  app.services.connectionShortage.note(1);
  assert.equal(ok(await app.send({ path: PATH })).connectionsExhausted, true);
  app.clock.advance(60_000);
  assert.equal("connectionsExhausted" in ok(await app.send({ path: PATH })), false);
});

Deno.test("getReadiness returns 503 for a failed database and reveals no detail", async () => {
  await using app = await openTestApp();
  for (const error of [new StoreUnavailable("disk /secret/place"), new Error("password=hunter2")]) {
    const engine: Engine = {
      ...app.services.engine,
      name: "sqlite",
      ping: () => Promise.reject(error),
    };
    const answer = await send(createApp({ ...app.services, engine }), { path: PATH });
    refused(answer, 503, "NOT_READY", "database (sqlite)");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.ok(!/secret|hunter2/.test(answer.text));
  }
});

Deno.test({
  name: "getReadiness returns 503 for a missing bucket and logs how to fix it",
  ignore: !hasS3(),
  async fn() {
    await using bucket = await createTestBucket();
    const logged: string[] = [];
    using log = createLog("error", (text) => logged.push(text));
    await using app = await openTestApp({ env: bucket.settings, log });
    const { database, storage } = ok(await app.send({ path: PATH }));
    assert.deepEqual([database, storage], [app.services.engine.name, "s3"]);
    await bucket.client.send(new DeleteBucketCommand({ Bucket: bucket.name }));
    const answer = await app.send({ path: PATH });
    refused(answer, 503, "NOT_READY", "file storage (s3)");
    assert.doesNotMatch(answer.text, new RegExp(`${bucket.name}|${bucket.account.endpoint}`));
    assert.match(logged.join(""), new RegExp(`${bucket.name}.*there is no such bucket: create it`));
    assert.ok(!logged.join("").includes(bucket.account.secretAccessKey));
  },
});
