import assert from "node:assert/strict";
import type { BlobCases, BlobStore } from "./blobs.ts";
import {
  addressFor,
  aPath,
  assertHolds,
  bytesOf,
  contents,
  keep,
  manyBytes,
  newProject,
  pathIn,
  sameBytes,
  stage,
  TYPE,
  uploadOf,
} from "./blobs_fixtures.ts";

const BODY = bytesOf("what was asked for");

/** Sends a body to an address that is for {@linkcode BODY}; it must be refused without a trace. */
async function assertRefused(
  store: BlobStore,
  change: (address: string) => string,
  put: { body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>; contentType?: string } = {},
): Promise<void> {
  const path = aPath();
  const address = await addressFor(store, uploadOf(store, path, BODY.length));
  const status = await store.put(change(address), { body: BODY, contentType: TYPE, ...put });
  assert.ok(status >= 400 && status < 500, `answered ${status}`);
  await assertHolds(store.blobs, "staged", path, null);
  await assertHolds(store.blobs, "stored", path, null);
  assert.equal(await store.put(address, { body: BODY, contentType: TYPE }), 200, "still good");
  await assertHolds(store.blobs, "staged", path, BODY);
}

const same = (address: string) => address;

const streamed = (...chunks: Uint8Array[]): ReadableStream<Uint8Array> =>
  ReadableStream.from(chunks);

export const blobUploadCases: BlobCases = {
  "what is put to a signed address is staged, byte for byte, and stored nowhere": async (store) => {
    const body = manyBytes(300_001);
    const path = aPath();
    await stage(store, path, body);
    await assertHolds(store.blobs, "staged", path, body);
    await assertHolds(store.blobs, "stored", path, null);
  },

  "an address takes the longest names that paths have": async (store) => {
    const path = pathIn(newProject(), `${"x".repeat(300)}.tar.gz`);
    await keep(store, path, BODY);
    await assertHolds(store.blobs, "stored", path, BODY);
  },

  "an address is absolute and tells no secret of the store": async (store) => {
    const address = await store.blobs.signUpload(uploadOf(store, aPath(), 1));
    assert.match(new URL(address).protocol, /^https?:$/);
    for (const secret of store.secrets) assert.ok(!address.includes(secret));
  },

  "a byte less is refused": (store) => assertRefused(store, same, { body: BODY.slice(1) }),

  "a byte more is refused": (store) =>
    assertRefused(store, same, { body: bytesOf("what was asked for!") }),

  "no bytes are refused": (store) => assertRefused(store, same, { body: bytesOf("") }),

  "another content type is refused": (store) =>
    assertRefused(store, same, { contentType: "text/html" }),

  "the content type with a parameter that was not signed is refused": (store) =>
    assertRefused(store, same, { contentType: `${TYPE};charset=utf-8` }),

  "a body that does not say its length is no way round it": async (store) => {
    await assertRefused(store, same, { body: streamed(BODY, bytesOf("!")) });
    await assertRefused(store, same, { body: streamed(BODY.slice(1)) });
  },

  "an altered address is refused": async (store) => {
    const middle = (address: string) => Math.floor((address.length + address.indexOf("/", 8)) / 2);
    await assertRefused(store, (address) => {
      const at = middle(address);
      return address.slice(0, at) + (address[at] === "A" ? "B" : "A") + address.slice(at + 1);
    });
    await assertRefused(store, (address) => address.slice(0, -1));
    await assertRefused(store, (address) => `${address}A`);
  },

  "an address whose time is over is refused": async (store) => {
    const path = aPath();
    const upload = uploadOf(store, path, BODY.length);
    await store.expect(upload);
    const address = await store.blobs.signUpload({ ...upload, expiresAt: store.now() - 1000 });
    const status = await store.put(address, { body: BODY, contentType: TYPE });
    assert.ok(status >= 400 && status < 500, `answered ${status}`);
    await assertHolds(store.blobs, "staged", path, null);
  },

  "an address can be used again before the upload is published, and the last bytes count": async (
    store,
  ) => {
    const path = aPath();
    const address = await addressFor(store, uploadOf(store, path, 3));
    for (const text of ["one", "two"]) {
      const body = bytesOf(text);
      assert.equal(await store.put(address, { body, contentType: TYPE }), 200);
      await assertHolds(store.blobs, "staged", path, body);
    }
  },

  "of uploads to one path at once each is whole, and one of them is there": async (store) => {
    const path = aPath();
    const bodies = [1, 2, 3].map((byte) => new Uint8Array(200_000).fill(byte));
    const address = await addressFor(store, uploadOf(store, path, 200_000));
    const statuses = await Promise.all(
      bodies.map((body) => store.put(address, { body, contentType: TYPE })),
    );
    assert.ok(statuses.includes(200), statuses.join());
    const held = await contents(store.blobs, "staged", path);
    assert.ok(bodies.some((body) => sameBytes(held!, body)), "a mixture");
  },

  "what was staged is published whole, and replaces what was there": async (store) => {
    const path = aPath();
    for (const text of ["first", "second"]) {
      await stage(store, path, bytesOf(text));
      const published = await store.blobs.publish(path, "text/plain");
      assert.equal(published?.bytes, text.length);
      await assertHolds(store.blobs, "stored", path, bytesOf(text));
      const isStaged = await store.blobs.stat("staged", path) !== null;
      assert.equal(isStaged, !published.wasMoved);
    }
  },

  "where nothing is staged nothing is published": async (store) => {
    const path = aPath();
    assert.equal(await store.blobs.publish(path, TYPE), null);
    await assertHolds(store.blobs, "stored", path, null);
    await keep(store, path, BODY);
    assert.equal(await store.blobs.publish(path, TYPE), null);
    await assertHolds(store.blobs, "stored", path, BODY);
  },

  "of many that publish at once at least one does, and the object is whole": async (store) => {
    const path = aPath();
    const body = manyBytes(100_000);
    await stage(store, path, body);
    const published = await Promise.all(
      Array.from({ length: 20 }, () => store.blobs.publish(path, TYPE)),
    );
    const told = published.filter((stat) => stat !== null);
    assert.ok(told.length > 0);
    for (const { bytes } of told) assert.equal(bytes, body.length);
    await assertHolds(store.blobs, "stored", path, body);
  },

  "another process sees at once what was staged, published and removed": async (store) => {
    await using other = await store.again();
    const path = aPath();
    await stage(store, path, BODY);
    await assertHolds(other, "staged", path, BODY);
    assert.equal((await other.publish(path, TYPE))?.bytes, BODY.length);
    await assertHolds(store.blobs, "stored", path, BODY);
    await store.blobs.remove("stored", path);
    await assertHolds(other, "stored", path, null);
  },
};
