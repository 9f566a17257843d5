import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles, withFailingStores } from "./files.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const PATH = "/files/upload-confirm";

Deno.test("confirmProjectUpload confirms and charges once, and repeats its response", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const { filePath, size, ...upload } = await files.request();
  await files.put({ filePath, size, ...upload });
  const body = { filePath, size };
  const first = ok(await owner.as("admin", { path: PATH, body }));
  assert.deepEqual(ok(await owner.asOwner({ path: PATH, body })), first);
  assert.equal((await files.usage()).used, size);
});

Deno.test("confirmProjectUpload refuses invalid confirmations and changes nothing", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const { filePath, size } = await files.request();
  const foreign = await (await openFiles(app)).request();
  const confirm = (body: unknown) => owner.asOwner({ path: PATH, body });
  await files.untouched(async () => {
    refused(await confirm({ filePath, size }), 409, "UPLOAD_NOT_READY");
    refused(await confirm({ filePath, size: size + 1 }), 400, "SIZE_MISMATCH");
    refused(await confirm({ filePath }), 400, "INVALID_UPLOAD", "size");
    for (const path of [foreign.filePath, `${owner.projectId}/${UNKNOWN_ID}`]) {
      refused(await confirm({ filePath: path, size }), 404, "FILE_NOT_FOUND");
    }
    await owner.isForAdmins({ path: PATH, body: { filePath, size } });
    const away = createApp(withFailingStores(app.services));
    const call = { path: `/api/projects/${owner.projectId}${PATH}`, body: { filePath, size } };
    const answer = await send(away, { ...call, headers: { cookie: owner.account.cookie } });
    refused(answer, 503, "STORAGE_UNAVAILABLE");
  });
});

Deno.test("confirmProjectUpload ends an upload whose content is not the announced picture", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  const upload = await files.request(12, "image/png");
  await files.stage(upload, new Uint8Array(12));
  const { filePath, size } = upload;
  const answer = await owner.asOwner({ path: PATH, body: { filePath, size } });
  refused(answer, 415, "TYPE_MISMATCH");
  assert.deepEqual(await files.rows(), []);
});
