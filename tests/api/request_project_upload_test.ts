import assert from "node:assert/strict";
import { PLANS } from "@/lib/projects/plans.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { storage } from "../support/test_store.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles, withFailingStores } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/files/upload-request";
const BODY = { filename: "cat.png", contentType: "image/png", size: 16 };
const { fileBytesMax, storageBytes } = PLANS.free;

Deno.test("a member uploads in three steps, and the file is public", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const answer = await owner.as("admin", { path: PATH, body: BODY });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const { signedUrl, filePath } = ok(answer);
  assert.ok(filePath.startsWith(`${owner.projectId}/`));
  await files.put({ signedUrl, filePath, size: 16, contentType: "image/png" });
  const confirm = { path: "/files/upload-confirm", body: { filePath, size: 16 } };
  const { path, url, provider } = ok(await owner.asOwner(confirm));
  assert.deepEqual([path, provider], [filePath, "internal"]);
  assert.deepEqual((await files.objects()).stored, [filePath]);
  // The public reads a bucket without Corbel.
  if (storage === "disk") {
    assert.equal((await app.send({ path: new URL(url).pathname })).status, 200);
  }
});

Deno.test("an invalid upload is refused and reserves no space", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const ask = (changes: object) => owner.asOwner({ path: PATH, body: { ...BODY, ...changes } });
  for (let held = 0; held + fileBytesMax <= storageBytes; held += fileBytesMax) {
    ok(await ask({ size: fileBytesMax }));
  }
  await files.untouched(async () => {
    refused(await ask({ size: -1 }), 400, "INVALID_UPLOAD", "size");
    refused(await ask({ size: fileBytesMax + 1 }), 413, "FILE_TOO_LARGE");
    refused(await ask({ size: 1 }), 403, "STORAGE_QUOTA_EXCEEDED");
    await owner.isForAdmins({ path: PATH, body: BODY });
    const away = createApp(withFailingStores(app.services));
    const call = { path: `/api/projects/${owner.projectId}${PATH}`, body: BODY };
    const answer = await send(away, { ...call, headers: { cookie: owner.account.cookie } });
    refused(answer, 503, "STORAGE_UNAVAILABLE");
  });
});
