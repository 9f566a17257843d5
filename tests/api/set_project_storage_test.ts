import assert from "node:assert/strict";
import { findStorage } from "@/lib/files/storage_settings.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

const SECRET = "a-bucket-secret-that-stays-inside";
const BODY = {
  endpoint: "https://s3.example.com",
  bucket: "blog-files",
  accessKeyId: "AKIDBLOG",
  secretAccessKey: SECRET,
};

const put = (body: unknown) => ({ method: "PUT", path: "/storage", body });

Deno.test("setProjectStorage keeps the stored keys if none are sent, and never shows them", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const expected = {
    provider: "external",
    endpoint: "https://s3.example.com",
    region: "us-east-1",
    bucket: "blog-files",
    pathStyle: true,
    publicUrl: null,
    hasKeys: true,
  };
  const first = await owner.as("admin", put(BODY));
  assert.deepEqual(ok(first), expected);
  const { accessKeyId: _id, secretAccessKey: _secret, ...keyless } = BODY;
  const publicUrl = "https://files.example.com";
  const again = await owner.asOwner(put({ ...keyless, publicUrl }));
  assert.deepEqual(ok(again), { ...expected, publicUrl });
  const read = await owner.asOwner({ path: "/storage" });
  assert.deepEqual(ok(read).own, { ...expected, publicUrl });
  assert.deepEqual([ok(read).usage.limit, ok(read).usage.provider], [null, "external"]);
  for (const { text } of [first, again, read]) {
    assert.ok(!text.includes(SECRET) && !text.includes("AKIDBLOG"));
  }
});

Deno.test("an invalid bucket is refused, and no part of it is stored or repeated", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const wrong: [object, string][] = [
    [{ ...BODY, endpoint: "http://127.0.0.1:9000" }, "endpoint"],
    [{ ...BODY, endpoint: "https://10.0.0.1" }, "private network"],
    [{ ...BODY, bucket: SECRET.toUpperCase() }, "bucket"],
    [{ endpoint: BODY.endpoint, bucket: BODY.bucket }, "accessKeyId"],
    [{ ...BODY, more: 1 }, "endpoint"],
  ];
  for (const [body, says] of wrong) {
    const answer = await owner.asOwner(put(body));
    refused(answer, 400, "INVALID_INPUT", says);
    assert.ok(!answer.text.toLowerCase().includes(SECRET));
  }
  await owner.isForAdmins(put(BODY));
  assert.equal(await findStorage(app.services, owner.projectId), null);
});

Deno.test("another bucket is refused while the current one contains files", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  ok(await owner.asOwner(put(BODY)));
  const files = await openFiles(app, owner.project);
  const answer = await files.ask({ filename: "a", contentType: "text/plain", size: 1 });
  assert.equal(answer.status, 200, answer.text);
  const other = await owner.asOwner(put({ ...BODY, bucket: "other" }));
  refused(other, 409, "STORAGE_IN_USE", "1 file");
});
