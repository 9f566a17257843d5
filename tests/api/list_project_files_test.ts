import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { openFiles, storesAway } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("members list the project's files, page by page, and no other project's", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const files = await openFiles(app, owner.project);
  await (await openFiles(app)).upload();
  const first = await files.upload();
  app.clock.advance(1000);
  const second = await files.upload();
  await files.request();
  const list = async (query = "") => ok(await owner.as("viewer", { path: `/files${query}` }));
  const paths = (await list()).items.map(({ path }: { path: string }) => path);
  assert.deepEqual(paths, [second.filePath, first.filePath]);
  const page = await list("?limit=1");
  const next = await list(`?limit=1&cursor=${page.nextCursor}`);
  assert.equal(next.items[0].path, first.filePath);
  refused(await owner.asOwner({ path: "/files?limit=x" }), 400, "INVALID_QUERY", "limit");
  refused(await owner.asOwner({ path: "/files?cursor=x" }), 400, "INVALID_CURSOR");
});

Deno.test("while the storage is away files cannot be listed", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await (await openFiles(app, owner.project)).upload();
  const away = createApp(storesAway(app.services));
  const path = `/api/projects/${owner.projectId}/files`;
  const answer = await send(away, { path, headers: { cookie: owner.account.cookie } });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
});
