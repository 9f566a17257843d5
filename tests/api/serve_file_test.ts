import assert from "node:assert/strict";
import { createLog } from "@/lib/runtime/log.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { put, textBytes, uploadFile } from "./blobs.ts";
import { openFiles } from "./files.ts";
import { get, head, openOne, TEXT } from "./served.ts";
import { refused, UNKNOWN_ID } from "./test_collection.ts";

Deno.test("a confirmed file is public at the URL that confirm returned", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(TEXT.length);
  await put(app, upload, { body: textBytes(TEXT) });
  const { url } = (await files.confirm(upload)).body;
  assert.equal(url, `http://localhost:8000/files/${upload.filePath}`);
  const answer = await app.send({ path: new URL(url).pathname });
  assert.equal(answer.status, 200);
  assert.equal(answer.text, TEXT);
  const uuid = upload.filePath.slice(25, 61);
  const expected = {
    "content-type": "text/plain",
    "content-length": "10",
    etag: `"${uuid}"`,
    "accept-ranges": "bytes",
    "cache-control": "public, max-age=31536000, immutable",
    "content-disposition": 'inline; filename="note.txt"',
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": null,
    vary: "Origin",
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(answer.headers.get(name), value, name);
  }
});

Deno.test("HEAD returns the headers of GET without a body", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const [full, described] = [await get(app, path), await head(app, path)];
  assert.equal(described.status, 200);
  assert.equal(described.text, "");
  for (const [name, value] of full.headers) {
    if (name !== "x-request-id") assert.equal(described.headers.get(name), value, name);
  }
  const ranged = await head(app, path, { range: "bytes=0-1" });
  assert.equal(ranged.status, 200, "ranges are for GET");
  assert.equal(ranged.headers.get("content-length"), "10");
});

Deno.test("FILE_NOT_FOUND: an unconfirmed, missing or foreign file, and an invalid path", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const requested = await files.request();
  const staged = await files.request();
  await put(app, staged);
  const [projectId, name] = path.split("/");
  const paths = [
    requested.filePath,
    staged.filePath,
    `${(await app.project()).projectId}/${name}`,
    `${UNKNOWN_ID}/${name}`,
    `${projectId!.toUpperCase()}/${name}`,
    `${projectId}/${name!.toUpperCase()}`,
    `${projectId}/${name}x`,
    `${projectId}/${name!.slice(0, -1)}`,
    `${projectId}/${name}.`,
    `_incoming/${name}`,
    `${projectId}/x`,
    `${projectId}/${name}%20`,
    "x/y",
  ];
  for (const other of paths) {
    refused(await get(app, other), 404, "FILE_NOT_FOUND");
    assert.equal((await head(app, other)).status, 404);
    assert.equal((await get(app, other, { "if-none-match": "*" })).status, 404);
  }
  assert.equal((await get(app, path)).status, 200);
});

Deno.test("FILE_ADDRESS_INVALID: a signature that is altered, expired or for another file", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const other = (await files.upload()).filePath;
  const { readSignatures, clock } = app.services;
  const sign = (path: string, ms = 60_000) =>
    readSignatures.sign({ path, expiresAt: clock.now() + ms });
  const good = sign(path);
  assert.equal((await get(app, `${path}?${good}`)).status, 200, "a public file is served, too");
  const later = new URLSearchParams(good);
  later.set("expires", `${Number(later.get("expires")) + 1}`);
  for (const query of [`${good}x`, sign(other), sign(path, 0), sign(path, -1), later]) {
    refused(await get(app, `${path}?${query}`), 403, "FILE_ADDRESS_INVALID");
  }
  refused(await get(app, `${path}?${good}&expires=1`), 400, "INVALID_QUERY");
  app.clock.advance(60_000);
  refused(await get(app, `${path}?${good}`), 403, "FILE_ADDRESS_INVALID");
});

Deno.test("FILE_NOT_FOUND: an object that a confirm has published but not committed", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await put(app, upload);
  await app.services.blobStores.internal.publish(upload.filePath, upload.contentType);
  refused(await get(app, upload.filePath), 404, "FILE_NOT_FOUND");
  assert.equal((await head(app, upload.filePath)).status, 404);
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal((await get(app, upload.filePath)).status, 200, "a refusal is not cached");
});

Deno.test("FILE_NOT_FOUND: a deleted file immediately, for any request", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const { headers } = await get(app, path);
  assert.equal((await files.remove(path)).status, 200);
  refused(await get(app, path), 404, "FILE_NOT_FOUND");
  assert.equal((await head(app, path)).status, 404);
  refused(await get(app, path, { range: "bytes=0-1,4-5" }), 404, "FILE_NOT_FOUND");
  const ifNoneMatch = { "if-none-match": headers.get("etag")! };
  refused(await get(app, path, ifNoneMatch), 404, "FILE_NOT_FOUND");
  assert.equal((await get(app, path)).headers.get("cache-control"), "no-cache");
});

