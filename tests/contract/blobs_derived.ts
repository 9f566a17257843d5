import assert from "node:assert/strict";
import { derivedPath } from "@/lib/files/paths.ts";
import type { BlobCases } from "./blobs.ts";
import {
  aPath,
  assertHolds,
  bytesOf,
  keep,
  manyBytes,
  newProject,
  pathIn,
} from "./blobs_fixtures.ts";

const TYPE = "image/webp";
const SMALL = bytesOf("small");

export const blobDerivedCases: BlobCases = {
  "what is made of a file lies beside it, is found by other processes, and goes alone": async (
    store,
  ) => {
    const path = aPath();
    const made = derivedPath(path, "w64-q80-webp");
    await keep(store, path, bytesOf("whole"));
    await store.blobs.keep(made, SMALL, TYPE);
    await assertHolds(store.blobs, "derived", made, SMALL);
    await assertHolds(await store.again(), "derived", made, SMALL);
    await assertHolds(store.blobs, "stored", made, null);
    await store.blobs.remove("derived", made);
    await store.blobs.remove("derived", made);
    await assertHolds(store.blobs, "derived", made, null);
    await assertHolds(store.blobs, "stored", path, bytesOf("whole"));
  },

  "of many that are kept at one path at once one is there, whole": async (store) => {
    const made = derivedPath(aPath(), "w64-q80-webp");
    const bodies = [1, 2, 3, 4].map((n) => manyBytes(100_000 * n));
    await Promise.all(bodies.map((body) => store.blobs.keep(made, body, TYPE)));
    const { bytes } = (await store.blobs.stat("derived", made))!;
    await assertHolds(store.blobs, "derived", made, bodies[bytes / 100_000 - 1]!);
    await store.blobs.keep(made, SMALL, TYPE);
    await assertHolds(store.blobs, "derived", made, SMALL);
  },

  "what is made of files is listed by itself, and files without it": async (store) => {
    const project = newProject();
    const [first, second] = ["a.png", "b.png"].map((name) => pathIn(project, name)).toSorted();
    const made = [derivedPath(first!, "w16-q80-webp"), derivedPath(second!, "h16-q80-webp")];
    await keep(store, first!, SMALL);
    await keep(store, second!, SMALL);
    for (const one of made) await store.blobs.keep(one, SMALL, TYPE);
    const listed = async (place: "stored" | "derived", prefix: string) => {
      const page = { prefix, after: null, limit: 10 };
      return (await store.blobs.list(place, page)).blobs.map(({ path }) => path);
    };
    for (const prefix of ["", `${project}/`]) {
      assert.deepEqual(await listed("derived", prefix), made);
      assert.deepEqual(await listed("stored", prefix), [first, second]);
    }
    assert.deepEqual(await listed("derived", `${newProject()}/`), []);
  },

  "a path that is none of something that was made of a file throws": async ({ blobs }) => {
    const path = pathIn(newProject(), "a");
    const wrong = [
      path,
      `${path}.`,
      `${path}.W64`,
      `${path}.a b`,
      `${path}.${"a".repeat(41)}`,
      `x/${path}.a`,
    ];
    for (const one of wrong) await assert.rejects(blobs.keep(one, SMALL, TYPE), TypeError, one);
  },
};
