import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { type Files, openFiles, sendOver, withChangedStores, withFailingStores } from "./files.ts";
import { ok, refused } from "./test_collection.ts";

const LIST = "/api/storage/files";

const list = (files: Files, query = "") => files.project.asSecret({ path: `${LIST}${query}` });

Deno.test("listFiles returns confirmed files, newest first, with their data", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  assert.deepEqual(ok(await list(files)), { items: [], nextCursor: null });
  const first = await files.upload(5, "text/plain", "../a.txt");
  app.clock.advance(1000);
  const second = await files.upload(7, "image/svg+xml", "b.svg");
  app.clock.advance(1000);
  const unconfirmed = await files.request(3);
  await files.put(unconfirmed);
  const { items, nextCursor } = ok(await list(files));
  assert.equal(nextCursor, null);
  assert.deepEqual(items.map(({ path }: { path: string }) => path), [
    second.filePath,
    first.filePath,
  ]);
  const { url, ...rest } = items[1];
  assert.deepEqual(rest, {
    path: first.filePath,
    filename: "../a.txt",
    contentType: "text/plain",
    size: 5,
    createdAt: "2026-01-31T12:00:00.000Z",
    ownerId: null,
    sizesUrl: null,
    visibility: "public",
  });
  assert.ok(url.endsWith(first.filePath));
});

Deno.test("listFiles returns each file once over all pages, also if one is deleted in between", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const paths: string[] = [];
  for (let i = 0; i < 5; i++) {
    app.clock.advance(1000);
    paths.unshift((await files.upload(1)).filePath);
  }
  const seen: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const { items, nextCursor } = ok(await list(files, query));
    seen.push(...items.map(({ path }: { path: string }) => path));
    if (seen.length === 2) await files.remove(seen[1]!);
    if (nextCursor === null) break;
    query = `?limit=2&cursor=${encodeURIComponent(nextCursor)}`;
  }
  assert.deepEqual(seen, paths);
});

Deno.test("listFiles refuses unknown and invalid parameters and foreign cursors", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const stranger = await openFiles(app);
  for (const owner of [files, stranger]) for (let i = 0; i < 2; i++) await owner.upload(1);
  const { nextCursor } = ok(await list(stranger, "?limit=1"));
  const cursor = encodeURIComponent(nextCursor);
  refused(await list(files, `?limit=1&cursor=${cursor}`), 400, "INVALID_CURSOR");
  refused(await list(files, "?cursor=x"), 400, "INVALID_CURSOR");
  const users = `/api/userAuth/users?limit=1&cursor=${cursor}`;
  refused(await stranger.project.asSecret({ path: users }), 400, "INVALID_CURSOR");
  for (const query of ["?limit=0", "?limit=1001", "?limit=x", "?page=1", "?limit=1&limit=2"]) {
    refused(await list(files, query), 400, "INVALID_QUERY");
  }
});

Deno.test("listFiles returns no files of another project", async () => {
  await using app = await openTestApp();
  const [files, stranger] = [await openFiles(app), await openFiles(app)];
  await stranger.upload();
  assert.deepEqual(ok(await list(files)).items, []);
});

Deno.test("listFiles returns null as url without public addresses, and 503 if the store fails", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  await files.upload();
  const services = withChangedStores(app.services, { publicUrl: () => null });
  const [item] = ok(await sendOver(services, files.project, { path: LIST })).items;
  assert.equal(item.url, null);
  const failed = await sendOver(withFailingStores(app.services), files.project, { path: LIST });
  refused(failed, 503, "STORAGE_UNAVAILABLE");
});

Deno.test("listFiles refuses a publishable key", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const user = await files.project.user();
  for (const caller of [undefined, user]) {
    refused(await files.project.asPublic({ path: LIST }, caller), 403, "SECRET_KEY_REQUIRED");
  }
});
