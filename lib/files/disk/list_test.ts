import assert from "node:assert/strict";
import { Lister } from "./list.ts";

const anyPath = () => true;

/** Folders of projects with so many files each; resolves to the paths in order. */
async function seeded(folder: string, counts: readonly number[]): Promise<string[]> {
  const paths: string[] = [];
  for (const [i, count] of counts.entries()) {
    const project = String(i).padStart(24, "0");
    await Deno.mkdir(`${folder}/${project}`);
    for (let n = 0; n < count; n++) {
      // Not in the order in which they are made.
      const name = `${(n * 7919) % 1000}-${n}`;
      await Deno.writeTextFile(`${folder}/${project}/${name}`, name);
      paths.push(`${project}/${name}`);
    }
  }
  return paths.sort();
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function walk(lister: Lister, folder: string, limit: number, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null = null;;) {
    const page = await lister.page(`${folder}/`, { prefix, after, limit }, anyPath);
    assert.ok(page.blobs.length <= limit);
    found.push(...page.blobs.map(({ path }) => path));
    if (page.next === null) return found;
    after = page.next;
  }
}

Deno.test("however many names are kept and answered, every file is listed once and in order", () =>
  inFolder(async (folder) => {
    const paths = await seeded(folder, [7, 0, 1, 12, 3]);
    for (const kept of [1, 2, 3, 7, 12, 1000]) {
      for (const limit of [1, 2, 3, 4, 5, 7, 22, 23, 24, 1000]) {
        assert.deepEqual(await walk(new Lister(kept), folder, limit), paths, `${kept}, ${limit}`);
      }
    }
  }));

/** Counts how often folders are read. */
async function reads(work: () => Promise<unknown>): Promise<number> {
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

Deno.test("a walk reads the names of a project once for as many pages as are kept", () =>
  inFolder(async (folder) => {
    const [path] = await seeded(folder, [100]);
    const prefix = `${path!.split("/")[0]}/`;
    assert.equal(await reads(() => walk(new Lister(1000), folder, 10, prefix)), 1);
    assert.equal(await reads(() => walk(new Lister(1), folder, 10, prefix)), 10);
  }));

Deno.test("walks at once do not disturb each other", () =>
  inFolder(async (folder) => {
    const paths = await seeded(folder, [20, 20]);
    const lister = new Lister(5);
    const walks = [3, 3, 4, 7, 100].map((limit) => walk(lister, folder, limit));
    for (const found of await Promise.all(walks)) assert.deepEqual(found, paths);
  }));

Deno.test("what is removed between two pages is not listed, what stays is", () =>
  inFolder(async (folder) => {
    const paths = await seeded(folder, [10]);
    const lister = new Lister();
    const page = (after: string | null) =>
      lister.page(`${folder}/`, { prefix: "", after, limit: 4 }, anyPath);
    const first = await page(null);
    await Deno.remove(`${folder}/${paths[5]}`);
    const second = await page(first.next);
    assert.deepEqual(second.blobs.map(({ path }) => path), [paths[4], paths[6], paths[7]]);
    assert.equal(second.next, paths[7]);
  }));

Deno.test("a page that is read again shows the present state", () =>
  inFolder(async (folder) => {
    const [first, ...others] = await seeded(folder, [5]);
    const lister = new Lister();
    const behind = async () =>
      (await lister.page(`${folder}/`, { prefix: "", after: first!, limit: 10 }, anyPath)).blobs
        .map(({ path }) => path);
    await lister.page(`${folder}/`, { prefix: "", after: null, limit: 1 }, anyPath);
    assert.deepEqual(await behind(), others);
    await Deno.writeTextFile(`${folder}/${first}x`, "");
    assert.deepEqual(await behind(), [`${first}x`, ...others].sort());
  }));

Deno.test("what one list has left is not taken for another's: of a project, a folder or all", () =>
  inFolder(async (folder) => {
    const paths = await seeded(folder, [4, 4]);
    const lister = new Lister();
    const prefix = `${paths[0]!.split("/")[0]}/`;
    const ofOne = () => lister.page(`${folder}/`, { prefix, after: null, limit: 2 }, anyPath);
    const behind = async (place: string, prefix: string) =>
      (await lister.page(place, { prefix, after: paths[1]!, limit: 10 }, anyPath)).blobs.length;
    await ofOne();
    assert.equal(await behind(`${folder}/`, ""), 6);
    await ofOne();
    assert.equal(await behind(`${folder}/elsewhere/`, prefix), 0);
    await ofOne();
    assert.equal(await behind(`${folder}/`, prefix), 2);
  }));
