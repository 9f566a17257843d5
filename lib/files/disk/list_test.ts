import assert from "node:assert/strict";
import { FolderLister } from "./list.ts";

const anyPath = () => true;

/** Creates a project folder with files for each count. Returns the paths in order. */
async function seed(folder: string, counts: readonly number[]): Promise<string[]> {
  const paths: string[] = [];
  for (const [i, count] of counts.entries()) {
    const project = String(i).padStart(24, "0");
    await Deno.mkdir(`${folder}/${project}`);
    for (let n = 0; n < count; n++) {
      // Names whose order differs from the order of creation.
      const name = `${(n * 7919) % 1000}-${n}`;
      await Deno.writeTextFile(`${folder}/${project}/${name}`, name);
      paths.push(`${project}/${name}`);
    }
  }
  return paths.sort();
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function walk(
  lister: FolderLister,
  folder: string,
  limit: number,
  prefix = "",
): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null = null;;) {
    const page = await lister.page(`${folder}/`, { prefix, after, limit }, anyPath);
    assert.ok(page.blobs.length <= limit);
    found.push(...page.blobs.map(({ path }) => path));
    if (page.next === null) return found;
    after = page.next;
  }
}

Deno.test("page lists every file once and in order, with any cache and page size", () =>
  withFolder(async (folder) => {
    const paths = await seed(folder, [7, 0, 1, 12, 3]);
    for (const cached of [1, 2, 3, 7, 12, 1000]) {
      for (const limit of [1, 2, 3, 4, 5, 7, 22, 23, 24, 1000]) {
        assert.deepEqual(
          await walk(new FolderLister(cached), folder, limit),
          paths,
          `${cached}, ${limit}`,
        );
      }
    }
  }));

/** Counts how often folders are read. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const { readDir } = Deno;
  let count = 0;
  Deno.readDir = (path) => {
    count++;
    return readDir(path);
  };
  try {
    await work();
    return count;
  } finally {
    Deno.readDir = readDir;
  }
}

Deno.test("a walk reads the names of a project again only when the cache is used up", () =>
  withFolder(async (folder) => {
    const [path] = await seed(folder, [100]);
    const prefix = `${path!.split("/")[0]}/`;
    assert.equal(await countReads(() => walk(new FolderLister(1000), folder, 10, prefix)), 1);
    assert.equal(await countReads(() => walk(new FolderLister(1), folder, 10, prefix)), 10);
  }));

Deno.test("concurrent walks do not affect each other", () =>
  withFolder(async (folder) => {
    const paths = await seed(folder, [20, 20]);
    const lister = new FolderLister(5);
    const walks = [3, 3, 4, 7, 100].map((limit) => walk(lister, folder, limit));
    for (const found of await Promise.all(walks)) assert.deepEqual(found, paths);
  }));

Deno.test("page skips files that were removed since the previous page", () =>
  withFolder(async (folder) => {
    const paths = await seed(folder, [10]);
    const lister = new FolderLister();
    const page = (after: string | null) =>
      lister.page(`${folder}/`, { prefix: "", after, limit: 4 }, anyPath);
    const first = await page(null);
    await Deno.remove(`${folder}/${paths[5]}`);
    const second = await page(first.next);
    assert.deepEqual(second.blobs.map(({ path }) => path), [paths[4], paths[6], paths[7]]);
    assert.equal(second.next, paths[7]);
  }));

Deno.test("page returns the current files when it is read again", () =>
  withFolder(async (folder) => {
    const [first, ...others] = await seed(folder, [5]);
    const lister = new FolderLister();
    const following = async () =>
      (await lister.page(`${folder}/`, { prefix: "", after: first!, limit: 10 }, anyPath)).blobs
        .map(({ path }) => path);
    await lister.page(`${folder}/`, { prefix: "", after: null, limit: 1 }, anyPath);
    assert.deepEqual(await following(), others);
    await Deno.writeTextFile(`${folder}/${first}x`, "");
    assert.deepEqual(await following(), [`${first}x`, ...others].sort());
  }));

Deno.test("page does not use the cached names of another folder or prefix", () =>
  withFolder(async (folder) => {
    const paths = await seed(folder, [4, 4]);
    const lister = new FolderLister();
    const prefix = `${paths[0]!.split("/")[0]}/`;
    const firstPage = () => lister.page(`${folder}/`, { prefix, after: null, limit: 2 }, anyPath);
    const following = async (folder: string, prefix: string) =>
      (await lister.page(folder, { prefix, after: paths[1]!, limit: 10 }, anyPath)).blobs.length;
    await firstPage();
    assert.equal(await following(`${folder}/`, ""), 6);
    await firstPage();
    assert.equal(await following(`${folder}/elsewhere/`, prefix), 0);
    await firstPage();
    assert.equal(await following(`${folder}/`, prefix), 2);
  }));
