/** Pictures that try to crash the server or to expose private files. */

import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { DERIVED, type DerivedRecord } from "@/lib/files/derived.ts";
import { concatBytes } from "@/lib/http/bounded_reader.ts";
import { ALL } from "@/lib/store/filter.ts";
import { textBytes } from "../api/blobs.ts";
import { FILE, openFiles } from "../api/files.ts";
import { openPrivate } from "../api/private_files.ts";
import { ok, refused, times } from "../api/test_collection.ts";
import { picture } from "../support/picture.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const all = (...parts: readonly Uint8Array[]): Bytes => concatBytes(parts);

const number = (value: number): Bytes => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

function chunk(name: string, data: Uint8Array): Bytes {
  const named = all(textBytes(name), data);
  return all(number(data.length), named, number(crc32(named)));
}

/** Returns a PNG whose header has these dimensions, with any contents. */
const png = (width: number, height: number, ...chunks: readonly Uint8Array[]): Bytes =>
  all(
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", all(number(width), number(height), Uint8Array.of(1, 0, 0, 0, 0))),
    ...chunks,
    chunk("IDAT", deflateSync(new Uint8Array(100_000))),
    chunk("IEND", new Uint8Array()),
  );

const sized = (app: TestApp, path: string, query: string) =>
  app.send({ path: `/files/${path}?${query}` });

const TIME_MS = 8_000;

/** Asserts a quick refusal that does not delay other requests. */
async function assertUnusable(bytes: Bytes, type: string): Promise<void> {
  await using app = await openTestApp();
  const path = await (await openFiles(app)).storeFile(bytes, type, "a");
  const began = performance.now();
  const [answer, otherMs] = await Promise.all([
    sized(app, path, "w=64&format=webp"),
    app.send({ path: "/api/health" }).then(() => performance.now() - began),
  ]);
  const tookMs = performance.now() - began;
  refused(answer, 422, "PICTURE_UNUSABLE");
  assert.ok(tookMs < TIME_MS, `${tookMs} ms`);
  assert.ok(otherMs < Math.max(1000, tookMs / 2), `${otherMs} of ${tookMs} ms`);
}

Deno.test("a picture of 50,000 by 50,000 pixels in a kilobyte has no sizes", async () => {
  const bomb = png(50_000, 50_000);
  assert.ok(bomb.length < 1_000);
  await assertUnusable(bomb, "image/png");
});

Deno.test("a picture with more pixels than its bytes allow has no sizes", async () => {
  await assertUnusable(png(7_000, 7_000), "image/png");
});

Deno.test("an AVIF picture that would take a gigabyte to decode has no sizes", async () => {
  const bytes = await sharp({
    create: { width: 5_000, height: 5_000, channels: 3, background: "#123" },
  })
    .avif({ effort: 0 }).toBuffer();
  assert.ok(bytes.length < 100_000);
  await assertUnusable(new Uint8Array(bytes), "image/avif");
});

Deno.test("a JPEG that ends within its head has no sizes", async () => {
  const complete = await picture({ format: "jpeg" });
  await assertUnusable(complete.slice(0, 100), "image/jpeg");
});

Deno.test("only the first of ten thousand frames is shown", async () => {
  await using app = await openTestApp();
  const one = await sharp({ create: { width: 16, height: 16, channels: 3, background: "#f00" } })
    .gif().toBuffer();
  // A frame starts with its control block and ends before the trailer.
  const from = one.indexOf(Uint8Array.of(0x21, 0xf9));
  const at = from < 0 ? one.indexOf(0x2c) : from;
  const [head, frame] = [one.subarray(0, at), one.subarray(at, -1)];
  const bytes = all(head, ...times(10_000, () => frame), Uint8Array.of(0x3b));
  const path = await (await openFiles(app)).storeFile(bytes, "image/gif", "a.gif");
  const response = await app.open({ path: `/files/${path}?w=16` });
  const { width, height, pages = 1 } = await sharp(await response.bytes()).metadata();
  assert.deepEqual([response.status, width, height, pages], [200, 16, 16, 1]);
});

Deno.test("megabytes of text in a picture are neither read nor returned", async () => {
  await using app = await openTestApp();
  const text = textBytes(`Comment\0${"secret ".repeat(10_000)}`);
  const bytes = png(16, 16, ...times(100, () => chunk("tEXt", text)));
  const path = await (await openFiles(app)).storeFile(bytes, "image/png", "a.png");
  const response = await app.open({ path: `/files/${path}?w=16` });
  const resized = await response.bytes();
  assert.equal(response.status, 200);
  assert.ok(resized.length < 1_000, `${resized.length}`);
});

