import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { RESUMABLE_HOLD_MS, UPLOAD_HOLD_MS } from "@/lib/limits.ts";
import { openTestApp } from "../support/test_app.ts";
import { addressOf, partialPaths, put, textBytes } from "./blobs.ts";
import { until } from "../acceptance/until.ts";
import { MiB, openFiles } from "./files.ts";
import { head, offsetOf, patch, resumablePath, storedText } from "./resumable.ts";
import { refused } from "./test_collection.ts";

const sha1 = (text: string) => `sha1 ${createHash("sha1").update(text).digest("base64")}`;

Deno.test("an upload arrives in pieces and is a file once it is confirmed", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(11);
  for (const [offset, text] of [[0, "hello"], [5, " "], [6, "world"]] as const) {
    const answer = await patch(app, upload, offset, { body: textBytes(text) });
    assert.equal(answer.status, 204, answer.text);
    assert.equal(answer.headers.get("upload-offset"), String(offset + text.length));
    assert.equal(answer.headers.get("tus-resumable"), "1.0.0");
    assert.equal(await offsetOf(app, upload), offset + text.length);
    assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  }
  const confirmed = await files.confirm(upload);
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal(await storedText(app, upload), "hello world");
  assert.deepEqual(await partialPaths(files), []);
  assert.equal((await files.usage()).used, 11);
});

Deno.test("UPLOAD_NOT_READY: an incomplete upload is not confirmed and can continue", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hell") });
  refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
  assert.equal((await patch(app, upload, 4, { body: textBytes("o") })).status, 204);
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("a file stored by PUT takes precedence over incomplete pieces", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hel") });
  await files.stage(upload, textBytes("HELLO"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "HELLO");
  assert.deepEqual(await partialPaths(files), []);
});

Deno.test("UPLOAD_OFFSET_MISMATCH: bytes continue exactly where the last ones ended", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  await patch(app, upload, 0, { body: textBytes("abc") });
  for (const offset of [0, 2, 4, 9]) {
    const answer = await patch(app, upload, offset, { body: textBytes("x") });
    refused(answer, 409, "UPLOAD_OFFSET_MISMATCH", "3 bytes have arrived");
  }
  assert.equal(await offsetOf(app, upload), 3);
});

Deno.test("UPLOAD_TOO_LONG: a piece announced to exceed the size is refused by its headers", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("abc") });
  await files.untouched(async () => {
    for (const [offset, length] of [[3, 3], [5, 1], [6, 0], [999_999_999_999_999, 1]] as const) {
      const headers = { "content-length": String(length) };
      const answer = await patch(app, upload, offset, { body: new Uint8Array(length), headers });
      refused(answer, 413, "UPLOAD_TOO_LONG");
    }
  });
  const streamed = ReadableStream.from([textBytes("d"), textBytes("efgh")]);
  refused(await patch(app, upload, 3, { body: streamed }), 413, "UPLOAD_TOO_LONG");
  assert.equal(await offsetOf(app, upload), 4, "the bytes before the interruption");
  assert.equal((await patch(app, upload, 4, { body: textBytes("e") })).status, 204);
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcde");
});

Deno.test("CHECKSUM_MISMATCH: bytes that do not match their checksum are discarded", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const send = (offset: number, text: string, checksum: string) =>
    patch(app, upload, offset, {
      body: textBytes(text),
      headers: { "upload-checksum": checksum },
    });
  assert.equal((await send(0, "hello", sha1("hello"))).status, 204);
  refused(await send(5, "world", sha1("other")), 460, "CHECKSUM_MISMATCH");
  assert.equal(await offsetOf(app, upload), 5);
  for (const algorithm of ["md5", "sha256"]) {
    const digest = createHash(algorithm).update("wo").digest("base64");
    assert.equal((await send(5, "wx", `${algorithm} ${digest}`)).status, 460);
  }
  const digest = createHash("sha256").update("world").digest("base64");
  assert.equal((await send(5, "world", `sha256 ${digest}`)).status, 204);
  await files.confirm(upload);
  assert.equal(await storedText(app, upload), "helloworld");
});

