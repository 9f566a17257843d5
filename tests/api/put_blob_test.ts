import assert from "node:assert/strict";
import { encodeBase64Url } from "@/lib/crypto/base64.ts";
import { sign } from "@/lib/crypto/signed.ts";
import { createUploadTokens } from "@/lib/files/upload_tokens.ts";
import { UPLOAD_URL_MS } from "@/lib/limits.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { addressOf, partialPaths, put, stagedText, streamOf, textBytes, tokenOf } from "./blobs.ts";
import { MiB, openFiles } from "./files.ts";
import { ok, refused, times } from "./test_collection.ts";

Deno.test("putBlob stages the file without a key and without a change of the upload ledger", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  const before = [await files.rows(), await files.usage()];
  const answer = await put(app, upload, { body: textBytes("hello") });
  assert.deepEqual(ok(answer), { size: 5 });
  assert.equal(await stagedText(files, upload), "hello");
  assert.deepEqual([await files.rows(), await files.usage()], before);
  assert.deepEqual((await files.objects()).stored, []);
  assert.deepEqual(await partialPaths(files), []);
  assert.equal(answer.headers.get("cache-control"), "private, no-cache");
  const etag = answer.headers.get("etag");
  assert.match(etag!, /^"[\w-]+"$/);
  await files.confirm(upload);
  const served = await app.send({ path: `/files/${upload.filePath}` });
  assert.equal(served.headers.get("etag"), etag);
});

Deno.test("a key of any project has no effect on putBlob: the signed address is the permission", async () => {
  await using app = await openTestApp({ env: { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: "1" } });
  const files = await openFiles(app);
  const upload = await files.request();
  const keys = [files.project.publishableKey, (await app.project()).secretKey, "nonsense", ""];
  for (const key of [...keys, ...keys]) {
    ok(await put(app, upload, { headers: { "x-api-key": key, authorization: "Bearer x" } }));
  }
});

Deno.test("a partial or encoded body is refused by its headers, and the address remains valid", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await files.untouched(async () => {
    const sent = (name: string, value: string) =>
      put(app, upload, { body: textBytes("hello"), headers: { [name]: value } });
    const range = await sent("content-range", "bytes 0-4/10");
    refused(range, 400, "INVALID_UPLOAD", "leave Content-Range out");
    const packed = await sent("content-encoding", "gzip");
    refused(packed, 415, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding");
  });
  ok(await put(app, upload, { body: textBytes("hello") }));
});

Deno.test("UPLOAD_TOKEN_INVALID: a token with a changed character, or no token", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  const token = tokenOf(upload);
  await files.untouched(async () => {
    const places = times(
      token.length,
      (at) => token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1),
    );
    const cut = [token.slice(1), token.slice(0, -1), `${token}A`, `A${token}`, `${token}.`];
    for (const altered of [...places, ...cut, token.toLowerCase(), token.split(".")[0]!]) {
      const body = streamOf(() => textBytes("x".repeat(12)));
      const answer = await put(app, upload, { path: addressOf(altered), body });
      refused(answer, 403, "UPLOAD_TOKEN_INVALID");
      assert.equal(body.pulled(), 0, "nothing was read");
    }
  });
});

Deno.test("UPLOAD_TOKEN_INVALID: a token by another key, for another purpose, or unsigned", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  const { keyRing, clock } = app.services;
  const { filePath: path, size: bytes, contentType } = upload;
  const claims = { path, bytes, contentType, expiresAt: clock.now() + 60_000 };
  const payload = tokenOf(upload).split(".")[0]!;
  const own = keyRing.derive("upload tokens")[0]!;
  const tokens = [
    createUploadTokens(["k".repeat(43)]).write(claims),
    createUploadTokens(keyRing.derive("cursors")).write(claims),
    createUploadTokens(keyRing.derive("sign-in cookies")).write(claims),
    sign(own, "GET a blob", payload),
    sign(own, "", payload),
    payload,
    encodeBase64Url(textBytes(JSON.stringify([path, bytes, contentType, clock.now() + 60_000]))),
    "x",
  ];
  await files.untouched(async () => {
    for (const token of tokens) {
      refused(await put(app, upload, { path: addressOf(token) }), 403, "UPLOAD_TOKEN_INVALID");
    }
  });
  ok(await put(app, upload, { path: addressOf(createUploadTokens([own]).write(claims)) }));
});

Deno.test("UPLOAD_TOKEN_INVALID: an address expires after exactly ten minutes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  app.clock.advance(UPLOAD_URL_MS - 1);
  ok(await put(app, upload));
  app.clock.advance(1);
  refused(await put(app, upload), 403, "UPLOAD_TOKEN_INVALID");
  assert.equal((await files.confirm(upload)).status, 200, "bytes sent in time are kept");
});

Deno.test("UPLOAD_TOKEN_INVALID: a deployment whose clients send files to the bucket itself", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  const services = { ...app.services, localFiles: null };
  const answer = await send(createApp(services), {
    method: "PUT",
    path: addressOf(tokenOf(upload)),
    headers: { "content-type": "text/plain" },
    body: new Uint8Array(12),
  });
  refused(answer, 403, "UPLOAD_TOKEN_INVALID");
});