Deno.test("an SVG with entities is not a picture, with any content type", async () => {
  const svg = textBytes(
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' +
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><text>&a;</text></svg>',
  );
  await assertUnusable(svg, "image/svg+xml");
  await using app = await openTestApp();
  const files = await openFiles(app);
  await assert.rejects(files.storeFile(svg, "image/png"), /TYPE_MISMATCH/);
});

Deno.test("500 requested sizes of one picture create few files, and a bounded number", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const path = await files.storeFile(await picture({ width: 64, height: 64 }), "image/png", "a");
  for (let w = 1; w <= 500; w++) {
    const response = await app.open({ path: `/files/${path}?w=${w}&q=${1 + w % 100}` });
    await response.body?.cancel();
    assert.equal(response.status, 200);
  }
  const { engine } = app.services;
  const kept = engine.records<DerivedRecord>(files.project.projectId, DERIVED);
  assert.equal(await kept.count(ALL), 9);
});

Deno.test("a project uses only its share of the turns for making sizes", async () => {
  await using app = await openTestApp({ env: { TRUST_PROXY: "1" } });
  const [greedy, other] = [await openFiles(app), await openFiles(app)];
  const large = await picture({ width: 1500, height: 1500, format: "jpeg" });
  const path = await greedy.storeFile(large, "image/jpeg", "a");
  const theirs = await other.storeFile(await picture(), "image/png", "b");
  const asked = times(
    100,
    (i) => sized(app, path, `w=${1 + 128 * (i % 16)}&h=${1 + i}&format=png`),
  );
  // Another client, because each client has a share too.
  const headers = { "x-forwarded-for": "203.0.113.9" };
  const quiet = app.send({ path: `/files/${theirs}?w=16`, headers });
  const codes = (await Promise.all(asked)).map(({ status, body }) => [status, body?.code ?? null]);
  assert.equal((await quiet).status, 200);
  const busy = codes.filter(([status]) => status === 503);
  assert.ok(busy.length > 0);
  assert.ok(busy.every(([, code]) => code === "SERVER_BUSY"));
  assert.ok(codes.every(([status]) => status === 200 || status === 503));
});

Deno.test("the sizes of a private file are private, at every address", async () => {
  await using app = await openTestApp();
  const { project, change, stored } = await openPrivate(app);
  const files = await openFiles(app, project);
  const bytes = await picture();
  const body = { filename: "a.png", contentType: "image/png", size: bytes.length };
  const asked = { ...body, ...(await files.ask({ ...body, visibility: "private" })).body };
  await files.stage(asked, bytes);
  assert.equal((await files.confirm(asked)).status, 200);
  const path = asked.filePath;
  const refusedAt = async (address: string) =>
    assert.equal((await app.send({ path: address })).status >= 400, true, address);
  await refusedAt(`/files/${path}?w=64`);
  await refusedAt(`/files/_derived/${path}.w64-q100-png`);
  await refusedAt(`/files/${path}.w64-q100-png`);
  if (app.services.localFiles === null) return;
  const { url } = ok(await project.asSecret({ path: "/api/storage/sign", body: { path } }));
  const { pathname, search } = new URL(url);
  const seen = await app.open({ path: `${pathname}${search}&w=64` });
  await seen.body?.cancel();
  assert.equal(seen.status, 200);
  assert.match(seen.headers.get("cache-control")!, /^private/);
  // A size remains private after it was made.
  await refusedAt(`/files/${path}?w=64`);
  await refusedAt(`/files/${path}.w64-q100-png`);
  await refusedAt(`/files/${path}?w=64&${search.slice(1).replace(/signature=./, "signature=!")}`);
  const other = await stored();
  await refusedAt(`/files/${other}${search}&w=64`);
  // A formerly public file is no longer readable by all.
  ok(await change(path, "public"));
  app.clock.advance(5_000);
  assert.equal((await app.open({ path: `/files/${path}?w=64` })).status, 200);
  ok(await change(path, "private"));
  app.clock.advance(5_000);
  await refusedAt(`/files/${path}?w=64`);
  ok(await project.asSecret({ method: "DELETE", path: FILE, body: { path } }));
  app.clock.advance(5_000);
  await refusedAt(`${pathname}${search}&w=64`);
});
