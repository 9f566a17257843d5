/** Misuse of the address of a resumable upload. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type BlobStat, type Pieces, PUBLISH_MS } from "@/lib/files/blobs.ts";
import { reap } from "@/lib/files/reaper.ts";
import { reconcile } from "@/lib/files/reconcile.ts";
import { UPLOAD_HOLD_MS } from "@/lib/limits.ts";
import { partialPaths, streamOf, textBytes } from "../api/blobs.ts";
import {
  CONFIRM,
  type Files,
  MiB,
  openFiles,
  REQUEST,
  type RequestedUpload,
  sendOver,
  withChangedStores,
} from "../api/files.ts";
import {
  ask,
  cancel,
  offsetOf,
  patch,
  resumablePath,
  sendRest,
  storedBytes,
  storedText,
} from "../api/resumable.ts";
import { ok, refused, tally, times } from "../api/test_collection.ts";
import { confirmCall, openUploads, PICTURE } from "../api/user_files.ts";
import { until } from "../acceptance/until.ts";
import type { Answer } from "../support/conforming_client.ts";
import { fileBytes } from "../support/file_bytes.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { storage } from "../support/test_store.ts";

/** Bytes of the smallest part that a bucket accepts. */
const PART = 5_242_880;

function manyBytes(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4)).map((_, i) => Math.imul(i, 2_654_435_761));
  return new Uint8Array(words.buffer, 0, length);
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i]);

async function assertNoDrift({ app, project: { projectId } }: Files): Promise<void> {
  const { drift } = await reconcile(app.services, projectId, { repair: false });
  assert.deepEqual(drift, []);
}

async function assertSums(files: Files, sums: { used: number; reserved: number }): Promise<void> {
  const { used, reserved } = await files.usage();
  assert.deepEqual({ used, reserved }, sums);
  await assertNoDrift(files);
}

async function waitUntilLocked(files: Files, { filePath }: RequestedUpload): Promise<void> {
  const isTaken = async () =>
    (await files.rows()).find(({ path }) => path === filePath)?.writer != null;
  await until("a PATCH holds the lock", isTaken);
}

Deno.test("of 20 concurrent PATCHes of different bytes one writes, and nothing is mixed", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const size = 300_000;
  const upload = await files.request(size);
  const answers = await Promise.all([..."abcdefghijklmnopqrst"].map((letter) => {
    const body = streamOf((i) => i < 3 ? textBytes(letter.repeat(100_000)) : null);
    return patch(app, upload, 0, { body });
  }));
  const { 204: done = 0, ...others } = tally(answers);
  assert.ok(done <= 1, `${done} PATCHes were complete`);
  assert.ok(new Set(Object.keys(others)).isSubsetOf(new Set(["409", "423"])), String(others));
  const offset = await offsetOf(app, upload);
  assert.ok(offset > 0 && offset <= size);
  await sendRest(app, upload, textBytes("z".repeat(size)));
  assert.equal((await files.confirm(upload)).status, 200);
  const text = (await storedText(app, upload))!;
  assert.equal(text, text[0]!.repeat(offset).padEnd(size, "z"));
});

Deno.test("several clients that resume one upload at once produce the exact file", async () => {
  await using app = await openTestApp();
  await using other = await openTestApp({ store: app.store, clock: app.clock });
  const files = await openFiles(app);
  const file = manyBytes(200_000);
  const upload = await files.request(file.length);
  let most = 0;
  const client = async (at: TestApp, step: number): Promise<void> => {
    for (let offset = 0; offset < file.length;) {
      const answer = await patch(at, upload, offset, { body: file.slice(offset, offset + step) });
      assert.ok([204, 409, 423].includes(answer.status), answer.text);
      offset = await offsetOf(at, upload);
      assert.ok(offset <= file.length && offset >= most, `${offset} after ${most}`);
      most = Math.max(most, offset);
    }
  };
  await Promise.all([client(app, 70_000), client(app, 50_000), client(other, 90_000)]);
  assert.equal((await files.confirm(upload)).status, 200);
  assert.ok(sameBytes((await storedBytes(app, upload))!, file));
  await assertSums(files, { used: file.length, reserved: 0 });
});