Deno.test("FILE_NOT_FOUND: an object of another length than its row is not served", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  await Deno.writeTextFile(`${app.store.folder}/files/${path}`, "short");
  refused(await get(app, path), 404, "FILE_NOT_FOUND");
  refused(await get(app, path, { range: "bytes=0-1" }), 404, "FILE_NOT_FOUND");
});

Deno.test("FILE_NOT_FOUND: a file in a project's own bucket, and all files where a bucket serves", async () => {
  const { app, files, path } = await openOne();
  await using _app = app;
  const rows = app.services.engine.records<UploadRecord>(files.project.projectId, UPLOADS);
  const services = { ...app.services, localFiles: null };
  refused(await send(createApp(services), { path: `/files/${path}` }), 404, "FILE_NOT_FOUND");
  await rows.updateOne(eq("path", path), { set: { target: "elsewhere" } });
  refused(await get(app, path), 404, "FILE_NOT_FOUND");
});

Deno.test("a request for a file of an unknown project creates nothing", async () => {
  await using app = await openTestApp();
  const before = JSON.stringify([...Deno.readDirSync(app.store.folder)].map(({ name }) => name));
  const space = `${app.store.folder}/projects/${UNKNOWN_ID}.db`;
  const name = `${crypto.randomUUID()}_a.txt`;
  refused(await get(app, `${UNKNOWN_ID}/${name}`), 404, "FILE_NOT_FOUND");
  await assert.rejects(Deno.stat(space), Deno.errors.NotFound);
  const after = JSON.stringify([...Deno.readDirSync(app.store.folder)].map(({ name }) => name));
  assert.equal(after, before);
});

Deno.test("INVALID_PATH or 404 for paths that try to leave the folder", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const [projectId, name] = path.split("/");
  const astray = [
    `${projectId}/../${path}`,
    `${projectId}/%2e%2e/${path}`,
    `..%2f${path}`,
    `${projectId}%2f${name}`,
    `${projectId}//${name}`,
    `${projectId}/./${name}`,
    `${projectId}/${name}%00`,
    `${projectId}/${name}%00.png`,
    `${projectId}/${name}%0a`,
    `${projectId}/${name}%e2%80%ae`,
    `${projectId}/${name}%`,
    `${projectId}/${name}%ff`,
    `${projectId}/${name}%5c`,
    `${projectId}/${"x".repeat(300)}`,
    `${projectId}/${name}/x`,
    `${projectId}/CON`,
    `${projectId}/`,
    "",
    "..%2f..%2fcontrol.db",
    `../../control.db`,
  ];
  for (const other of astray) {
    const { status } = await app.send({ path: `/files/${other}` });
    assert.ok(status === 400 || status === 404, `${other}: ${status}`);
  }
});

Deno.test("a request with the file's current ETag is 304", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  const etag = (await get(app, path)).headers.get("etag")!;
  for (const header of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    for (
      const answer of [
        await get(app, path, { "if-none-match": header, range: "bytes=0-1" }),
        await head(app, path, { "if-none-match": header }),
      ]
    ) {
      assert.equal(answer.status, 304, header);
      assert.equal(answer.text, "");
      assert.equal(answer.headers.get("etag"), etag);
      assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    }
  }
  for (const header of ['"x"', etag.slice(1, -1), "", `"${etag}"`]) {
    assert.equal((await get(app, path, { "if-none-match": header })).status, 200, header);
  }
});

Deno.test("pages of every origin may show and read a file, with Vary: Origin for caches", async () => {
  const { app, path } = await openOne();
  await using _app = app;
  for (const origin of ["https://one.example", "https://two.example"]) {
    for (const answer of [await get(app, path, { origin }), await head(app, path, { origin })]) {
      assert.equal(answer.headers.get("access-control-allow-origin"), origin);
      assert.equal(answer.headers.get("vary"), "Origin");
      assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
    }
  }
  assert.equal((await get(app, path)).headers.get("vary"), "Origin");
});

Deno.test("rate limits do not count file requests", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: "1" } });
  const path = await uploadFile(await openFiles(app), textBytes(TEXT));
  for (let i = 0; i < 20; i++) assert.equal((await get(app, path)).status, 200);
});

Deno.test("the addresses of files begin with FILES_URL", async () => {
  await using app = await openTestApp({ env: { FILES_URL: "https://files.example" } });
  const files = await openFiles(app);
  const upload = await files.upload();
  const { body } = await files.confirm(upload);
  assert.equal(body.url, `https://files.example/files/${upload.filePath}`);
});

Deno.test("STORAGE_UNAVAILABLE: a disk failure is a 503 without details, which the log has", async () => {
  let logged = "";
  using log = createLog("error", (text) => void (logged += text));
  await using app = await openTestApp({ log });
  const path = await uploadFile(await openFiles(app), textBytes(TEXT));
  const file = `${app.store.folder}/files/${path}`;
  await Deno.remove(file);
  await Deno.mkdir(file);
  const answer = await get(app, path);
  refused(answer, 503, "STORAGE_UNAVAILABLE");
  assert.ok(!answer.text.includes(app.store.folder));
  assert.match(logged, /Cannot read a file/);
});
