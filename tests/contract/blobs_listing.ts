import assert from "node:assert/strict";
import type { BlobPlace, Blobs, ListedBlob } from "@/lib/files/blobs.ts";
import type { Id } from "@/lib/store/port.ts";
import type { BlobCases, BlobStore } from "./blobs.ts";
import { bytesOf, newProject, pathIn, putStaged, putStored } from "./blobs_fixtures.ts";

async function walk(
  blobs: Blobs,
  place: BlobPlace,
  { prefix = "", limit }: { prefix?: string; limit: number },
): Promise<ListedBlob[]> {
  const found: ListedBlob[] = [];
  for (let after: string | null = null;;) {
    const page = await blobs.list(place, { prefix, after, limit });
    assert.ok(page.blobs.length <= limit, `${page.blobs.length} on a page of ${limit}`);
    found.push(...page.blobs);
    if (page.next === null) return found;
    assert.ok(after === null || page.next > after, "pages advance");
    after = page.next;
  }
}

const pathsOf = (blobs: readonly ListedBlob[]) => blobs.map(({ path }) => path);

/** Stores objects of three projects. Resolves to their paths in order. */
async function seed(
  store: BlobStore,
  put: (store: BlobStore, path: string, body: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<{ projects: Id[]; paths: string[] }> {
  const projects = [newProject(), newProject(), newProject()];
  const paths = projects.flatMap((id, i) =>
    Array.from({ length: i + 3 }, () => pathIn(id, `${i}.txt`))
  );
  for (const path of paths) await put(store, path, bytesOf(path));
  return { projects, paths: paths.toSorted() };
}

export const blobListingCases: BlobCases = {
  "pages of any length list every object once, in the order of their paths": async (store) => {
    const { paths } = await seed(store, putStored);
    for (const limit of [1, 2, 3, 4, 5, 11, 12, 13, 1000]) {
      assert.deepEqual(pathsOf(await walk(store.blobs, "stored", { limit })), paths, `${limit}`);
    }
  },

  "a prefix lists only one project": async (store) => {
    const { projects, paths } = await seed(store, putStored);
    for (const id of [...projects, newProject()]) {
      const expected = paths.filter((path) => path.startsWith(id));
      for (const limit of [1, 2, 4, 1000]) {
        const found = await walk(store.blobs, "stored", { prefix: `${id}/`, limit });
        assert.deepEqual(pathsOf(found), expected);
      }
    }
  },

  "staged and stored objects are listed separately": async (store) => {
    const staged = await seed(store, putStaged);
    const stored = await seed(store, putStored);
    const all = (place: BlobPlace) => walk(store.blobs, place, { limit: 4 });
    assert.deepEqual(pathsOf(await all("staged")), staged.paths);
    assert.deepEqual(pathsOf(await all("stored")), stored.paths);
    assert.deepEqual(await all("partial"), []);
    const prefix = `${staged.projects[0]}/`;
    assert.deepEqual(await walk(store.blobs, "stored", { prefix, limit: 10 }), []);
  },

  "a listed object has its length and the time of its last write": async (store) => {
    const before = Date.now();
    const path = pathIn(newProject());
    await putStored(store, path, bytesOf("0123456789"));
    const [listed] = await walk(store.blobs, "stored", { limit: 10 });
    assert.equal(listed!.path, path);
    assert.equal(listed!.bytes, 10);
    // Stores round to seconds, and the clocks of other machines differ.
    const error = Math.abs(listed!.writtenAt - before);
    assert.ok(error < 60_000, `written ${error} ms from now`);
  },

  "a page begins after a path even if no object has that path": async (store) => {
    const { paths } = await seed(store, putStored);
    await store.blobs.remove("stored", paths[4]!);
    const { blobs } = await store.blobs.list("stored", { prefix: "", after: paths[4]!, limit: 3 });
    assert.deepEqual(pathsOf(blobs), paths.slice(5, 8));
  },

  "an object that exists all the time is listed once, whatever else changes": async (
    store,
  ) => {
    const project = newProject();
    const kept = Array.from({ length: 6 }, () => pathIn(project));
    for (const path of kept) await putStored(store, path, bytesOf("kept"));
    const found: string[] = [];
    let passing: string | null = null;
    for (let after: string | null = null;;) {
      const page = await store.blobs.list("stored", { prefix: `${project}/`, after, limit: 2 });
      found.push(...pathsOf(page.blobs));
      if (page.next === null) break;
      after = page.next;
      if (passing !== null) await store.blobs.remove("stored", passing);
      await putStored(store, passing = pathIn(project), bytesOf("passing"));
    }
    assert.deepEqual(found.filter((path) => kept.includes(path)), kept.toSorted());
  },

  "an empty store lists nothing": async ({ blobs }) => {
    for (const place of ["partial", "staged", "stored"] as const) {
      const page = { prefix: "", after: null, limit: 1000 };
      assert.deepEqual(await blobs.list(place, page), { blobs: [], next: null });
    }
  },

  "a malformed prefix throws": async ({ blobs }) => {
    for (const prefix of ["/", "a", "../", newProject(), `${newProject()}/a`, "_incoming/"]) {
      const page = { prefix, after: null, limit: 10 };
      await assert.rejects(blobs.list("stored", page), TypeError, prefix);
    }
  },
};