Deno.test("bytes at an offset beyond the upload's position or length change nothing", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  await patch(app, upload, 0, { body: textBytes("abcde") });
  await files.untouched(async () => {
    for (const offset of [0, 1, 4, 6, 9]) {
      const body = textBytes("X");
      refused(await patch(app, upload, offset, { body }), 409, "UPLOAD_OFFSET_MISMATCH");
    }
    for (const [offset, text] of [[5, "XXXXXX"], [10, "X"], [9_007_199_254_740, "X"]] as const) {
      const headers = { "content-length": String(text.length) };
      const answer = await patch(app, upload, offset, { body: textBytes(text), headers });
      refused(answer, 413, "UPLOAD_TOO_LONG");
    }
  });
  // The body exceeds the upload without a declared length, so the bytes that fit are written first.
  const body = streamOf((i) => textBytes(i === 0 ? "fg" : "XXXXXX"));
  refused(await patch(app, upload, 5, { body }), 413, "UPLOAD_TOO_LONG");
  assert.equal(await offsetOf(app, upload), 7);
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("an upload address cannot change a confirmed file or restore a deleted one", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  assert.equal((await files.confirm(upload)).status, 200);
  const attempts = async () => {
    for (const offset of [0, 5]) {
      for (const body of [textBytes("other"), textBytes("")]) {
        const { status } = await patch(app, upload, offset, { body });
        assert.ok(status === 410 || status === 413, String(status));
      }
    }
    refused(await cancel(app, upload), 410, "UPLOAD_GONE");
  };
  await files.untouched(attempts);
  assert.equal(await storedText(app, upload), "hello");
  assert.equal((await files.remove(upload.filePath)).status, 200);
  await files.untouched(attempts);
  assert.equal(await storedBytes(app, upload), null);
  assert.deepEqual(await partialPaths(files), []);
  await assertSums(files, { used: 0, reserved: 0 });
});

/** A confirm that pauses before joining the parts until it is released. */
async function holdConfirm(
  { app, project }: Files,
  { filePath, size }: RequestedUpload,
  goOn: (join: () => Promise<BlobStat | null>) => Promise<BlobStat | null>,
): Promise<{ confirmed: Promise<Answer>; release: () => void }> {
  const { pieces: real } = app.services.blobStores.internal;
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held: Pieces = Object.assign(Object.create(real), {
    countArrived: real.countArrived.bind(real),
    async join(...given: Parameters<Pieces["join"]>) {
      reached.resolve();
      await released.promise;
      return await goOn(() => real.join(...given));
    },
  });
  const services = withChangedStores(app.services, { pieces: held });
  const confirmed = sendOver(services, project, { path: CONFIRM, body: { filePath, size } });
  await reached.promise;
  return { confirmed, release: () => released.resolve() };
}

Deno.test("while a confirm joins the parts, no request adds any or cancels", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  const { confirmed, release } = await holdConfirm(files, upload, (join) => join());
  const patches = [0, 5].map((offset) => patch(app, upload, offset, { body: textBytes("") }));
  refused(await cancel(app, upload), 423, "UPLOAD_LOCKED");
  refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
  assert.equal(await offsetOf(app, upload), 5);
  release();
  assert.equal((await confirmed).status, 200);
  for (const patched of patches) refused(await patched, 410, "UPLOAD_GONE");
  assert.equal(await storedText(app, upload), "hello");
  await assertSums(files, { used: 5, reserved: 0 });
});

Deno.test("a PATCH that is open during the confirm writes nothing into the file", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  const waits = Promise.withResolvers<void>();
  const body = streamOf(async (i) => {
    if (i === 0) await waits.promise;
    return i === 0 ? textBytes("X") : null;
  });
  const late = patch(app, upload, 5, { body });
  await waitUntilLocked(files, upload);
  assert.equal((await files.confirm(upload)).status, 200);
  waits.resolve();
  const { status } = await late;
  assert.ok(status === 410 || status === 413, String(status));
  assert.equal(await storedText(app, upload), "hello");
  await reap(app.services);
  assert.deepEqual(await partialPaths(files), []);
  await assertSums(files, { used: 5, reserved: 0 });
});

