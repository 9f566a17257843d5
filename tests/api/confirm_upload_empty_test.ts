import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openFiles } from "./files.ts";
import { offsetOf, patch, storedText } from "./resumable.ts";

Deno.test("a file of 0 bytes is uploaded, read and deleted like any other", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const contentType of ["text/plain", "image/png", "video/webm;codecs=vp8,opus"]) {
    const upload = await files.upload(0, contentType, "empty");
    assert.equal(await storedText(app, upload), "");
    const info = await files.info(upload.filePath);
    assert.equal(info.body.data.size, 0);
    assert.equal(info.body.data.contentType, contentType);
    assert.deepEqual(await files.objects(), { staged: [], stored: [upload.filePath] });
    assert.equal((await files.remove(upload.filePath)).status, 200);
    assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  }
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, { used: 0, reserved: 0 });
});

Deno.test("a resumable upload of 0 bytes is complete from the beginning", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (const sends of [false, true]) {
    const upload = await files.request(0);
    assert.equal(await offsetOf(app, upload), 0);
    if (sends) assert.equal((await patch(app, upload, 0, { body: new Uint8Array() })).status, 204);
    const answer = await files.confirm(upload);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual((await files.confirm(upload)).body, answer.body, "a repeated confirm");
    assert.equal(await storedText(app, upload), "");
    assert.equal((await files.remove(upload.filePath)).status, 200);
  }
});

Deno.test("confirmUpload refuses a size of 0 for other uploads, and other sizes for empty ones", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [empty, full] = [await files.request(0), await files.request(12)];
  assert.equal((await files.confirm({ ...empty, size: 12 })).body.code, "SIZE_MISMATCH");
  assert.equal((await files.confirm({ ...full, size: 0 })).body.code, "SIZE_MISMATCH");
  assert.equal((await files.confirm(full)).body.code, "UPLOAD_NOT_READY");
});
