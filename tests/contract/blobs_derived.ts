import assert from "node:assert/strict";
import { derivedPath } from "@/lib/files/paths.ts";
import type { BlobCases } from "./blobs.ts";
import {
  aPath,
  assertHolds,
  bytesOf,
  manyBytes,
  newProject,
  pathIn,
  putStored,
} from "./blobs_fixtures.ts";

const TYPE = "image/webp";
const SMALL = bytesOf("small");

export const blobDerivedCases: BlobCases = {
  "a derived file is stored next to its file, seen by other processes, and removed alone": async (
    store,
  ) => {
    const path = aPath();
    const derived = derivedPath(path, "w64-q80-webp");
    await putStored(store, path, bytesOf("whole"));
    await store.blobs.putDerived(derived, SMALL, TYPE);
    await assertHolds(store.blobs, "derived", derived, SMALL);
    await assertHolds(await store.again(), "derived", derived, SMALL);
    await assertHolds(store.blobs, "stored", derived, null);
    await store.blobs.remove("derived", derived);
    await store.blobs.remove("derived", derived);
    await assertHolds(store.blobs, "derived", derived, null);
    await assertHolds(store.blobs, "stored", path, bytesOf("whole"));
  },

  "after concurrent writes of a derived file one of them is stored completely": async (store) => {
    const derived = derivedPath(aPath(), "w64-q80-webp");
    const bodies = [1, 2, 3, 4].map((n) => manyBytes(100_000 * n));
    await Promise.all(bodies.map((body) => store.blobs.putDerived(derived, body, TYPE)));
    const { bytes } = (await store.blobs.stat("derived", derived))!;
    await assertHolds(store.blobs, "derived", derived, bodies[bytes / 100_000 - 1]!);
    await store.blobs.putDerived(derived, SMALL, TYPE);
    await assertHolds(store.blobs, "derived", derived, SMALL);
  },

  "derived files are listed separately from files": async (store) => {
    const project = newProject();
    const [first, second] = ["a.png", "b.png"].map((name) => pathIn(project, name)).toSorted();
    const derived = [derivedPath(first!, "w16-q80-webp"), derivedPath(second!, "h16-q80-webp")];
    await putStored(store, first!, SMALL);
    await putStored(store, second!, SMALL);
    for (const one of derived) await store.blobs.putDerived(one, SMALL, TYPE);
    const listed = async (place: "stored" | "derived", prefix: string) => {
      const page = { prefix, after: null, limit: 10 };
      return (await store.blobs.list(place, page)).blobs.map(({ path }) => path);
    };
    for (const prefix of ["", `${project}/`]) {
      assert.deepEqual(await listed("derived", prefix), derived);
      assert.deepEqual(await listed("stored", prefix), [first, second]);
    }
    assert.deepEqual(await listed("derived", `${newProject()}/`), []);
  },

  "a path that is not that of a derived file throws": async ({ blobs }) => {
    const path = pathIn(newProject(), "a");
    const wrong = [
      path,
      `${path}.`,
      `${path}.W64`,
      `${path}.a b`,
      `${path}.${"a".repeat(41)}`,
      `x/${path}.a`,
    ];
    for (const one of wrong) {
      await assert.rejects(blobs.putDerived(one, SMALL, TYPE), TypeError, one);
    }
  },
};
