import assert from "node:assert/strict";
import { piecesPath } from "@/lib/files/paths.ts";
import { RESUMABLE_HOLD_MS, UPLOAD_HOLD_MS } from "@/lib/limits.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { textBytes } from "./blobs.ts";
import { openFiles, withFailingStores } from "./files.ts";
import {
  ask,
  cancel,
  forgedPaths,
  head,
  offsetOf,
  patch,
  resumablePath,
  sendRest,
  storedText,
} from "./resumable.ts";
import { deleteCall } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

const PROGRESS_HEADERS = [
  "upload-offset",
  "upload-length",
  "upload-expires",
  "cache-control",
  "tus-resumable",
];

Deno.test("getUpload returns the offset before, during and after the transfer", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(11);
  let holdMs = UPLOAD_HOLD_MS;
  for (const [offset, text] of [[0, "hello"], [5, " world"], [11, ""]] as const) {
    const answer = await ask(app, upload);
    const expiresAt = new Date(app.clock.now() + holdMs);
    assert.deepEqual(ok(answer), { offset, size: 11, expiresAt: expiresAt.toISOString() });
    const expected = [String(offset), "11", expiresAt.toUTCString(), "no-store", "1.0.0"];
    assert.deepEqual(PROGRESS_HEADERS.map((name) => answer.headers.get(name)), expected);
    const headers = await head(app, upload);
    assert.deepEqual([headers.status, headers.text], [200, ""]);
    assert.deepEqual(PROGRESS_HEADERS.map((name) => headers.headers.get(name)), expected);
    assert.equal((await patch(app, upload, offset, { body: textBytes(text) })).status, 204);
    app.clock.advance(60_000);
    holdMs = RESUMABLE_HOLD_MS - 60_000;
  }
});

Deno.test("getUpload changes nothing and requires neither a key nor a tus version", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hel") });
  await files.untouched(async () => {
    const keys = [files.project.publishableKey, (await app.project()).secretKey, "nonsense", ""];
    for (const key of keys) {
      const answer = await ask(app, upload, { headers: { "x-api-key": key } });
      assert.equal(ok(answer).offset, 3);
    }
  });
});

Deno.test("getUpload returns each upload's own offset, also in another process", async () => {
  await using app = await openTestApp();
  await using other = await openTestApp({ store: app.store, clock: app.clock });
  const files = await openFiles(app);
  const [one, two] = [await files.request(5), await files.request(9)];
  await patch(app, one, 0, { body: textBytes("hel") });
  for (const process of [app, other]) {
    assert.equal(ok(await ask(process, one)).offset, 3);
    assert.deepEqual(
      [ok(await ask(process, two)).offset, ok(await ask(process, two)).size],
      [0, 9],
    );
  }
});

Deno.test("getUpload returns offset 0 if the store lost the data, which can be sent again", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(9);
  await patch(app, upload, 0, { body: textBytes("hello") });
  await app.services.blobStores.internal.remove("partial", piecesPath(upload.filePath));
  assert.equal(await offsetOf(app, upload), 0);
  refused(await patch(app, upload, 5, { body: textBytes("abcd") }), 409, "UPLOAD_OFFSET_MISMATCH");
  refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
  const again = await patch(app, upload, 0, { body: textBytes("good news") });
  // A bucket reports the loss only when the next part is sent.
  if (again.status !== 204) {
    refused(again, 409, "UPLOAD_OFFSET_MISMATCH", "start again");
    await sendRest(app, upload, textBytes("good news"));
  }
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "good news");
});

Deno.test("getUpload refuses a foreign, altered or PUT address with UPLOAD_TOKEN_INVALID", async () => {
  await using app = await openTestApp();
  const upload = await (await openFiles(app)).request(5);
  for (const path of forgedPaths(app, upload)) {
    refused(await ask(app, upload, { path }), 403, "UPLOAD_TOKEN_INVALID");
    assert.equal((await head(app, upload, { path })).status, 403);
  }
  assert.equal(await offsetOf(app, upload), 0);
});