Deno.test("an address stores at its own path only, whatever else the request says", async () => {
  await using app = await openTestApp();
  const [files, others] = [await openFiles(app), await openFiles(app)];
  const [upload, other] = [await files.request(), await others.request()];
  const query = `?path=${other.filePath}&filePath=${other.filePath}&token=${tokenOf(other)}`;
  await others.untouched(async () => {
    ok(await put(app, upload, { path: addressOf(tokenOf(upload)) + query }));
  });
  assert.equal(await stagedText(files, upload), "x".repeat(12));
});

Deno.test("UPLOAD_TYPE_MISMATCH: any content type but the requested text", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(12, "text/plain");
  const types = [
    "none",
    "text/html",
    "text/plain;charset=utf-8",
    "text/plain, text/html",
    "TEXT/PLAIN",
  ];
  await files.untouched(async () => {
    for (const type of types) {
      const body = streamOf(() => textBytes("x".repeat(12)));
      const answer = await put(app, upload, { headers: { "content-type": type }, body });
      refused(answer, 415, "UPLOAD_TYPE_MISMATCH");
      assert.equal(body.pulled(), 0, "nothing was read");
    }
  });
  ok(await put(app, upload));
});

Deno.test("a type with parameters is accepted as it was requested", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(12, 'text/plain; charset=utf-8; x="a b"');
  ok(await put(app, upload));
});

Deno.test("UPLOAD_TOO_LONG: a Content-Length above the requested size is refused before reading", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await files.untouched(async () => {
    for (const length of ["13", "99999999999999999999"]) {
      const body = streamOf(() => textBytes("x"));
      const answer = await put(app, upload, { headers: { "content-length": length }, body });
      refused(answer, 413, "UPLOAD_TOO_LONG");
      assert.equal(body.pulled(), 0, "nothing was read");
    }
  });
});

Deno.test("UPLOAD_TOO_LONG: a body that is too long is refused at the first excess byte", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  await files.untouched(async () => {
    const body = streamOf(() => textBytes("xxx"));
    refused(await put(app, upload, { body }), 413, "UPLOAD_TOO_LONG");
    assert.equal(body.pulled(), 4, "the fourth chunk contains the excess byte");
  });
  assert.deepEqual(await partialPaths(files), []);
  ok(await put(app, upload));
});

Deno.test("UPLOAD_TOO_SHORT: by Content-Length or by arrived bytes; the address remains valid", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  await files.untouched(async () => {
    const unread = streamOf(() => textBytes("x"));
    const headers = { "content-length": "9" };
    refused(await put(app, upload, { headers, body: unread }), 400, "UPLOAD_TOO_SHORT");
    assert.equal(unread.pulled(), 0, "nothing was read");
    const ending = streamOf((i) => i < 3 ? textBytes("xxx") : null);
    refused(await put(app, upload, { body: ending }), 400, "UPLOAD_TOO_SHORT");
    const cut = streamOf((i) => i < 3 ? textBytes("xxx") : Promise.reject(new Error("gone")));
    refused(await put(app, upload, { body: cut }), 400, "UPLOAD_TOO_SHORT");
    refused(await put(app, upload, { body: new Uint8Array() }), 400, "UPLOAD_TOO_SHORT");
  });
  assert.deepEqual(await partialPaths(files), []);
  ok(await put(app, upload));
});

Deno.test("a body in many chunks becomes one file", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(1000);
  ok(
    await put(app, upload, { body: streamOf((i) => i < 1000 ? textBytes(String(i % 10)) : null) }),
  );
  assert.equal(await stagedText(files, upload), "0123456789".repeat(100));
});

Deno.test("STORAGE_UNAVAILABLE: an unusable folder is 503 without any detail", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  await Deno.writeTextFile(`${app.store.folder}/files`, "no folder");
  const answer = await put(app, upload);
  refused(answer, 503, "STORAGE_UNAVAILABLE");
  assert.ok(!answer.text.includes(app.store.folder));
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
});

Deno.test("a page of any origin may send a file and read the response", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  const origin = "https://anywhere.example";
  const preflight = await app.send({
    method: "OPTIONS",
    path: addressOf(tokenOf(upload)),
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods")!, /\bPUT\b/);
  assert.match(preflight.headers.get("access-control-allow-headers")!, /\bcontent-type\b/);
  const refusals = [{}, { "content-type": "text/html" }];
  for (const headers of refusals) {
    const answer = await put(app, upload, { headers: { origin, ...headers } });
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
  }
});

Deno.test("the address accepts only PUT", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request();
  ok(await put(app, upload));
  for (const method of ["GET", "HEAD", "POST", "PATCH", "DELETE"]) {
    const answer = await app.send({ method, path: addressOf(tokenOf(upload)) });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.get("allow"), "PUT");
  }
  assert.equal(await stagedText(files, upload), "x".repeat(12));
});

Deno.test("the largest file of the plan is accepted", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10 * MiB);
  assert.deepEqual(ok(await put(app, upload)), { size: 10 * MiB });
  assert.equal((await files.confirm(upload)).status, 200);
});
