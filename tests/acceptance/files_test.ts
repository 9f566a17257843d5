import assert from "node:assert/strict";
import { storage } from "../support/test_store.ts";
import { createProject, type Project, send } from "./project.ts";
import { type Server, startServer } from "./server.ts";

const MiB = 1_048_576;
const PDF = "application/pdf";

/** Returns bytes that differ by position. */
function bytesOfLength(bytes: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(bytes / 4)).map((_, i) => Math.imul(i, 2_654_435_761));
  const distinctBytes = new Uint8Array(words.buffer, 0, bytes);
  new TextEncoder().encodeInto("%PDF-1.7", distinctBytes);
  return distinctBytes;
}

/** Sends a request to an address from the server, without a key. */
function visit(server: Server, url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, client: server.http });
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

const put = (server: Server, url: string, body: BodyInit, type: string) =>
  statusOf(visit(server, url, { method: "PUT", body, headers: { "content-type": type } }));

async function request(
  server: Server,
  { secretKey: key }: Project,
  body: { filename: string; contentType: string; size: number },
): Promise<{ signedUrl: string; filePath: string }> {
  const answer = await send(server, { path: "/api/storage/upload-request", key, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const confirm = (server: Server, { secretKey: key }: Project, filePath: string, size: number) =>
  send(server, { path: "/api/storage/upload-confirm", key, body: { filePath, size } });

async function usage(server: Server, { secretKey: key }: Project) {
  const { used, reserved } = (await send(server, { path: "/api/storage/usage", key })).body.data;
  return { used, reserved };
}

Deno.test("a file is requested, uploaded, confirmed, served without a key, found and deleted", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  const key = project.secretKey;
  const size = 3 * MiB + 1;
  const file = bytesOfLength(size);
  const asked = { filename: "Ein Foto (1).pdf", contentType: PDF, size };

  const { signedUrl, filePath } = await request(server, project, asked);
  assert.deepEqual(await usage(server, project), { used: 0, reserved: size });
  const early = await confirm(server, project, filePath, size);
  assert.deepEqual([early.status, early.body.code], [409, "UPLOAD_NOT_READY"]);
  assert.equal(await put(server, signedUrl, file, PDF), 200);

  const { status, body } = await confirm(server, project, filePath, size);
  assert.equal(status, 200);
  assert.deepEqual([body.success, body.path, body.provider], [true, filePath, "internal"]);
  assert.deepEqual(await usage(server, project), { used: size, reserved: 0 });
  const again = await confirm(server, project, filePath, size);
  assert.deepEqual([again.status, again.body], [200, body]);

  const read = await visit(server, body.url);
  assert.deepEqual([read.status, read.headers.get("content-type")], [200, PDF]);
  assert.deepEqual(await read.bytes(), file);
  const part = await visit(server, body.url, { headers: { range: "bytes=100-199" } });
  assert.deepEqual([part.status, await part.bytes()], [206, file.slice(100, 200)]);
  assert.match(read.headers.get("cache-control")!, /immutable/);

  const listed = await send(server, { path: "/api/storage/files", key });
  assert.deepEqual(listed.body.data.items.map(({ path }: { path: string }) => path), [filePath]);
  const remove = () =>
    send(server, { method: "DELETE", path: "/api/storage/file", key, body: { path: filePath } });
  assert.equal((await remove()).status, 200);
  assert.equal((await remove()).status, 404);
  // A bucket answers 403 for a missing object if the caller may not list it.
  assert.equal(await statusOf(visit(server, body.url)), storage === "s3" ? 403 : 404);
  assert.deepEqual(await usage(server, project), { used: 0, reserved: 0 });
});

Deno.test("a staged file cannot be read, and a used address replaces nothing", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  const asked = { filename: "a.txt", contentType: "text/plain", size: 5 };
  const { signedUrl, filePath } = await request(server, project, asked);
  assert.equal(await put(server, signedUrl, "first", "text/plain"), 200);

  // Only a bucket has an address that could serve the staged file.
  const url = (await confirm(server, project, filePath, 5)).body.url as string;
  const staged = url.replace(filePath, `_incoming/${filePath}`);
  const late = await put(server, signedUrl, "other", "text/plain");
  assert.equal(late, storage === "s3" ? 200 : 409);
  assert.equal(await statusOf(visit(server, staged)), storage === "s3" ? 403 : 404);
  assert.equal((await confirm(server, project, filePath, 5)).status, 200);
  assert.equal(await (await visit(server, url)).text(), "first");
});

Deno.test("an upload address accepts only the requested upload", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  const asked = { filename: "a.txt", contentType: "text/plain", size: 5 };
  const { signedUrl, filePath } = await request(server, project, asked);
  for (
    const [body, type] of [["longer", "text/plain"], ["less", "text/plain"], ["right", "text/html"]]
  ) {
    const status = await put(server, signedUrl, body!, type!);
    assert.ok(status >= 400 && status < 500, `${body}: ${status}`);
  }
  const renamed = signedUrl.replace("a.txt", "b.txt");
  if (renamed !== signedUrl) assert.equal(await put(server, renamed, "right", "text/plain"), 403);
  assert.equal((await confirm(server, project, filePath, 5)).body.code, "UPLOAD_NOT_READY");
  assert.equal(await put(server, signedUrl, "right", "text/plain"), 200);
  assert.equal((await confirm(server, project, filePath, 5)).status, 200);
});

Deno.test("an uploaded page is not rendered by the files host", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  for (const contentType of ["text/html", "image/svg+xml"]) {
    const page = "<script>alert(1)</script>";
    const asked = { filename: "page", contentType, size: page.length };
    const { signedUrl, filePath } = await request(server, project, asked);
    assert.equal(await put(server, signedUrl, page, contentType), 200);
    const { url } = (await confirm(server, project, filePath, page.length)).body;
    const read = await visit(server, url);
    assert.equal(await read.text(), page);
    assert.match(read.headers.get("content-disposition")!, /^attachment/);
  }
});