Deno.test("INVALID_UPLOAD, TUS_VERSION_UNSUPPORTED, UNSUPPORTED_MEDIA_TYPE: headers invalid in tus", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  const send = (headers: Record<string, string>, offset = "0") =>
    patch(app, upload, offset, { body: textBytes("hello"), headers });
  await files.untouched(async () => {
    for (const offset of ["", "-1", "1.5", "0x1", "1e3", "1 2", "9".repeat(16)]) {
      refused(await send({}, offset), 400, "INVALID_UPLOAD", "Upload-Offset");
    }
    for (const sum of ["sha1", "sha1 !", "crc32 AAAA", "sha1  Kq5sNclPz7QV2+lfQIuc6R7oRu0="]) {
      refused(await send({ "upload-checksum": sum }), 400, "INVALID_UPLOAD", "Upload-Checksum");
    }
    for (const version of ["0.2.2", "2.0.0", "1"]) {
      const answer = await send({ "tus-resumable": version });
      refused(answer, 412, "TUS_VERSION_UNSUPPORTED");
      assert.equal(answer.headers.get("tus-version"), "1.0.0");
    }
    for (const type of ["text/plain", "application/octet-stream", ""]) {
      refused(await send({ "content-type": type }), 415, "UNSUPPORTED_MEDIA_TYPE");
    }
    refused(await send({ "content-encoding": "gzip" }), 415, "UNSUPPORTED_MEDIA_TYPE");
  });
});

Deno.test("UPLOAD_GONE: after confirm, deletion and expiry, and after its project is deleted", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [confirmed, deleted, expired] = [
    await files.request(5),
    await files.request(5),
    await files.request(5),
  ];
  await patch(app, confirmed, 0, { body: textBytes("hello") });
  await files.confirm(confirmed);
  await files.remove(deleted.filePath);
  const isGone = async (upload: typeof confirmed) => {
    refused(await patch(app, upload, 0, { body: textBytes("x") }), 410, "UPLOAD_GONE");
    assert.equal((await head(app, upload)).status, 410);
  };
  await isGone(confirmed);
  await isGone(deleted);
  app.clock.advance(UPLOAD_HOLD_MS);
  await isGone(expired);
  assert.equal(await storedText(app, confirmed), "hello");
});

Deno.test("an upload and its address are valid for a day after the last bytes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  app.clock.advance(UPLOAD_HOLD_MS - 1);
  const first = await patch(app, upload, 0, { body: textBytes("he") });
  const expires = Date.parse(first.headers.get("upload-expires")!);
  assert.ok(Math.abs(expires - app.clock.now() - RESUMABLE_HOLD_MS) < 1_000);
  app.clock.advance(RESUMABLE_HOLD_MS - 1);
  assert.equal((await patch(app, upload, 2, { body: textBytes("llo") })).status, 204);
  app.clock.advance(RESUMABLE_HOLD_MS - 1);
  assert.equal((await files.confirm(upload)).status, 200);
});

Deno.test("UPLOAD_TOKEN_INVALID: a foreign token, one for PUT, and an altered one", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  const own = resumablePath(upload);
  const signed = new URL(upload.signedUrl).pathname.split("/").at(-1);
  const at = own.lastIndexOf("/") + 3;
  const altered = own.slice(0, at) + (own[at] === "A" ? "B" : "A") + own.slice(at + 1);
  await files.untouched(async () => {
    for (const path of [`/api/storage/resumable/${signed}`, altered, own.slice(0, -1), `${own}A`]) {
      const answer = await patch(app, upload, 0, { path, body: textBytes("hello") });
      refused(answer, 403, "UPLOAD_TOKEN_INVALID");
    }
    const blob = addressOf(own.split("/").at(-1)!);
    refused(await put(app, upload, { path: blob }), 403, "UPLOAD_TOKEN_INVALID");
  });
});

