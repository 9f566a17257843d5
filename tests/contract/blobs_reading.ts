import assert from "node:assert/strict";
import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import type { Blobs } from "@/lib/files/blobs.ts";
import type { BlobCases } from "./blobs.ts";
import {
  aPath,
  assertHolds,
  bytesOf,
  manyBytes,
  newProject,
  pathIn,
  PLACES,
  putStaged,
  putStored,
  sameBytes,
  TYPE,
} from "./blobs_fixtures.ts";

const UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const PROJECT = "0123456789abcdef01234567";

/** Invalid paths that would lead elsewhere if they were used. */
const NO_PATHS = [
  "",
  "/",
  ".",
  "..",
  PROJECT,
  `${PROJECT}/`,
  `${PROJECT}/${UUID}`,
  `${PROJECT}/${UUID}_`,
  `${PROJECT}/${UUID}_a/b`,
  `${PROJECT}/${UUID}_a/../../b`,
  `${PROJECT}/../${PROJECT}/${UUID}_a`,
  `/${PROJECT}/${UUID}_a`,
  `../${PROJECT}/${UUID}_a`,
  `_incoming/${PROJECT}/${UUID}_a`,
  `${PROJECT}/${UUID}_a\0`,
  `${PROJECT}/${UUID}_a\n`,
  `${PROJECT}/${UUID}_a b`,
  `${PROJECT}/${UUID}_a%2Fb`,
  `${PROJECT}\\${UUID}_a`,
  `${PROJECT.toUpperCase()}/${UUID}_a`,
  `${PROJECT}/${UUID}_${"x".repeat(101)}`,
  `${PROJECT}/${UUID}_\u202ea`,
];

const CALLS: Readonly<Record<string, (blobs: Blobs, path: string) => unknown>> = {
  signUpload: (blobs, path) =>
    blobs.signUpload({ path, bytes: 1, contentType: TYPE, expiresAt: Date.now() + 60_000 }),
  publish: (blobs, path) => blobs.publish(path, TYPE),
  keep: (blobs, path) => blobs.putDerived(path, new Uint8Array(1), TYPE),
  publicUrl: (blobs, path) => blobs.publicUrl(path),
  ...Object.fromEntries(PLACES.flatMap((place) => [
    [`stat ${place}`, (blobs: Blobs, path: string) => blobs.stat(place, path)],
    [`read ${place}`, (blobs: Blobs, path: string) => blobs.read(place, path)],
    [`remove ${place}`, (blobs: Blobs, path: string) => blobs.remove(place, path)],
  ])),
};

export const blobReadingCases: BlobCases = {
  "a missing object is null in every place": async ({ blobs }) => {
    const path = aPath();
    for (const place of ["staged", "stored"] as const) {
      assert.equal(await blobs.stat(place, path), null);
      assert.equal(await blobs.read(place, path), null);
      assert.equal(await blobs.read(place, path, { offset: 0, length: 1 }), null);
    }
  },

  "an object can be read completely and in any part": async (store) => {
    const path = aPath();
    const body = manyBytes(300_001);
    await putStored(store, path, body);
    const parts = [[0, 1], [0, 300_001], [300_000, 1], [1, 299_999], [65_535, 2], [100, 200_000]];
    for (const [offset, length] of parts as [number, number][]) {
      const stream = await store.blobs.read("stored", path, { offset, length });
      const read = await new Response(stream).bytes();
      const expected = body.subarray(offset, offset + length);
      assert.ok(sameBytes(read, expected), `${length} bytes from ${offset}: ${read.length}`);
    }
    await assertHolds(store.blobs, "stored", path, body);
  },

  "a part of a staged object can be read": async (store) => {
    const path = aPath();
    await putStaged(store, path, bytesOf("0123456789"));
    const stream = await store.blobs.read("staged", path, { offset: 3, length: 4 });
    assert.equal(await new Response(stream).text(), "3456");
  },

  "a cancelled stream keeps nothing open": async (store) => {
    const path = aPath();
    await putStored(store, path, manyBytes(2_000_000));
    const stream = await store.blobs.read("stored", path);
    await stream!.cancel();
    const reader = (await store.blobs.read("stored", path))!.getReader();
    await reader.read();
    await reader.cancel();
    const part = (await store.blobs.read("stored", path, { offset: 1, length: 1_500_000 }))!;
    const partReader = part.getReader();
    await partReader.read();
    await partReader.cancel();
  },

  "removing an object affects one place, and a missing object can be removed": async (
    store,
  ) => {
    const path = aPath();
    await putStored(store, path, bytesOf("kept"));
    await putStaged(store, path, bytesOf("staged"));
    await store.blobs.remove("staged", path);
    await assertHolds(store.blobs, "staged", path, null);
    await assertHolds(store.blobs, "stored", path, bytesOf("kept"));
    for (let time = 0; time < 2; time++) {
      await store.blobs.remove("stored", path);
      await assertHolds(store.blobs, "stored", path, null);
    }
  },

  "a project does not see the objects of another project": async (store) => {
    const name = crypto.randomUUID();
    const [own, foreign] = [newProject(), newProject()].map((id) => `${id}/${name}_a.txt`);
    await putStored(store, own!, bytesOf("own"));
    await assertHolds(store.blobs, "stored", foreign!, null);
    await store.blobs.remove("stored", foreign!);
    await assertHolds(store.blobs, "stored", own!, bytesOf("own"));
  },

  "a malformed path throws in every call": async ({ blobs }) => {
    for (const [name, call] of Object.entries(CALLS)) {
      for (const path of NO_PATHS) {
        const error = await Promise.try(() => call(blobs, path)).then(() => null, (error) => error);
        assert.ok(error instanceof TypeError, `${name}(${JSON.stringify(path)}): ${error}`);
      }
    }
  },

  "a public URL is absolute and ends with the path, or is null": ({ blobs }) => {
    const path = pathIn(newProject(), "A photo (1).png");
    const url = blobs.publicUrl(path);
    if (url !== null) assert.ok(new URL(url).pathname.endsWith(`/${path}`), url);
    return Promise.resolve();
  },

  "ping succeeds for an available store": async ({ blobs }) => await blobs.ping(),

  "an unavailable store throws BlobsUnavailable from every call, without secrets": async (
    store,
  ) => {
    await using blobs = await store.broken();
    const path = aPath();
    const page = { prefix: "", after: null, limit: 10 };
    const calls = {
      ping: () => blobs.ping(),
      stat: () => blobs.stat("stored", path),
      read: () => blobs.read("stored", path),
      publish: () => blobs.publish(path, TYPE),
      remove: () => blobs.remove("stored", path),
      list: () => blobs.list("stored", page),
    };
    for (const [name, call] of Object.entries(calls)) {
      const error = await call().then(() => null, (error) => error);
      assert.ok(error instanceof BlobsUnavailable, `${name}: ${error}`);
      for (const secret of store.secrets) assert.ok(!error.message.includes(secret), name);
    }
  },
};
