/** Scripts of `mirrored_operations_test.ts` for files and mail. */
import assert from "node:assert/strict";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { openFiles, withFailingStores } from "./files.ts";
import type { Script, Side } from "./mirrored_operations_test.ts";
import { fetchText } from "./private_files.ts";
import { ok, refused } from "./test_collection.ts";
import { signUp } from "./user_email.ts";

const appWithoutStorage = ({ app }: Side) => createApp(withFailingStores(app.services));

const list: Script = async (side) => {
  const { app, project, ask } = side;
  const files = await openFiles(app, project);
  await (await openFiles(app)).upload();
  const first = await files.upload();
  app.clock.advance(1000);
  const second = await files.upload();
  await files.request();
  const paths = ok(await ask()).items.map(({ path }: { path: string }) => path);
  assert.deepEqual(paths, [second.filePath, first.filePath]);
  const page = ok(await ask({ query: "?limit=1" }));
  const next = ok(await ask({ query: `?limit=1&cursor=${page.nextCursor}` }));
  assert.equal(next.items[0].path, first.filePath);
  await side.admits("viewer");
  refused(await ask({ query: "?limit=x" }), 400, "INVALID_QUERY", "limit");
  refused(await ask({ query: "?cursor=x" }), 400, "INVALID_CURSOR");
  refused(await ask({ over: appWithoutStorage(side) }), 503, "STORAGE_UNAVAILABLE");
};

const remove: Script = async (side) => {
  const { app, project, ask } = side;
  const files = await openFiles(app, project);
  const foreign = await (await openFiles(app)).upload();
  const { filePath: path } = await files.upload();
  const confirming = await files.request();
  await app.services.engine.records<UploadRecord>(project.projectId, UPLOADS)
    .updateOne(eq("path", confirming.filePath), {
      set: { state: "copying", claimedUntil: new Date(app.clock.now() + 60_000).toISOString() },
    });
  await files.untouched(async () => {
    refused(await ask({ body: { path: foreign.filePath } }), 404, "FILE_NOT_FOUND");
    refused(await ask({ body: { path: confirming.filePath } }), 409, "UPLOAD_NOT_READY");
    refused(await ask({ body: { path: "" } }), 400, "INVALID_BODY");
  });
  const { used } = await files.usage();
  assert.deepEqual(ok(await ask({ body: { path } })), { deleted: true });
  assert.deepEqual((await files.objects()).stored, []);
  assert.ok((await files.usage()).used < used);
  refused(await ask({ body: { path } }), 404, "FILE_NOT_FOUND");
  await side.admits("admin", { body: { path: (await files.upload()).filePath } });
};

const sign: Script = async (side) => {
  const { app, project, ask } = side;
  const { filePath: path } = await (await openFiles(app, project)).upload();
  const { url, expiresAt } = ok(await ask({ body: { path, expiresIn: 60 } }));
  assert.equal(Date.parse(expiresAt) - app.clock.now(), 60_000);
  assert.equal((await fetchText(app, url)).status, 200);
  await side.admits("viewer", { body: { path } });
  refused(await ask({ body: { path: `${path}x` } }), 404, "FILE_NOT_FOUND");
  refused(await ask({ body: { path: 1 } }), 400, "INVALID_BODY");
  refused(await ask({ body: { path }, over: appWithoutStorage(side) }), 503, "STORAGE_UNAVAILABLE");
};

const listMails: Script = async (side) => {
  const { app, project, ask } = side;
  const { jobRunner } = app.services;
  await signUp(project, { email: "first@example.com" });
  await jobRunner.idle();
  app.clock.advance(1000);
  await signUp(project, { email: "second@example.com" });
  await jobRunner.idle();
  const page = ok(await ask({ query: "?limit=1" }));
  const next = ok(await ask({ query: `?limit=1&cursor=${page.nextCursor}` }));
  const to = [...page.items, ...next.items].map((mail: { to: string }) => mail.to);
  assert.deepEqual(to, ["second@example.com", "first@example.com"]);
  assert.equal(next.nextCursor, null);
  await side.admits("viewer");
  refused(await ask({ query: "?limit=x" }), 400, "INVALID_QUERY", "limit");
  refused(await ask({ query: "?cursor=x" }), 400, "INVALID_CURSOR");
};

export const fileAndMailScripts: Readonly<Record<string, Script>> = {
  listProjectFiles: list,
  deleteProjectFile: remove,
  signProjectFile: sign,
  listProjectMails: listMails,
};