Deno.test("a confirm that resumes after its claim expired does not overwrite newer bytes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  const { confirmed, release } = await holdConfirm(
    files,
    upload,
    () => Promise.reject(new Error("it came back")),
  );
  app.clock.advance(2 * PUBLISH_MS);
  assert.equal((await patch(app, upload, 5, { body: textBytes("") })).status, 204);
  release();
  assert.ok((await confirmed).status >= 500);
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "hello");
  await assertSums(files, { used: 5, reserved: 0 });
});

Deno.test("uploads that are cancelled in progress, at any pace, reserve no space", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const cancelled = await Promise.all(times(12, async (i) => {
    const upload = await files.request(100_000);
    const body = streamOf(async (piece) => {
      await new Promise((resolve) => setTimeout(resolve, i));
      return piece < 10 ? textBytes("x".repeat(10_000)) : null;
    });
    const patching = patch(app, upload, 0, { body });
    await new Promise((resolve) => setTimeout(resolve, 7 * i));
    const gone = await cancel(app, upload);
    assert.equal(gone.status, 204, gone.text);
    return await patching;
  }));
  for (const { status } of cancelled) assert.ok([204, 410].includes(status), String(status));
  await reap(app.services);
  assert.deepEqual(await partialPaths(files), []);
  assert.deepEqual(await files.objects(), { staged: [], stored: [] });
  await assertSums(files, { used: 0, reserved: 0 });
});

Deno.test("an address writes only to its own upload, with any parameters", async () => {
  await using app = await openTestApp();
  const [files, others] = [await openFiles(app), await openFiles(app)];
  const [upload, neighbour, foreign] = [
    await files.request(5),
    await files.request(5),
    await others.request(5),
  ];
  const token = (of: RequestedUpload) => resumablePath(of).split("/").at(-1)!;
  const query = `?path=${foreign.filePath}&filePath=${neighbour.filePath}&token=${token(foreign)}`;
  const path = resumablePath(upload) + query;
  assert.equal((await patch(app, upload, 0, { path, body: textBytes("hello") })).status, 204);
  const [payload, signature] = token(upload).split(".");
  const [otherPayload, otherSignature] = token(foreign).split(".");
  for (const mixed of [`${payload}.${otherSignature}`, `${otherPayload}.${signature}`]) {
    const path = `/api/storage/resumable/${mixed}`;
    const answer = await patch(app, foreign, 0, { path, body: textBytes("hello") });
    refused(answer, 403, "UPLOAD_TOKEN_INVALID");
  }
  for (const one of [neighbour, foreign]) assert.equal(await offsetOf(app, one), 0);
  refused(await others.confirm(upload), 404, "FILE_NOT_FOUND");
  assert.equal((await files.confirm(upload)).status, 200);
  refused(await files.confirm(neighbour), 409, "UPLOAD_NOT_READY");
});

Deno.test("a web page uploaded in parts as a picture is refused, and its space is released", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  for (
    const text of ["<html><script>1</script></html>", "#!/bin/sh\necho 1; rm -rf x", "%PDF-1.7 x"]
  ) {
    const upload = await files.request(text.length, "image/png");
    // A picture's head sent first does not help, because the final bytes are examined.
    await patch(app, upload, 0, { body: textBytes(text.slice(0, 4)) });
    await sendRest(app, upload, textBytes(text));
    await assertSums(files, { used: 0, reserved: text.length });
    refused(await files.confirm(upload), 415, "TYPE_MISMATCH");
    assert.equal(await storedBytes(app, upload), null);
    assert.deepEqual(await partialPaths(files), []);
    refused(await ask(app, upload), 410, "UPLOAD_GONE");
    await assertSums(files, { used: 0, reserved: 0 });
  }
});

