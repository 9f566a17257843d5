import assert from "node:assert/strict";
import type { BlobCases, BlobStore } from "./blobs.ts";
import {
  aPath,
  assertHolds,
  bytesOf,
  newProject,
  pathIn,
  putStaged,
  putStored,
  TYPE,
} from "./blobs_fixtures.ts";

const BODY = bytesOf("for some");

/** Stores an object only in the private place. */
async function putPrivate(store: BlobStore, path: string): Promise<void> {
  await putStaged(store, path, BODY);
  assert.equal((await store.blobs.publish(path, TYPE, "private"))?.bytes, BODY.length);
  await store.blobs.remove("staged", path);
}

export const blobPrivateCases: BlobCases = {
  "a privately published object is only in the private place, and is removed alone": async (
    store,
  ) => {
    const path = aPath();
    await putPrivate(store, path);
    await assertHolds(store.blobs, "private", path, BODY);
    await assertHolds(store.blobs, "stored", path, null);
    await assertHolds(await store.again(), "private", path, BODY);
    await store.blobs.remove("stored", path);
    await assertHolds(store.blobs, "private", path, BODY);
    await store.blobs.remove("private", path);
    await assertHolds(store.blobs, "private", path, null);
  },

  "a file can be copied between the public and private place, repeatedly": async (
    store,
  ) => {
    const [shown, hidden] = [aPath(), aPath()];
    await putStored(store, shown, BODY);
    await putPrivate(store, hidden);
    for (const [path, place] of [[shown, "private"], [hidden, "stored"]] as const) {
      for (let i = 0; i < 2; i++) {
        assert.deepEqual(await store.blobs.copy(path, TYPE, place), { bytes: BODY.length });
        await assertHolds(store.blobs, "stored", path, BODY);
        await assertHolds(store.blobs, "private", path, BODY);
      }
      await store.blobs.remove(place === "stored" ? "private" : "stored", path);
      await assertHolds(store.blobs, place, path, BODY);
    }
    for (const place of ["stored", "private"] as const) {
      assert.equal(await store.blobs.copy(aPath(), TYPE, place), null);
    }
  },

  "private and public files are listed separately": async (store) => {
    const project = newProject();
    const paths = ["a", "b", "c", "d"].map((name) => pathIn(project, name)).toSorted();
    const [first, second, ...others] = paths;
    await putStored(store, first!, BODY);
    await putPrivate(store, second!);
    for (const path of others) await putStored(store, path, BODY);
    const listed = async (place: "stored" | "private") => {
      const page = { prefix: "", after: null, limit: 10 };
      return (await store.blobs.list(place, page)).blobs.map(({ path }) => path);
    };
    assert.deepEqual(await listed("private"), [second]);
    assert.deepEqual(await listed("stored"), [first, ...others]);
  },

  "an address for reading is absolute and contains no secret of the store": async (store) => {
    const path = aPath();
    for (const place of ["stored", "private"] as const) {
      const expiresAt = store.now() + 60_000;
      const address = await store.blobs.signReading({ place, path, expiresAt });
      assert.match(new URL(address).protocol, /^https?:$/);
      assert.ok(address.includes(path.slice(0, 24)));
      for (const secret of store.secrets) assert.ok(!address.includes(secret));
    }
  },
};
