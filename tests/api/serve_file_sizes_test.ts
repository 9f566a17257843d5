import assert from "node:assert/strict";
import sharp from "sharp";
import { CACHE_MS, DERIVED_MAX, PICTURE_BYTES_MAX } from "@/lib/limits.ts";
import { DERIVED, type DerivedRecord } from "@/lib/files/derived.ts";
import { chooseSize } from "@/lib/files/picture_size.ts";
import { createPictures } from "@/lib/files/pictures.ts";
import { reap } from "@/lib/files/reaper.ts";
import { type UploadRecord, UPLOADS } from "@/lib/files/uploads.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { factsOf, picture } from "../support/picture.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { textBytes } from "./blobs.ts";
import { openFiles } from "./files.ts";
import { ok, refused, times } from "./test_collection.ts";

async function openPictures() {
  const app = await openTestApp();
  const files = await openFiles(app);
  const { engine, blobStores } = app.services;
  const { projectId } = files.project;
  return {
    app,
    files,
    keep: async (given: Parameters<typeof picture>[0] = {}) => {
      const { format = "png" } = given;
      return await files.storeFile(await picture(given), `image/${format}`, `cat.${format}`);
    },
    records: () =>
      Array.fromAsync(
        engine.records<DerivedRecord>(projectId, DERIVED)
          .find({ filter: ALL }),
      ),
    objects: async () => {
      const page = { prefix: `${projectId}/`, after: null, limit: 1000 };
      return (await blobStores.internal.list("derived", page)).blobs.map(({ path }) => path);
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function show(app: TestApp, path: string, query: string, headers: [string, string][] = []) {
  const response = await app.open({ path: `/files/${path}?${query}`, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) assert.fail(new TextDecoder().decode(bytes));
  return { headers: response.headers, bytes, ...await factsOf(bytes) };
}

const refusal = (app: TestApp, path: string, query: string) =>
  app.send({ path: `/files/${path}?${query}` });

Deno.test("a requested size is rounded up, never enlarged, and stored", async () => {
  await using pictures = await openPictures();
  const { app, keep, records, objects } = pictures;
  const path = await keep();
  const first = await show(app, path, "w=100");
  assert.deepEqual([first.format, first.width, first.height], ["png", 128, 96]);
  assert.equal(first.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(first.headers.get("content-disposition"), 'inline; filename="cat.png"');
  assert.equal(first.headers.get("x-content-type-options"), "nosniff");
  assert.match(first.headers.get("etag")!, /^"[0-9a-f-]{36}-w128-q100-png"$/);
  const again = await show(app, path, "w=128&format=png&q=3");
  assert.equal(again.headers.get("etag"), first.headers.get("etag"));
  assert.deepEqual(again.bytes, first.bytes);
  assert.deepEqual((await records()).map(({ variant, bytes }) => [variant, bytes]), [
    ["w128-q100-png", first.bytes.length],
  ]);
  assert.deepEqual(await objects(), [`${path}.w128-q100-png`]);
  const full = await show(app, path, "w=2048&format=webp");
  assert.deepEqual([full.format, full.width, full.height], ["webp", 400, 300]);
  assert.equal(full.headers.get("content-disposition"), 'inline; filename="cat.webp"');
});

Deno.test("cover fills a size with the picture's center, contain shows all of it", async () => {
  await using pictures = await openPictures();
  const { app, keep } = pictures;
  const path = await keep();
  const cover = await show(app, path, "w=64&h=64&fit=cover");
  assert.deepEqual([cover.width, cover.height], [64, 64]);
  const contain = await show(app, path, "w=64&h=64&fit=contain");
  assert.deepEqual([contain.width, contain.height], [64, 48]);
  const down = await show(app, path, "h=96");
  assert.deepEqual([down.width, down.height], [128, 96]);
});

Deno.test("every format is read and written, upright and without metadata", async () => {
  await using pictures = await openPictures();
  const { app, keep } = pictures;
  for (const format of ["png", "jpeg", "webp", "gif", "avif"] as const) {
    const path = await keep({ format });
    for (const made of ["png", "jpeg", "webp", "avif"]) {
      const { headers, ...facts } = await show(app, path, `w=64&format=${made}`);
      assert.equal(headers.get("content-type"), `image/${made}`);
      const { width, height, hasMetadata, beginsRed } = facts;
      assert.deepEqual([facts.format, width, height], [made, 64, 48], `${format} ${made}`);
      assert.deepEqual([hasMetadata, beginsRed], [false, true], `${format} ${made}`);
    }
  }
  // Rotated by 180 degrees, so that the blue half is on the left.
  const path = await keep({ format: "jpeg", orientation: 3 });
  const turned = await show(app, path, "w=64");
  assert.deepEqual([turned.beginsRed, turned.hasMetadata], [false, false]);
  const { width, height } = await show(app, await keep({ format: "jpeg", orientation: 6 }), "w=64");
  assert.deepEqual([width, height], [64, 85]);
});

Deno.test("auto chooses the format by Accept and sends Vary", async () => {
  await using pictures = await openPictures();
  const { app, keep } = pictures;
  const path = await keep({ format: "jpeg" });
  const servedFormat = async (accept: string) => {
    const { format, headers } = await show(app, path, "w=64&format=auto", [["accept", accept]]);
    assert.equal(headers.get("vary"), "Origin, Accept");
    return format;
  };
  assert.equal(await servedFormat("image/avif,image/webp,*/*"), "avif");
  assert.equal(await servedFormat("image/webp,*/*"), "webp");
  assert.equal(await servedFormat("*/*"), "jpeg");
  assert.equal((await show(app, path, "w=64")).headers.get("vary"), "Origin");
});

Deno.test("a size is served like a file: with ranges, an ETag, and for HEAD", async () => {
  await using pictures = await openPictures();
  const { app, keep } = pictures;
  const path = `/files/${await keep()}?w=64`;
  const full = await app.open({ path });
  const bytes = new Uint8Array(await full.arrayBuffer());
  const etag = full.headers.get("etag")!;
  const part = await app.open({ path, headers: [["range", "bytes=1-3"]] });
  assert.deepEqual([part.status, new Uint8Array(await part.arrayBuffer())], [
    206,
    bytes.slice(1, 4),
  ]);
  const held = await app.open({ path, headers: [["if-none-match", etag]] });
  await held.body?.cancel();
  assert.equal(held.status, 304);
  const head = await app.open({ method: "HEAD", path });
  assert.deepEqual([head.status, head.headers.get("content-length")], [200, `${bytes.length}`]);
});

Deno.test("invalid parameters are refused by name", async () => {
  await using pictures = await openPictures();
  const { app, keep, records } = pictures;
  const path = await keep();
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["w=0", /^"w" must be a whole number from 1 to 2048\.$/],
    ["w=2049", /"w" must be/],
    ["w=1.5", /"w" must be/],
    ["h=-1", /"h" must be/],
    ["w=", /"w" must be/],
    ["w=64&q=101", /^"q" must be a whole number from 1 to 100\.$/],
    ["w=64&fit=fill", /^"fit" must be contain or cover\.$/],
    ["w=64&format=gif", /^"format" must be auto, webp, avif, jpeg, png\.$/],
  ];
  for (const [query, says] of wrong) {
    refused(await refusal(app, path, query), 400, "INVALID_QUERY", says);
  }
  assert.deepEqual(await records(), []);
});

Deno.test("a file that is not a picture, or is too large for one, is 422", async () => {
  await using pictures = await openPictures();
  const { app, files, records, objects } = pictures;
  const broken = (await picture()).slice(0, 300);
  const paths = [
    await files.storeFile(textBytes("text"), "text/plain"),
    await files.storeFile(textBytes("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml"),
    await files.storeFile(broken, "image/png"),
  ];
  for (const path of paths) refused(await refusal(app, path, "w=64"), 422, "PICTURE_UNUSABLE");
  assert.deepEqual([await records(), await objects()], [[], []]);
  // Its bytes are not even read.
  const large = await files.upload(12, "image/gif");
  await app.services.engine.records<UploadRecord>(files.project.projectId, UPLOADS)
    .updateOne(eq("path", large.filePath), { set: { bytes: PICTURE_BYTES_MAX + 1 } });
  refused(await refusal(app, large.filePath, "w=64"), 422, "PICTURE_UNUSABLE");
});

Deno.test("a damaged picture is resized if some of it can be shown, otherwise refused", async () => {
  await using pictures = await openPictures();
  const { app, files } = pictures;
  const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
  const input = { width: 400, height: 300, channels: 3, background: "#000", noise } as const;
  const make = async (format: "jpeg" | "png" | "gif" | "webp") =>
    new Uint8Array(await sharp({ create: input }).toFormat(format).toBuffer());
  const jpeg = await make("jpeg");
  const showable = {
    jpeg: [jpeg.slice(0, -2), jpeg.slice(0, jpeg.length / 2)],
    png: [(await make("png")).slice(0, -100_000)],
    gif: [(await make("gif")).slice(0, -1), (await make("gif")).slice(0, -10_000)],
  };
  for (const [format, all] of Object.entries(showable)) {
    for (const bytes of all) {
      const path = await files.storeFile(bytes, `image/${format}`);
      for (const query of ["w=64", "w=64&format=webp", "w=64&format=jpeg&q=50"]) {
        const { width, height } = await show(app, path, query);
        assert.deepEqual([width, height], [64, 48], `${format} of ${bytes.length} bytes, ${query}`);
      }
    }
  }
  const headOnly = [jpeg.slice(0, 300), (await make("png")).slice(0, 300)];
  const hidden = [...headOnly, (await make("webp")).slice(0, 20_000)];
  for (const [at, bytes] of hidden.entries()) {
    const path = await files.storeFile(bytes, `image/${["jpeg", "png", "webp"][at]}`);
    for (const format of ["png", "jpeg"]) {
      refused(await refusal(app, path, `w=64&format=${format}`), 422, "PICTURE_UNUSABLE");
    }
  }
});

Deno.test("a size of an animation shows its first frame", async () => {
  await using pictures = await openPictures();
  const { app, files } = pictures;
  const frame = (background: string) =>
    sharp({ create: { width: 100, height: 80, channels: 3, background } }).png().toBuffer();
  const frames = [await frame("#f00"), await frame("#00f"), await frame("#00f")];
  for (const format of ["gif", "webp"] as const) {
    const animation = sharp(frames, { join: { animated: true } }).toFormat(format);
    const path = await files.storeFile(
      new Uint8Array(await animation.toBuffer()),
      `image/${format}`,
    );
    const first = await show(app, path, "w=64&format=webp");
    assert.deepEqual([first.width, first.height, first.beginsRed], [64, 51, true]);
    assert.equal((await sharp(first.bytes).metadata()).pages ?? 1, 1);
  }
  const avif = await picture({ format: "avif" });
  avif.set(textBytes("avis"), 8);
  assert.equal((await show(app, await files.storeFile(avif, "image/avif"), "w=64")).width, 64);
});

Deno.test("a picture has sizes under each name of its type", async () => {
  await using pictures = await openPictures();
  const { app, files } = pictures;
  const types = { png: ["x-png", "apng"], jpeg: ["jpg", "pjpeg"] } as const;
  for (const format of ["png", "jpeg"] as const) {
    for (const name of types[format]) {
      const path = await files.storeFile(await picture({ format }), `image/${name}`);
      assert.equal((await show(app, path, "w=64")).format, format, name);
      assert.notEqual((await files.info(path)).body.data.sizesUrl, null);
    }
  }
});

Deno.test("of many concurrent requests for a size one produces it", async () => {
  await using pictures = await openPictures();
  const { app, keep, records } = pictures;
  const path = await keep({ width: 2000, height: 1500, format: "jpeg" });
  let kept = 0;
  const { internal } = app.services.blobStores;
  const keeping = internal.putDerived.bind(internal);
  internal.putDerived = (...given) => {
    kept++;
    return keeping(...given);
  };
  const answers = await Promise.all(
    times(50, () => show(app, path, "w=512&format=webp").then(({ bytes }) => bytes.length)),
  );
  assert.equal(new Set(answers).size, 1);
  assert.equal(kept, 1);
  assert.equal((await records()).length, 1);
});

Deno.test("sizes survive a restart, are recreated if lost, and are deleted with their file", async () => {
  await using pictures = await openPictures();
  const { app, files, keep, records, objects } = pictures;
  const path = await keep();
  const { bytes } = await show(app, path, "w=64");
  await show(app, path, "w=128");
  const elsewhere = createPictures(app.services, 1);
  const row = (await elsewhere.source("stored", path))!;
  const { internal } = app.services.blobStores;
  const keep64 = internal.putDerived.bind(internal);
  internal.putDerived = () => Promise.reject(new Error("made again"));
  const asker = { client: "192.0.2.1", gone: new AbortController().signal };
  await elsewhere.find(row, chooseSize(row.contentType, { w: 64 }, null), asker);
  internal.putDerived = keep64;
  const [one] = await objects();
  await app.services.blobStores.internal.remove("derived", one!);
  assert.equal((await objects()).length, 1);
  assert.deepEqual((await show(app, path, "w=64")).bytes, bytes);
  await show(app, path, "w=128");
  assert.equal((await objects()).length, 2);
  ok(await files.remove(path));
  await reap(app.services);
  assert.deepEqual([await records(), await objects()], [[], []]);
  app.clock.advance(CACHE_MS);
  refused(await refusal(app, path, "w=64"), 404, "FILE_NOT_FOUND");
});

Deno.test("sizes count toward no quota, and the least recently used are removed first", async () => {
  await using pictures = await openPictures();
  const { app, files, keep, records } = pictures;
  const path = await keep();
  const before = await files.usage();
  await show(app, path, "w=16");
  app.clock.advance(2 * 3_600_000);
  await show(app, path, "w=32");
  app.clock.advance(2 * 3_600_000);
  await show(app, path, "w=16");
  assert.deepEqual(await files.usage(), before);
  // Simulates the maximum number of sizes.
  const { engine } = app.services;
  const { projectId } = files.project;
  const [first] = await records();
  const old = engine.records<DerivedRecord>(projectId, DERIVED);
  const ids = times(DERIVED_MAX - 1, (i) => i.toString(16).padStart(24, "0"));
  for (let at = 0; at < ids.length; at += 1000) {
    await old.insertMany(
      ids.slice(at, at + 1000).map((_id) => ({
        ...first!,
        _id,
        variant: `v${_id}`,
        bytes: 1,
        usedAt: "2020-01-01T00:00:00.000Z",
      })),
    );
  }
  await show(app, path, "w=48");
  const left = await records();
  assert.equal(left.length, 0.9 * DERIVED_MAX);
  assert.deepEqual(
    left.filter(({ bytes }) => bytes > 1).map(({ variant }) => variant).sort(),
    ["w16-q100-png", "w32-q100-png", "w64-q100-png"],
  );
});
