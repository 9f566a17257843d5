import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "../api/test_owner.ts";
import { setStorage } from "@/tests/support/given.ts";

const CHECK = { method: "POST", path: "/storage/check" };

Deno.test("a bucket check cannot distinguish an internal host name from an unknown one", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const checked = async (host: string) => {
    await setStorage(app.services, owner.projectId, {
      endpoint: `https://${host}:9000`,
      bucket: "blog-files",
      accessKeyId: "AKIDBLOG",
      secretAccessKey: "a-bucket-secret-that-stays-inside",
    });
    const started = performance.now();
    const { status, text } = await owner.as("admin", CHECK);
    const ms = performance.now() - started;
    // Each probe has another path.
    return {
      status,
      ms,
      text: text.replaceAll(`${host}:9000`, "HOST:9000").replaceAll(`"${host}\\"`, '"HOST\\"')
        .replaceAll(/[0-9a-f-]{36}/g, "UUID"),
    };
  };
  // A name that resolves to this machine everywhere.
  const internal = await checked("localhost");
  const unknown = await checked("no-such-host.invalid");
  assert.equal(internal.status, unknown.status);
  assert.equal(internal.text, unknown.text);
  assert.match(internal.text, /HOST\\" is unknown or not a public address/);
  assert.ok(internal.ms > 200, `refused after ${internal.ms} ms`);
});
