import assert from "node:assert/strict";
import sharp from "sharp";
import { CACHE_MS, DERIVED_MAX, PICTURE_BYTES_MAX } from "@/lib/limits.ts";
import { DERIVED, type DerivedRecord } from "@/lib/files/derived.ts";
import { sizeFor } from "@/lib/files/picture_size.ts";
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
      return await files.keep(await picture(given), `image/${format}`, `cat.${format}`);
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

Deno.test("a size of a picture is rounded up, never enlarged, and kept", async () => {
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
  const whole = await show(app, path, "w=2048&format=webp");
  assert.deepEqual([whole.format, whole.width, whole.height], ["webp", 400, 300]);
  assert.equal(whole.headers.get("content-disposition"), 'inline; filename="cat.webp"');
});

Deno.test("cover fills a size with the middle of a picture, contain shows all of it", async () => {
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

Deno.test("every format is read and made, upright and without what else the file says", async () => {
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
  // Held upside down, so that its blue half is the left one.
  const path = await keep({ format: "jpeg", orientation: 3 });
  const turned = await show(app, path, "w=64");
  assert.deepEqual([turned.beginsRed, turned.hasMetadata], [false, false]);
  const { width, height } = await show(app, await keep({ format: "jpeg", orientation: 6 }), "w=64");
  assert.deepEqual([width, height], [64, 85]);
});

Deno.test("auto answers by Accept, and says so", async () => {
  await using pictures = await openPictures();
  const { app, keep } = pictures;
  const path = await keep({ format: "jpeg" });
  const shown = async (accept: string) => {
    const { format, headers } = await show(app, path, "w=64&format=auto", [["accept", accept]]);
    assert.equal(headers.get("vary"), "Origin, Accept");
    return format;
  };
  assert.equal(await shown("image/avif,image/webp,*/*"), "avif");
  assert.equal(await shown("image/webp,*/*"), "webp");
  assert.equal(await shown("*/*"), "jpeg");
  assert.equal((await show(app, path, "w=64")).headers.get("vary"), "Origin");
});

Deno.test("a size is served as a file is: by ranges, by its tag, and to HEAD", async () => {
  await using pictures = await openPictures();
  const { app, keep } = pictures;
  const path = `/files/${await keep()}?w=64`;
  const whole = await app.open({ path });
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const etag = whole.headers.get("etag")!;
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

Deno.test("parameters of another form are refused by their names", async () => {
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

Deno.test("what is no picture, or is too large to be one, has no sizes: 422", async () => {
  await using pictures = await openPictures();
  const { app, files, records, objects } = pictures;
  const broken = (await picture()).slice(0, 300);
  const paths = [
    await files.keep(textBytes("text"), "text/plain"),
    await files.keep(textBytes("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml"),
    await files.keep(broken, "image/png"),
  ];
  for (const path of paths) refused(await refusal(app, path, "w=64"), 422, "PICTURE_UNUSABLE");
  assert.deepEqual([await records(), await objects()], [[], []]);
  // Its bytes are not even read.
  const large = await files.upload(12, "image/gif");
  await app.services.engine.records<UploadRecord>(files.project.projectId, UPLOADS)
    .updateOne(eq("path", large.filePath), { set: { bytes: PICTURE_BYTES_MAX + 1 } });
  refused(await refusal(app, large.filePath, "w=64"), 422, "PICTURE_UNUSABLE");
});

Deno.test("a damaged picture has a size as far as it can be shown, and none where nothing can", async () => {
  await using pictures = await openPictures();
  const { app, files } = pictures;
  const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
  const input = { width: 400, height: 300, channels: 3, background: "#000", noise } as const;
  const make = async (format: "jpeg" | "png" | "gif" | "webp") =>
    new Uint8Array(await sharp({ create: input }).toFormat(format).toBuffer());
  const jpeg = await make("jpeg");
  const shown = {
    jpeg: [jpeg.slice(0, -2), jpeg.slice(0, jpeg.length / 2)],
    png: [(await make("png")).slice(0, -100_000)],
    gif: [(await make("gif")).slice(0, -1), (await make("gif")).slice(0, -10_000)],
  };
  for (const [format, all] of Object.entries(shown)) {
    for (const bytes of all) {
      const path = await files.keep(bytes, `image/${format}`);
      for (const query of ["w=64", "w=64&format=webp", "w=64&format=jpeg&q=50"]) {
        const { width, height } = await show(app, path, query);
        assert.deepEqual([width, height], [64, 48], `${format} of ${bytes.length} bytes, ${query}`);
      }
    }
  }
  const headOnly = [jpeg.slice(0, 300), (await make("png")).slice(0, 300)];
  const hidden = [...headOnly, (await make("webp")).slice(0, 20_000)];
  for (const [at, bytes] of hidden.entries()) {
    const path = await files.keep(bytes, `image/${["jpeg", "png", "webp"][at]}`);
    for (const format of ["png", "jpeg"]) {
      refused(await refusal(app, path, `w=64&format=${format}`), 422, "PICTURE_UNUSABLE");
    }
  }
});

Deno.test("of an animation a size shows the first picture", async () => {
  await using pictures = await openPictures();
  const { app, files } = pictures;
  const frame = (background: string) =>
    sharp({ create: { width: 100, height: 80, channels: 3, background } }).png().toBuffer();
  const frames = [await frame("#f00"), await frame("#00f"), await frame("#00f")];
  for (const format of ["gif", "webp"] as const) {
    const animation = sharp(frames, { join: { animated: true } }).toFormat(format);
    const path = await files.keep(new Uint8Array(await animation.toBuffer()), `image/${format}`);
    const first = await show(app, path, "w=64&format=webp");
    assert.deepEqual([first.width, first.height, first.beginsRed], [64, 51, true]);
    assert.equal((await sharp(first.bytes).metadata()).pages ?? 1, 1);
  }
  const avif = await picture({ format: "avif" });
  avif.set(textBytes("avis"), 8);
  assert.equal((await show(app, await files.keep(avif, "image/avif"), "w=64")).width, 64);
});

Deno.test("a picture has sizes by each name of its type", async () => {
  await using pictures = await openPictures();
  const { app, files } = pictures;
  const types = { png: ["x-png", "apng"], jpeg: ["jpg", "pjpeg"] } as const;
  for (const format of ["png", "jpeg"] as const) {
    for (const name of types[format]) {
      const path = await files.keep(await picture({ format }), `image/${name}`);
      assert.equal((await show(app, path, "w=64")).format, format, name);
      assert.notEqual((await files.info(path)).body.data.sizesUrl, null);
    }
  }
});

Deno.test("of many who ask for a size at once one has it made", async () => {
  await using pictures = await openPictures();
  const { app, keep, records } = pictures;
  const path = await keep({ width: 2000, height: 1500, format: "jpeg" });
  let kept = 0;
  const { internal } = app.services.blobStores;
  const keeping = internal.keep.bind(internal);
  internal.keep = (...given) => {
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

Deno.test("sizes survive a restart, are made again where they are lost, and go with their file", async () => {
  await using pictures = await openPictures();
  const { app, files, keep, records, objects } = pictures;
  const path = await keep();
  const { bytes } = await show(app, path, "w=64");
  await show(app, path, "w=128");
  const elsewhere = createPictures(app.services, 1);
  const row = (await elsewhere.source("stored", path))!;
  const { internal } = app.services.blobStores;
  const keep64 = internal.keep.bind(internal);
  internal.keep = () => Promise.reject(new Error("made again"));
  const asker = { client: "192.0.2.1", gone: new AbortController().signal };
  await elsewhere.find(row, sizeFor(row.contentType, { w: 64 }, null), asker);
  internal.keep = keep64;
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

Deno.test("sizes are charged to nobody, and those that nobody asked for the longest go first", async () => {
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
  // As if there were as many as may be.
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
