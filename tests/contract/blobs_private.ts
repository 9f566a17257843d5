import assert from "node:assert/strict";
import type { BlobCases, BlobStore } from "./blobs.ts";
import {
  aPath,
  assertHolds,
  bytesOf,
  keep,
  newProject,
  pathIn,
  stage,
  TYPE,
} from "./blobs_fixtures.ts";

const BODY = bytesOf("for some");

/** Puts an object in the private place, and nowhere else. */
async function hide(store: BlobStore, path: string): Promise<void> {
  await stage(store, path, BODY);
  assert.equal((await store.blobs.publish(path, TYPE, "private"))?.bytes, BODY.length);
  await store.blobs.remove("staged", path);
}

export const blobPrivateCases: BlobCases = {
  "what is published as private lies there alone, and goes alone": async (store) => {
    const path = aPath();
    await hide(store, path);
    await assertHolds(store.blobs, "private", path, BODY);
    await assertHolds(store.blobs, "stored", path, null);
    await assertHolds(await store.again(), "private", path, BODY);
    await store.blobs.remove("stored", path);
    await assertHolds(store.blobs, "private", path, BODY);
    await store.blobs.remove("private", path);
    await assertHolds(store.blobs, "private", path, null);
  },

  "a file is copied from either place to the other and stays, also when it is copied again": async (
    store,
  ) => {
    const [shown, hidden] = [aPath(), aPath()];
    await keep(store, shown, BODY);
    await hide(store, hidden);
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

  "private files are listed by themselves, and those of everybody without them": async (store) => {
    const project = newProject();
    const paths = ["a", "b", "c", "d"].map((name) => pathIn(project, name)).toSorted();
    const [first, second, ...others] = paths;
    await keep(store, first!, BODY);
    await hide(store, second!);
    for (const path of others) await keep(store, path, BODY);
    const listed = async (place: "stored" | "private") => {
      const page = { prefix: "", after: null, limit: 10 };
      return (await store.blobs.list(place, page)).blobs.map(({ path }) => path);
    };
    assert.deepEqual(await listed("private"), [second]);
    assert.deepEqual(await listed("stored"), [first, ...others]);
  },

  "an address that reads a file is absolute and tells no secret of the store": async (store) => {
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
