/** Tests resumable uploads whose client stalls, or whose store fails, is full or loses bytes. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Blobs, BlobsUnavailable, type Pieces, type PieceWriter } from "@/lib/files/blobs.ts";
import { piecesPath } from "@/lib/files/paths.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
import { UPLOAD_STALL_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import { startProxy } from "../contract/connection_proxy.ts";
import { withFasterTimers } from "../support/faster_timers.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestStore, storage } from "../support/test_store.ts";
import { send } from "../support/conforming_client.ts";
import { partialPaths, streamOf, textBytes } from "./blobs.ts";
import { openFiles, withChangedStores, withFailingStores } from "./files.ts";
import { head, offsetOf, patch, sendRest, storedBytes, storedText } from "./resumable.ts";
import { refused } from "./test_collection.ts";

/** The smallest part that a bucket accepts, in bytes. */
const PART = 5_242_880;

const appOver = (app: TestApp, services: Services): TestApp => {
  const changed = createApp(services);
  return { ...app, send: (call) => send(changed, call) };
};

const withChanges = <T extends object>(target: T, changes: Partial<T>): T =>
  new Proxy(target, {
    get(_, name) {
      const value = changes[name as keyof T] ?? target[name as keyof T];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** Returns the app over a store whose pieces fail in some calls. */
function failing(app: TestApp, changes: (pieces: Pieces) => Partial<Pieces>): TestApp {
  const { pieces } = app.services.blobStores.internal;
  const changed: Partial<Blobs> = { pieces: withChanges(pieces, changes(pieces)) };
  return appOver(app, withChangedStores(app.services, changed));
}

/** Returns the app over a store whose piece writers fail in some calls. */
const failingWriter = (app: TestApp, changes: (writer: PieceWriter) => Partial<PieceWriter>) =>
  failing(app, (pieces) => ({
    async resume(...given) {
      const writer = await pieces.resume(...given);
      return withChanges(writer, changes(writer));
    },
  }));

const fail = () => Promise.reject(new BlobsUnavailable("detail of a failure"));

const assertUnavailable = (answer: Awaited<ReturnType<typeof patch>>) => {
  refused(answer, 503, "STORAGE_UNAVAILABLE");
  assert.ok(!answer.text.includes("detail"));
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
};

Deno.test("REQUEST_TIMEOUT: the bytes of a stalled piece are kept", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const stalls = Promise.withResolvers<void>();
  // Only the wait for the second chunk is shortened.
  const body = streamOf((i) => {
    if (i === 0) void withFasterTimers(UPLOAD_STALL_MS, 0, () => stalls.promise);
    else stalls.resolve();
    return i === 0 ? textBytes("abc") : new Promise(() => {});
  });
  refused(await patch(app, upload, 0, { body }), 408, "REQUEST_TIMEOUT");
  assert.equal(await offsetOf(app, upload), 3);
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("the bytes of an interrupted piece are kept, unless it has a checksum", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const broken = (text: string) =>
    streamOf((i) => i === 0 ? textBytes(text) : Promise.reject(new Error("gone")));
  await patch(app, upload, 0, { body: broken("abc") });
  assert.equal(await offsetOf(app, upload), 3);
  const digest = createHash("sha1").update("defg").digest("base64");
  const headers = { "upload-checksum": `sha1 ${digest}` };
  refused(await patch(app, upload, 3, { body: broken("de"), headers }), 460, "CHECKSUM_MISMATCH");
  assert.equal(await offsetOf(app, upload), 3);
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("STORAGE_UNAVAILABLE: a store that fails when a piece starts loses no bytes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const attempts = [
    appOver(app, withFailingStores(app.services)),
    failing(app, () => ({ begin: fail })),
    failing(app, () => ({ resume: fail })),
  ];
  for (const attempt of attempts) {
    assertUnavailable(await patch(attempt, upload, 0, { body: textBytes("abc") }));
    assert.equal(await offsetOf(app, upload), 0);
  }
  await patch(app, upload, 0, { body: textBytes("abc") });
  for (const attempt of [...attempts, failing(app, () => ({ countArrived: fail }))]) {
    if (attempt === attempts[1]) continue;
    assertUnavailable(await patch(attempt, upload, 3, { body: textBytes("defg") }));
    assert.equal(await offsetOf(app, upload), 3);
  }
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("STORAGE_UNAVAILABLE: a store that fails during a piece keeps the written bytes", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  let writes = 0;
  const full = failingWriter(app, (writer) => ({
    write: (bytes) => writes++ === 1 ? fail() : writer.write(bytes),
  }));
  const body = streamOf((i) => i < 3 ? textBytes("abcdefghi".slice(3 * i, 3 * i + 3)) : null);
  assertUnavailable(await patch(full, upload, 0, { body }));
  assert.equal(await offsetOf(app, upload), 3);
  const unkept = failingWriter(app, () => ({ flush: fail }));
  assertUnavailable(await patch(unkept, upload, 3, { body: textBytes("de") }));
  const offset = await offsetOf(app, upload);
  assert.ok(offset === 3 || offset === 5, `${offset} bytes have arrived`);
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("UPLOAD_OFFSET_MISMATCH: a lost upload, even a complete one, restarts from zero", async () => {
  for (const text of ["abc", "abcdefghij"]) {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await patch(app, upload, 0, { body: textBytes(text) });
    await app.services.blobStores.internal.remove("partial", piecesPath(upload.filePath));
    refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
    assert.equal(await offsetOf(app, upload), 0);
    const late = await patch(app, upload, text.length, { body: textBytes("") });
    refused(late, 409, "UPLOAD_OFFSET_MISMATCH");
    const again = await patch(app, upload, 0, { body: textBytes("0123456789") });
    if (again.status !== 204) {
      refused(again, 409, "UPLOAD_OFFSET_MISMATCH", "start again");
      assert.equal(await offsetOf(app, upload), 0);
      await sendRest(app, upload, textBytes("0123456789"));
    }
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await storedText(app, upload), "0123456789");
    assert.deepEqual(await partialPaths(files), []);
  }
});

Deno.test("a confirm whose pieces the store refuses to join can be retried", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(5);
  await patch(app, upload, 0, { body: textBytes("hello") });
  const broken = failing(app, () => ({ join: fail }));
  const { secretKey } = files.project;
  const answer = await broken.send({
    path: "/api/storage/upload-confirm",
    headers: { "x-api-key": secretKey },
    body: { filePath: upload.filePath, size: 5 },
  });
  assertUnavailable(answer);
  assert.equal((await files.usage()).reserved, 5);
  assert.equal((await files.confirm(upload)).status, 200);
});

if (storage === "disk") {
  const fileOf = ({ store }: TestApp, path: string) =>
    `${store.folder}/files/_partial/${piecesPath(path)}`;

  Deno.test("bytes that a disk lost are not replaced by bytes with a wrong checksum", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await patch(app, upload, 0, { body: textBytes("abcdefghij") });
    await Deno.truncate(fileOf(app, upload.filePath), 3);
    assert.equal(await offsetOf(app, upload), 3);
    const headers = { "upload-checksum": `sha1 ${"A".repeat(27)}=` };
    const wrong = await patch(app, upload, 3, { body: textBytes("XXXXXXX"), headers });
    refused(wrong, 460, "CHECKSUM_MISMATCH");
    assert.equal(await offsetOf(app, upload), 3);
    refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
    await sendRest(app, upload, textBytes("abcdefghij"));
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await storedText(app, upload), "abcdefghij");
  });

  Deno.test("a file that a disk truncated is not confirmed, and its upload can continue", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await patch(app, upload, 0, { body: textBytes("abcdefghij") });
    await Deno.truncate(fileOf(app, upload.filePath), 3);
    refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
    assert.equal(await offsetOf(app, upload), 3);
    await sendRest(app, upload, textBytes("abcdefghij"));
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await storedText(app, upload), "abcdefghij");
  });

  Deno.test("bytes beyond the recorded offset are not part of the upload", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await patch(app, upload, 0, { body: textBytes("abc") });
    await Deno.writeTextFile(fileOf(app, upload.filePath), "abcXXXXXXXXXXXX");
    assert.equal(await offsetOf(app, upload), 3);
    await sendRest(app, upload, textBytes("abcdefghij"));
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await storedText(app, upload), "abcdefghij");
  });

  Deno.test("STORAGE_UNAVAILABLE: an unusable folder is reported without any detail", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await Deno.writeTextFile(`${app.store.folder}/files`, "no folder");
    const answer = await patch(app, upload, 0, { body: textBytes("abc") });
    refused(answer, 503, "STORAGE_UNAVAILABLE");
    assert.ok(!answer.text.includes(app.store.folder));
    await Deno.remove(`${app.store.folder}/files`);
    await sendRest(app, upload, textBytes("abcdefghij"));
    assert.equal((await files.confirm(upload)).status, 200);
  });
} else {
  Deno.test("SERVER_BUSY: without memory for a part the piece is refused and nothing is lost", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await patch(app, upload, 0, { body: textBytes("abc") });
    const bodyBudget = createByteBudget({ bytesMax: 9, shareBytesMax: 9 });
    const busy = appOver(app, { ...app.services, bodyBudget });
    const answer = await patch(busy, upload, 3, { body: textBytes("defg") });
    refused(answer, 503, "SERVER_BUSY");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.equal((await head(busy, upload)).headers.get("upload-offset"), "3");
    await sendRest(app, upload, textBytes("abcdefghij"));
    assert.equal((await files.confirm(upload)).status, 200);
    // The memory is released.
    const room = createByteBudget({ bytesMax: 10, shareBytesMax: 10 });
    const roomy = appOver(app, { ...app.services, bodyBudget: room });
    for (let i = 0; i < 3; i++) {
      const next = await files.request(10);
      const { status } = await patch(roomy, next, 0, { body: textBytes("abcdefghij") });
      assert.equal(status, 204);
    }
  });

  Deno.test("STORAGE_UNAVAILABLE: a part whose connection keeps breaking is sent later, intact", async () => {
    await using store = await createTestStore();
    const address = new URL(store.settings.STORAGE_URL!);
    let isBroken = false;
    await using between = startProxy(
      address.searchParams.get("endpoint")!,
      (head) => /^PUT \S+[?&]partNumber=/.test(head) && isBroken ? "cut" : "pass",
    );
    address.searchParams.set("endpoint", between.origin);
    await using app = await openTestApp({ store, env: { STORAGE_URL: address.href } });
    const files = await openFiles(app);
    const file = new Uint8Array(PART + 1000).map((_, i) => i * 7 + (i >> 8));
    const upload = await files.request(file.length, "application/octet-stream");
    for (const [to, kept] of [[file.length, 0], [1000, 1000], [file.length, 1000]] as const) {
      isBroken = true;
      const from = await offsetOf(app, upload);
      const answer = await patch(app, upload, from, { body: file.slice(from, to) });
      if (to === file.length) assertUnavailable(answer);
      assert.equal(await offsetOf(app, upload), kept);
    }
    isBroken = false;
    await sendRest(app, upload, file.slice(0, PART + 10));
    isBroken = true;
    assertUnavailable(await patch(app, upload, PART + 10, { body: file.slice(PART + 10) }));
    isBroken = false;
    assert.equal(await offsetOf(app, upload), PART + 10);
    refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
    await sendRest(app, upload, file);
    assert.equal((await files.confirm(upload)).status, 200);
    assert.deepEqual(await storedBytes(app, upload), file);
  });
}