async function visit(app: TestApp, address: string): Promise<Response> {
  if (address.startsWith("/")) return await app.open({ path: address });
  using client = Deno.createHttpClient({});
  const response = await fetch(address, { client });
  return new Response(await response.bytes(), response);
}

Deno.test("browsers do not render a web page that is uploaded in parts with its own type", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const text = "<html><script>1</script></html>";
  for (const [contentType, filename] of [["text/html", "a.html"], ["image/svg+xml", "a.svg"]]) {
    const upload = await files.request(text.length, contentType, filename);
    await sendRest(app, upload, textBytes(text));
    const { url } = (await files.confirm(upload)).body;
    const address = storage === "disk" ? new URL(url).pathname : url;
    const served = await visit(app, address);
    assert.equal(served.status, 200);
    assert.match(served.headers.get("content-disposition")!, /^attachment\b/);
    assert.equal(await served.text(), text);
  }
});

/** Returns all public addresses where a part of the upload might be served. */
function publicAddresses({ store }: TestApp, { filePath }: RequestedUpload): string[] {
  const keys = [
    filePath,
    `_private/${filePath}`,
    `_incoming/${filePath}`,
    `_incoming/_parts/${filePath}.resumable_upload`,
    `_partial/${filePath}.resumable_upload`,
    `${filePath}.resumable_upload`,
  ];
  if (storage === "disk") return keys.map((key) => `/files/${key}`);
  const root = new URL(store.settings.STORAGE_URL!).searchParams.get("publicUrl");
  return keys.map((key) => `${root}/${key}`);
}

Deno.test("a private upload is never public, and no upload is before it is confirmed", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { project } = files;
  const secret = "a user's secret";
  const isHidden = async (upload: RequestedUpload) => {
    for (const address of publicAddresses(app, upload)) {
      const response = await visit(app, address);
      const text = await response.text();
      assert.notEqual(response.status, 200, address);
      assert.ok(!text.includes("secret"), address);
    }
  };
  for (const visibility of ["private", "public"]) {
    const asked = { filename: "a.txt", contentType: "text/plain", size: secret.length, visibility };
    const { body } = await project.asSecret({ path: REQUEST, body: asked });
    const upload: RequestedUpload = { ...asked, ...body };
    await isHidden(upload);
    await patch(app, upload, 0, { body: textBytes(secret.slice(0, 12)) });
    await isHidden(upload);
    await sendRest(app, upload, textBytes(secret));
    await isHidden(upload);
    const confirmed = await files.confirm(upload);
    assert.equal(confirmed.status, 200);
    if (visibility === "public") continue;
    await isHidden(upload);
    assert.equal(confirmed.body.url, null);
    const call = { path: "/api/storage/sign", body: { path: upload.filePath } };
    const { url } = ok(await project.asSecret(call));
    const { pathname, search } = new URL(url);
    const read = await visit(app, storage === "disk" ? pathname + search : url);
    assert.equal(await read.text(), secret);
  }
});

Deno.test("bytes with a wrong checksum are discarded, even if they fill more than one part", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const file = manyBytes(PART + MiB);
  const wrong = file.map((byte) => byte ^ 255);
  const upload = await files.request(file.length, "application/octet-stream");
  const checksum = (bytes: Uint8Array) => ({
    "upload-checksum": `sha256 ${createHash("sha256").update(bytes).digest("base64")}`,
  });
  const send = (from: number, bytes: Uint8Array<ArrayBuffer>, headers: HeadersInit) => {
    const chunk = (i: number) => bytes.slice(i * 500_000, (i + 1) * 500_000);
    return patch(app, upload, from, {
      body: streamOf((i) => chunk(i).length > 0 ? chunk(i) : null),
      headers,
    });
  };
  for (const from of [0, 1000, PART - 1, PART + 5]) {
    await sendRest(app, { ...upload }, file.slice(0, from));
    const bytes = wrong.slice(from);
    const answer = await send(from, bytes, checksum(file.subarray(from)));
    refused(answer, 460, "CHECKSUM_MISMATCH");
    assert.equal(await offsetOf(app, upload), from);
    refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
  }
  const rest = file.slice(PART + 5);
  assert.equal((await send(PART + 5, rest, checksum(rest))).status, 204);
  assert.equal((await files.confirm(upload)).status, 200);
  assert.ok(sameBytes((await storedBytes(app, upload))!, file));
});

