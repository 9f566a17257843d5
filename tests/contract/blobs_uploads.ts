import assert from "node:assert/strict";
import type { BlobCases, BlobStore } from "./blobs.ts";
import {
  addressFor,
  aPath,
  assertHolds,
  bytesOf,
  contents,
  manyBytes,
  newProject,
  pathIn,
  putStaged,
  putStored,
  sameBytes,
  TYPE,
  uploadOf,
} from "./blobs_fixtures.ts";

const BODY = bytesOf("what was asked for");

/** Fails unless a body sent to an address for {@linkcode BODY} is refused without effects. */
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

const unchangedAddress = (address: string) => address;

const streamOf = (...chunks: Uint8Array[]): ReadableStream<Uint8Array> =>
  ReadableStream.from(chunks);

export const blobUploadCases: BlobCases = {
  "bytes put to a signed address are staged exactly, and not stored": async (store) => {
    const body = manyBytes(300_001);
    const path = aPath();
    await putStaged(store, path, body);
    await assertHolds(store.blobs, "staged", path, body);
    await assertHolds(store.blobs, "stored", path, null);
  },

  "an address works for the longest valid path": async (store) => {
    const path = pathIn(newProject(), `${"x".repeat(300)}.tar.gz`);
    await putStored(store, path, BODY);
    await assertHolds(store.blobs, "stored", path, BODY);
  },

  "an address is absolute and contains no secret of the store": async (store) => {
    const address = await store.blobs.signUpload(uploadOf(store, aPath(), 1));
    assert.match(new URL(address).protocol, /^https?:$/);
    for (const secret of store.secrets) assert.ok(!address.includes(secret));
  },

  "a body that is a byte too short is refused": (store) =>
    assertRefused(store, unchangedAddress, { body: BODY.slice(1) }),

  "a body that is a byte too long is refused": (store) =>
    assertRefused(store, unchangedAddress, { body: bytesOf("what was asked for!") }),

  "an empty body is refused": (store) =>
    assertRefused(store, unchangedAddress, { body: bytesOf("") }),

  "another content type is refused": (store) =>
    assertRefused(store, unchangedAddress, { contentType: "text/html" }),

  "a content type with a parameter that was not signed is refused": (store) =>
    assertRefused(store, unchangedAddress, { contentType: `${TYPE};charset=utf-8` }),

  "a body without a length cannot bypass the signed length": async (store) => {
    await assertRefused(store, unchangedAddress, { body: streamOf(BODY, bytesOf("!")) });
    await assertRefused(store, unchangedAddress, { body: streamOf(BODY.slice(1)) });
  },

  "a changed address is refused": async (store) => {
    const middle = (address: string) => Math.floor((address.length + address.indexOf("/", 8)) / 2);
    await assertRefused(store, (address) => {
      const at = middle(address);
      return address.slice(0, at) + (address[at] === "A" ? "B" : "A") + address.slice(at + 1);
    });
    await assertRefused(store, (address) => address.slice(0, -1));
    await assertRefused(store, (address) => `${address}A`);
  },

  "an expired address is refused": async (store) => {
    const path = aPath();
    const upload = uploadOf(store, path, BODY.length);
    await store.expect(upload);
    const address = await store.blobs.signUpload({ ...upload, expiresAt: store.now() - 1000 });
    const status = await store.put(address, { body: BODY, contentType: TYPE });
    assert.ok(status >= 400 && status < 500, `answered ${status}`);
    await assertHolds(store.blobs, "staged", path, null);
  },

  "an address can be reused before the upload is published, and the last body counts": async (
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

  "after concurrent uploads to a path one of them is staged completely": async (store) => {
    const path = aPath();
    const bodies = [1, 2, 3].map((byte) => new Uint8Array(200_000).fill(byte));
    const address = await addressFor(store, uploadOf(store, path, 200_000));
    const statuses = await Promise.all(
      bodies.map((body) => store.put(address, { body, contentType: TYPE })),
    );
    assert.ok(statuses.includes(200), statuses.join());
    const stored = await contents(store.blobs, "staged", path);
    assert.ok(bodies.some((body) => sameBytes(stored!, body)), "a mixture");
  },

  "publishing moves the complete staged object and replaces an existing one": async (store) => {
    const path = aPath();
    for (const text of ["first", "second"]) {
      await putStaged(store, path, bytesOf(text));
      const published = await store.blobs.publish(path, "text/plain");
      assert.equal(published?.bytes, text.length);
      await assertHolds(store.blobs, "stored", path, bytesOf(text));
      const isStaged = await store.blobs.stat("staged", path) !== null;
      assert.equal(isStaged, !published.wasMoved);
    }
  },

  "publish does nothing without a staged object": async (store) => {
    const path = aPath();
    assert.equal(await store.blobs.publish(path, TYPE), null);
    await assertHolds(store.blobs, "stored", path, null);
    await putStored(store, path, BODY);
    assert.equal(await store.blobs.publish(path, TYPE), null);
    await assertHolds(store.blobs, "stored", path, BODY);
  },

  "of concurrent publish calls at least one succeeds, and the object is complete": async (
    store,
  ) => {
    const path = aPath();
    const body = manyBytes(100_000);
    await putStaged(store, path, body);
    const published = await Promise.all(
      Array.from({ length: 20 }, () => store.blobs.publish(path, TYPE)),
    );
    const successful = published.filter((stat) => stat !== null);
    assert.ok(successful.length > 0);
    for (const { bytes } of successful) assert.equal(bytes, body.length);
    await assertHolds(store.blobs, "stored", path, body);
  },

  "another process sees staged, published and removed objects immediately": async (store) => {
    await using other = await store.again();
    const path = aPath();
    await putStaged(store, path, BODY);
    await assertHolds(other, "staged", path, BODY);
    assert.equal((await other.publish(path, TYPE))?.bytes, BODY.length);
    await assertHolds(store.blobs, "stored", path, BODY);
    await store.blobs.remove("stored", path);
    await assertHolds(other, "stored", path, null);
  },
};
