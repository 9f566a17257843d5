/** Uploads in pieces whose client stalls, or whose store fails, is full or forgets what it had. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Blobs, BlobsUnavailable, type Pieces, type PieceWriter } from "@/lib/files/blobs.ts";
import { piecesPath } from "@/lib/files/paths.ts";
import { createByteBudget } from "@/lib/http/byte_budget.ts";
import { UPLOAD_STALL_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { createApp } from "@/routes/app.ts";
import { standBetween } from "../contract/between.ts";
import { hurried } from "../support/hurried.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestStore, storage } from "../support/test_store.ts";
import { send } from "../support/conforming_client.ts";
import { partials, pieces, textBytes } from "./blobs.ts";
import { changedStores, openFiles, storesAway } from "./files.ts";
import { head, offsetOf, patch, sendRest, storedBytes, storedText } from "./resumable.ts";
import { refused } from "./test_collection.ts";

/** The least part that a bucket takes. */
const PART = 5_242_880;

/** The same app over changed services. */
const over = (app: TestApp, services: Services): TestApp => {
  const changed = createApp(services);
  return { ...app, send: (call) => send(changed, call) };
};

const bound = <T extends object>(target: T, changes: Partial<T>): T =>
  new Proxy(target, {
    get(_, name) {
      const value = changes[name as keyof T] ?? target[name as keyof T];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** An app whose store fails in some call of its pieces. */
function failing(app: TestApp, changes: (pieces: Pieces) => Partial<Pieces>): TestApp {
  const { pieces } = app.services.blobStores.internal;
  const changed: Partial<Blobs> = { pieces: bound(pieces, changes(pieces)) };
  return over(app, changedStores(app.services, changed));
}

/** One whose writers fail in some calls. */
const failingWriter = (app: TestApp, changes: (writer: PieceWriter) => Partial<PieceWriter>) =>
  failing(app, (pieces) => ({
    async goOn(...given) {
      const writer = await pieces.goOn(...given);
      return bound(writer, changes(writer));
    },
  }));

const fail = () => Promise.reject(new BlobsUnavailable("detail of a failure"));

const told = (answer: Awaited<ReturnType<typeof patch>>) => {
  refused(answer, 503, "STORAGE_UNAVAILABLE");
  assert.ok(!answer.text.includes("detail"));
  assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
};

Deno.test("REQUEST_TIMEOUT: of what stalls is kept what has arrived", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const stalls = Promise.withResolvers<void>();
  // Only the wait for the second chunk is short.
  const body = pieces((i) => {
    if (i === 0) void hurried(UPLOAD_STALL_MS, 0, () => stalls.promise);
    else stalls.resolve();
    return i === 0 ? textBytes("abc") : new Promise(() => {});
  });
  refused(await patch(app, upload, 0, { body }), 408, "REQUEST_TIMEOUT");
  assert.equal(await offsetOf(app, upload), 3);
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("of what breaks off is kept what has arrived, but nothing that a checksum stands for", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const broken = (text: string) =>
    pieces((i) => i === 0 ? textBytes(text) : Promise.reject(new Error("gone")));
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

Deno.test("STORAGE_UNAVAILABLE: a store that is away when an upload begins, or goes on, loses nothing of it", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  const attempts = [
    over(app, storesAway(app.services)),
    failing(app, () => ({ begin: fail })),
    failing(app, () => ({ goOn: fail })),
  ];
  for (const attempt of attempts) {
    told(await patch(attempt, upload, 0, { body: textBytes("abc") }));
    assert.equal(await offsetOf(app, upload), 0);
  }
  await patch(app, upload, 0, { body: textBytes("abc") });
  for (const attempt of [...attempts, failing(app, () => ({ arrived: fail }))]) {
    if (attempt === attempts[1]) continue;
    told(await patch(attempt, upload, 3, { body: textBytes("defg") }));
    assert.equal(await offsetOf(app, upload), 3);
  }
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("STORAGE_UNAVAILABLE: of a store that fails on the way is kept what it took, and the upload goes on", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const upload = await files.request(10);
  let writes = 0;
  const full = failingWriter(app, (writer) => ({
    write: (bytes) => writes++ === 1 ? fail() : writer.write(bytes),
  }));
  const body = pieces((i) => i < 3 ? textBytes("abcdefghi".slice(3 * i, 3 * i + 3)) : null);
  told(await patch(full, upload, 0, { body }));
  assert.equal(await offsetOf(app, upload), 3);
  const unkept = failingWriter(app, () => ({ keep: fail }));
  told(await patch(unkept, upload, 3, { body: textBytes("de") }));
  const offset = await offsetOf(app, upload);
  assert.ok(offset === 3 || offset === 5, `${offset} bytes have arrived`);
  await sendRest(app, upload, textBytes("abcdefghij"));
  assert.equal((await files.confirm(upload)).status, 200);
  assert.equal(await storedText(app, upload), "abcdefghij");
});

Deno.test("UPLOAD_OFFSET_MISMATCH: a store that has forgotten an upload begins anew, also where it was complete", async () => {
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
      refused(again, 409, "UPLOAD_OFFSET_MISMATCH", "begin anew");
      assert.equal(await offsetOf(app, upload), 0);
      await sendRest(app, upload, textBytes("0123456789"));
    }
    assert.equal((await files.confirm(upload)).status, 200);
    assert.equal(await storedText(app, upload), "0123456789");
    assert.deepEqual(await partials(files), []);
  }
});

Deno.test("a confirm of what the store refuses to join is tried again", async () => {
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
  told(answer);
  assert.equal((await files.usage()).reserved, 5);
  assert.equal((await files.confirm(upload)).status, 200);
});

if (storage === "disk") {
  const fileOf = ({ store }: TestApp, path: string) =>
    `${store.folder}/files/_partial/${piecesPath(path)}`;

  Deno.test("bytes that a disk has lost are not made up for by bytes of a wrong checksum", async () => {
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

  Deno.test("a file that a disk has cut short is not confirmed, and goes on", async () => {
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

  Deno.test("what lies behind the noted bytes is no part of the upload", async () => {
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

  Deno.test("STORAGE_UNAVAILABLE: a folder that cannot be used, and no detail is told", async () => {
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
  Deno.test("SERVER_BUSY: where there is no room for a part in memory, and nothing is lost", async () => {
    await using app = await openTestApp();
    const files = await openFiles(app);
    const upload = await files.request(10);
    await patch(app, upload, 0, { body: textBytes("abc") });
    const bodyBudget = createByteBudget({ bytesMax: 9, shareBytesMax: 9 });
    const busy = over(app, { ...app.services, bodyBudget });
    const answer = await patch(busy, upload, 3, { body: textBytes("defg") });
    refused(answer, 503, "SERVER_BUSY");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.equal((await head(busy, upload)).headers.get("upload-offset"), "3");
    await sendRest(app, upload, textBytes("abcdefghij"));
    assert.equal((await files.confirm(upload)).status, 200);
    // The room is given back.
    const room = createByteBudget({ bytesMax: 10, shareBytesMax: 10 });
    const roomy = over(app, { ...app.services, bodyBudget: room });
    for (let i = 0; i < 3; i++) {
      const next = await files.request(10);
      const { status } = await patch(roomy, next, 0, { body: textBytes("abcdefghij") });
      assert.equal(status, 204);
    }
  });

  Deno.test("STORAGE_UNAVAILABLE: a part whose connection breaks again and again is sent later, and the file is exact", async () => {
    await using store = await createTestStore();
    const address = new URL(store.settings.STORAGE_URL!);
    let isBroken = false;
    await using between = standBetween(
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
      if (to === file.length) told(answer);
      assert.equal(await offsetOf(app, upload), kept);
    }
    isBroken = false;
    await sendRest(app, upload, file.slice(0, PART + 10));
    isBroken = true;
    told(await patch(app, upload, PART + 10, { body: file.slice(PART + 10) }));
    isBroken = false;
    assert.equal(await offsetOf(app, upload), PART + 10);
    refused(await files.confirm(upload), 409, "UPLOAD_NOT_READY");
    await sendRest(app, upload, file);
    assert.equal((await files.confirm(upload)).status, 200);
    assert.deepEqual(await storedBytes(app, upload), file);
  });
}