Deno.test("UPLOAD_LOCKED: a later connection takes over, and the first ends after its bytes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const slow = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(textBytes("abc"));
      await hangs;
    },
  }, { highWaterMark: 0 });
  const first = patch(app, upload, 0, { body: slow });
  while ((await files.rows())[0]!.writer == null) await new Promise((next) => setTimeout(next, 10));
  await new Promise((next) => setTimeout(next, 50));
  const [{ status }, ended] = await Promise.all([
    patch(app, upload, 3, { body: textBytes("defghij") }),
    first,
  ]);
  refused(ended, 423, "UPLOAD_LOCKED");
  assert.equal(status, 204);
  resolve();
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

/** A request body that sends bytes only on request and never ends by itself. */
function slowBody() {
  let sink!: ReadableStreamDefaultController<Uint8Array>;
  let isOver = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => void (sink = controller),
    cancel: () => void (isOver = true),
  });
  return {
    stream,
    bring: (text: string) => isOver || sink.enqueue(textBytes(text)),
    cut: () => sink.error(),
    /** Whether the server has read all bytes sent. */
    isRead: () => sink.desiredSize === 1,
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const losses: Readonly<Record<string, (body: ReturnType<typeof slowBody>) => void>> = {
  "is cut": ({ cut }) => cut(),
  "is silent": () => {},
  "brings more that was on its way": ({ bring }) => setTimeout(() => bring("def"), 1_200),
};

for (const [what, lose] of Object.entries(losses)) {
  Deno.test(`a client resumes within seconds at the reported offset when its connection ${what}`, async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    const body = slowBody();
    const first = patch(app, upload, 0, { body: body.stream }).catch(() => {});
    while ((await files.rows())[0]!.writer == null) await pause(10);
    body.bring("abc");
    while (!body.isRead()) await pause(10);
    const begun = performance.now();
    lose(body);
    const offset = await offsetOf(app, upload);
    if (what === "is cut") assert.equal(offset, 3, "all bytes that arrived");
    const rest = textBytes("abcdefghij").slice(offset);
    const { status, text } = await patch(app, upload, offset, { body: rest });
    assert.equal(status, 204, text);
    const took = performance.now() - begun;
    assert.ok(took < 3_000, `${took} ms`);
    await first;
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await storedText(app, upload), "abcdefghij");
  });
}

Deno.test("UPLOAD_OFFSET_MISMATCH: a wrong offset is refused if no other connection is active", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  await patch(app, upload, 0, { body: textBytes("abc") });
  for (const offset of [0, 2, 4]) {
    const answer = await patch(app, upload, offset, { body: textBytes("x") });
    refused(answer, 409, "UPLOAD_OFFSET_MISMATCH", "3 bytes");
  }
  assert.equal(await offsetOf(app, upload), 3);
});

Deno.test("the progress of a long piece is stored as it arrives, so that it survives a kill", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const size = 9 * MiB;
  const upload = await files.request(size);
  const waits = Promise.withResolvers<void>();
  const chunk = new Uint8Array(65_536);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent === 6 * MiB) await waits.promise;
      if (sent === size) return controller.close();
      sent += chunk.length;
      controller.enqueue(chunk.slice());
    },
  }, { highWaterMark: 0 });
  const { setInterval } = globalThis;
  globalThis.setInterval = (() => 0) as never; // Excludes the progress stored every two seconds.
  const patching = patch(app, upload, 0, { body });
  const isNoted = async () => (await files.rows())[0]!.arrived! >= 5 * MiB;
  await until("a part is noted", isNoted)
    .finally(() => globalThis.setInterval = setInterval);
  assert.ok(await offsetOf(app, upload) >= 5 * MiB);
  waits.resolve();
  assert.equal((await patching).status, 204);
});