Deno.test("near the quota, space is reserved from the request on and exact for every outcome", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const [size, room] = [1000, 10];
  await files.upload(10 * MiB);
  const filling = await files.request(10 * MiB - room * size);
  await patch(app, filling, 0, { body: textBytes("x") }); // Keeps the upload for a day.
  const held = 10 * MiB - room * size;
  const asked = { filename: "a", contentType: "text/plain", size };
  const askAll = async (count: number): Promise<[RequestedUpload[], Answer[]]> => {
    const answers = await Promise.all(times(count, () => files.ask(asked)));
    const granted = answers.filter(({ status }) => status === 200)
      .map(({ body }) => ({ ...asked, ...body }) as RequestedUpload);
    return [granted, answers];
  };
  const [uploads, answers] = await askAll(30);
  assert.deepEqual(tally(answers), { 200: room, 403: 20 });
  await assertSums(files, { used: 10 * MiB, reserved: held + room * size });

  // Received bytes reserve no additional space, and missing bytes release none.
  await Promise.all(
    uploads.slice(0, 6).map((upload) => sendRest(app, upload, new Uint8Array(size))),
  );
  await assertSums(files, { used: 10 * MiB, reserved: held + room * size });
  refused(await files.ask(asked), 403, "STORAGE_QUOTA_EXCEEDED");

  const [cancelled, confirmed] = [uploads.slice(0, 3), uploads.slice(3, 5)];
  await Promise.all([
    ...cancelled.flatMap((upload) => [cancel(app, upload), cancel(app, upload)]),
    ...confirmed.flatMap((upload) => [files.confirm(upload), files.confirm(upload)]),
  ]);
  for (const upload of confirmed) assert.equal((await files.confirm(upload)).status, 200);
  const used = 10 * MiB + 2 * size;
  await assertSums(files, { used, reserved: held + 5 * size });
  const [again, refusals] = await askAll(8);
  assert.equal(again.length, 3);
  for (const one of refusals.filter(({ status }) => status !== 200)) {
    refused(one, 403, "STORAGE_QUOTA_EXCEEDED");
  }

  // One of the eight open uploads has bytes and remains.
  app.clock.advance(UPLOAD_HOLD_MS);
  await reap(app.services);
  await assertSums(files, { used, reserved: held + size });
  assert.equal((await askAll(9))[0].length, 7);
});

Deno.test("concurrent uploads of users near their limits are exact to the byte", async () => {
  await using app = await openTestApp();
  const { project, ask: askAs } = await openUploads(app, { userBytesMax: MiB });
  const files = await openFiles(app, project);
  const size = MiB / 4;
  const picture = fileBytes(PICTURE.contentType, size);
  const users = await Promise.all(times(6, () => project.user()));
  await Promise.all(users.map(async (user) => {
    const request = async (count: number) => {
      const answers = await Promise.all(times(count, () => askAs(user, { size })));
      return answers.map((answer) => ({ ...answer, ...PICTURE, size, ...answer.body }));
    };
    const first = await request(7);
    assert.deepEqual(tally(first), { 200: 4, 403: 3 });
    const [one, two, ...others] = first.filter(({ status }) => status === 200);
    await sendRest(app, one, picture);
    await patch(app, two, 0, { body: picture.slice(0, 1000) });
    assert.deepEqual(tally(await request(1)), { 403: 1 });
    assert.equal((await project.asPublic(confirmCall(one), user)).status, 200);
    assert.deepEqual(tally(await request(1)), { 403: 1 });
    const cancels = [two, ...others].map((upload) => cancel(app, upload));
    assert.deepEqual(tally(await Promise.all(cancels)), { 204: 3 });
    assert.deepEqual(tally(await request(5)), { 200: 3, 403: 2 });
  }));
  await assertSums(files, { used: 6 * size, reserved: 18 * size });
});
