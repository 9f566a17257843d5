import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { FILE, openFiles, sendOver, withFailingStores } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("getFileInfo returns a confirmed file as listFiles does", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload(16, "image/png", "cat.png");
  const [item] = ok(await files.project.asSecret({ path: "/api/storage/files" })).items;
  assert.equal(item.path, filePath);
  assert.deepEqual(ok(await files.info(filePath)), item);
});

Deno.test("getFileInfo returns one 404 for unconfirmed, unknown, foreign and invalid paths", async () => {
  await using app = await openTestApp();
  const [files, stranger] = [await openFiles(app), await openFiles(app)];
  const requested = await files.request();
  const staged = await files.request();
  await files.put(staged);
  const deleted = await files.upload();
  await files.remove(deleted.filePath);
  const foreign = await stranger.upload();
  const texts = new Set<string>();
  for (
    const path of [
      requested.filePath,
      staged.filePath,
      deleted.filePath,
      foreign.filePath,
      foreign.filePath.replace(stranger.project.projectId, files.project.projectId),
      "../x",
      "\0",
      "%",
    ]
  ) {
    const answer = await files.info(path);
    refused(answer, 404, "FILE_NOT_FOUND");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

Deno.test("getFileInfo refuses a missing, empty or repeated path and other parameters", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload();
  for (
    const query of ["", "?path=", "?path", `?path=${filePath}&path=${filePath}`, "?file=x"]
  ) {
    refused(await files.project.asSecret({ path: `${FILE}${query}` }), 400, "INVALID_QUERY");
  }
  const more = `${FILE}?path=${filePath}&limit=1`;
  refused(await files.project.asSecret({ path: more }), 400, "INVALID_QUERY");
});

Deno.test("getFileInfo returns 503 if the file store is unavailable", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const path = `${FILE}?path=${(await files.upload()).filePath}`;
  const answer = await sendOver(withFailingStores(app.services), files.project, { path });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
});

Deno.test("getFileInfo refuses a publishable key", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const path = `${FILE}?path=${(await files.upload()).filePath}`;
  const user = await files.project.user();
  for (const caller of [undefined, user]) {
    refused(await files.project.asPublic({ path }, caller), 403, "SECRET_KEY_REQUIRED");
  }
});
