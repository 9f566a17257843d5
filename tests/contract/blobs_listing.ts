import assert from "node:assert/strict";
import type { Blobs, ListedBlob, Place } from "@/lib/files/blobs.ts";
import type { Id } from "@/lib/store/port.ts";
import type { BlobCases, BlobStore } from "./blobs.ts";
import { bytesOf, keep, newProject, pathIn, stage } from "./blobs_fixtures.ts";

/** All pages of a place, one after the other. */
async function walk(
  blobs: Blobs,
  place: Place,
  { prefix = "", limit }: { prefix?: string; limit: number },
): Promise<ListedBlob[]> {
  const found: ListedBlob[] = [];
  for (let after: string | null = null;;) {
    const page = await blobs.list(place, { prefix, after, limit });
    assert.ok(page.blobs.length <= limit, `${page.blobs.length} on a page of ${limit}`);
    found.push(...page.blobs);
    if (page.next === null) return found;
    assert.ok(after === null || page.next > after, "a walk goes on");
    after = page.next;
  }
}

const pathsOf = (blobs: readonly ListedBlob[]) => blobs.map(({ path }) => path);

/** Objects of three projects; resolves to their paths in order. */
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
    const { paths } = await seed(store, keep);
    for (const limit of [1, 2, 3, 4, 5, 11, 12, 13, 1000]) {
      assert.deepEqual(pathsOf(await walk(store.blobs, "stored", { limit })), paths, `${limit}`);
    }
  },

  "a prefix lists one project alone": async (store) => {
    const { projects, paths } = await seed(store, keep);
    for (const id of [...projects, newProject()]) {
      const expected = paths.filter((path) => path.startsWith(id));
      for (const limit of [1, 2, 4, 1000]) {
        const found = await walk(store.blobs, "stored", { prefix: `${id}/`, limit });
        assert.deepEqual(pathsOf(found), expected);
      }
    }
  },

  "what is staged and what is stored are listed apart": async (store) => {
    const staged = await seed(store, stage);
    const stored = await seed(store, keep);
    const all = (place: Place) => walk(store.blobs, place, { limit: 4 });
    assert.deepEqual(pathsOf(await all("staged")), staged.paths);
    assert.deepEqual(pathsOf(await all("stored")), stored.paths);
    assert.deepEqual(await all("partial"), []);
    const prefix = `${staged.projects[0]}/`;
    assert.deepEqual(await walk(store.blobs, "stored", { prefix, limit: 10 }), []);
  },

  "a listed object tells its length and when it was written": async (store) => {
    const before = Date.now();
    const path = pathIn(newProject());
    await keep(store, path, bytesOf("0123456789"));
    const [listed] = await walk(store.blobs, "stored", { limit: 10 });
    assert.equal(listed!.path, path);
    assert.equal(listed!.bytes, 10);
    // Stores keep whole seconds, and clocks of others differ.
    const error = Math.abs(listed!.writtenAt - before);
    assert.ok(error < 60_000, `written ${error} ms from now`);
  },

  "a page begins behind a path that is not there too": async (store) => {
    const { paths } = await seed(store, keep);
    await store.blobs.remove("stored", paths[4]!);
    const { blobs } = await store.blobs.list("stored", { prefix: "", after: paths[4]!, limit: 3 });
    assert.deepEqual(pathsOf(blobs), paths.slice(5, 8));
  },

  "an object that is there all along is in the walk, whatever else comes and goes": async (
    store,
  ) => {
    const project = newProject();
    const kept = Array.from({ length: 6 }, () => pathIn(project));
    for (const path of kept) await keep(store, path, bytesOf("kept"));
    const found: string[] = [];
    let passing: string | null = null;
    for (let after: string | null = null;;) {
      const page = await store.blobs.list("stored", { prefix: `${project}/`, after, limit: 2 });
      found.push(...pathsOf(page.blobs));
      if (page.next === null) break;
      after = page.next;
      if (passing !== null) await store.blobs.remove("stored", passing);
      await keep(store, passing = pathIn(project), bytesOf("passing"));
    }
    assert.deepEqual(found.filter((path) => kept.includes(path)), kept.toSorted());
  },

  "an empty store lists nothing": async ({ blobs }) => {
    for (const place of ["partial", "staged", "stored"] as const) {
      const page = { prefix: "", after: null, limit: 1000 };
      assert.deepEqual(await blobs.list(place, page), { blobs: [], next: null });
    }
  },

  "a prefix of another form throws": async ({ blobs }) => {
    for (const prefix of ["/", "a", "../", newProject(), `${newProject()}/a`, "_incoming/"]) {
      const page = { prefix, after: null, limit: 10 };
      await assert.rejects(blobs.list("stored", page), TypeError, prefix);
    }
  },
};