Deno.test("getUpload returns UPLOAD_GONE for an upload that has ended in any way", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [confirmed, deleted, cancelled] = [
    await files.upload(5),
    await files.request(5),
    await files.request(5),
  ];
  await files.remove(deleted.filePath);
  assert.equal((await cancel(app, cancelled)).status, 204);
  const assertGone = async (upload: typeof confirmed) => {
    const answer = await ask(app, upload);
    refused(answer, 410, "UPLOAD_GONE");
    assert.equal(answer.headers.get("upload-offset"), null);
    assert.equal(answer.headers.get("tus-resumable"), "1.0.0");
    assert.equal((await head(app, upload)).status, 410);
  };
  for (const upload of [confirmed, deleted, cancelled]) await assertGone(upload);

  const expired = await files.request(5);
  app.clock.advance(UPLOAD_HOLD_MS - 1);
  assert.equal(await offsetOf(app, expired), 0);
  app.clock.advance(1);
  await assertGone(expired);

  const ofDeletedProject = await files.request(5);
  const { project } = files;
  const owner = await project.owner();
  ok(await owner.send(deleteCall(`/api/projects/${project.projectId}`, { name: "Test" })));
  await assertGone(ofDeletedProject);
});

Deno.test("getUpload refuses another tus version with TUS_VERSION_UNSUPPORTED", async () => {
  await using app = await openTestApp();
  const upload = await (await openFiles(app)).request(5);
  for (const version of ["0.2.2", "2.0.0", "1", "1.0.0, 2.0.0", ""]) {
    const headers = { "tus-resumable": version };
    const answer = await ask(app, upload, { headers });
    refused(answer, 412, "TUS_VERSION_UNSUPPORTED");
    assert.equal(answer.headers.get("tus-version"), "1.0.0");
    assert.equal((await head(app, upload, { headers })).status, 412);
  }
});

Deno.test("getUpload returns STORAGE_UNAVAILABLE without detail if the store fails", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(9);
  await patch(app, upload, 0, { body: textBytes("hello") });
  const services = withFailingStores(app.services);
  const answer = await send(createApp(services), { path: resumablePath(upload) });
  refused(answer, 503, "STORAGE_UNAVAILABLE");
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
  assert.ok(!answer.text.includes("detail"));
  assert.equal(await offsetOf(app, upload), 5);
});

Deno.test("OPTIONS of an upload lists the tus capabilities to pages of any origin", async () => {
  await using app = await openTestApp();
  const upload = await (await openFiles(app)).request(5);
  const origin = "https://anywhere.example";
  const path = resumablePath(upload);
  const plain = await app.send({ method: "OPTIONS", path });
  const method = { "access-control-request-method": "PATCH" };
  const allowedHeaders = "content-type,tus-resumable,upload-checksum,upload-offset";
  const preflight = await app.send({
    method: "OPTIONS",
    path,
    headers: { origin, ...method, "access-control-request-headers": allowedHeaders },
  });
  for (const { status, headers } of [plain, preflight]) {
    assert.equal(status, 204);
    assert.equal(headers.get("tus-resumable"), "1.0.0");
    assert.equal(headers.get("tus-version"), "1.0.0");
    assert.equal(headers.get("tus-extension"), "termination,expiration,checksum");
    assert.equal(headers.get("tus-checksum-algorithm"), "sha1,sha256,md5");
  }
  const { headers } = preflight;
  assert.equal(headers.get("access-control-allow-origin"), origin);
  const methods = headers.get("access-control-allow-methods")!.split(",");
  for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) assert.ok(methods.includes(method));
  assert.equal(headers.get("access-control-allow-headers"), allowedHeaders);

  const other = await app.send({ method: "OPTIONS", path: "/api/storage/usage" });
  assert.equal(other.headers.get("tus-extension"), null);
});

Deno.test("a page of any origin can read the offset and the refusals of an upload", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  const headers = { origin: "https://anywhere.example" };
  const answers = [
    await ask(app, upload, { headers }),
    await head(app, upload, { headers }),
    await patch(app, upload, 0, { headers, body: textBytes("h") }),
    await patch(app, upload, 0, { headers, body: textBytes("h") }),
    await cancel(app, upload, { headers }),
    await ask(app, upload, { headers }),
  ];
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 204, 409, 204, 410]);
  for (const answer of answers) {
    assert.equal(answer.headers.get("access-control-allow-origin"), headers.origin);
    const exposed = answer.headers.get("access-control-expose-headers")!.split(",");
    for (const name of ["upload-offset", "upload-length", "upload-expires", "tus-resumable"]) {
      assert.ok(exposed.includes(name), name);
    }
  }
});

Deno.test("an upload address refuses other methods", async () => {
  await using app = await openTestApp();
  const upload = await (await openFiles(app)).request(5);
  for (const method of ["PUT", "POST"]) {
    const answer = await app.send({ method, path: resumablePath(upload) });
    refused(answer, 405, "METHOD_NOT_ALLOWED");
    const allowed = answer.headers.get("allow")!.split(/, */);
    for (const one of ["GET", "PATCH", "DELETE"]) assert.ok(allowed.includes(one), one);
  }
});
