/** Guarantees of the disk driver beyond the port: its folder, its order of writes, its limits. */

import assert from "node:assert/strict";
import { DiskBlobs } from "@/lib/files/disk/blobs.ts";
import { UPLOADS_AT_ONCE_MAX } from "@/lib/limits.ts";
import { assertHolds, bytesOf, contents, newProject, pathIn } from "./blobs_fixtures.ts";

async function onDisk(work: (blobs: DiskBlobs, folder: string) => Promise<void>): Promise<void> {
  const around = await Deno.makeTempDir({ prefix: "corbel_contract_" });
  const folder = `${around}/deep/er`;
  try {
    const filesUrl = "http://files.test";
    await using blobs = new DiskBlobs({
      folder: `${folder}/`,
      filesUrl,
      addressOf: () => "",
      signatureOf: () => "",
    });
    await work(blobs, folder);
  } finally {
    await Deno.remove(around, { recursive: true });
  }
}

async function stage(blobs: DiskBlobs, path: string, text: string): Promise<void> {
  await using incoming = (await blobs.receive(path, () => {}))!;
  incoming.write(bytesOf(text));
  await incoming.stage();
}

const names = async (blobs: DiskBlobs, place: "partial" | "staged" | "stored") =>
  (await blobs.list(place, { prefix: "", after: null, limit: 1000 })).blobs.map(({ path }) => path);

const aPath = () => pathIn(newProject());

Deno.test("the folder is created by the first upload, readable only by its owner", () =>
  onDisk(async (blobs, folder) => {
    const path = aPath();
    await blobs.ping();
    await blobs.stat("stored", path);
    await blobs.read("stored", path);
    await blobs.remove("stored", path);
    await names(blobs, "stored");
    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound);
    await stage(blobs, path, "text");
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    assert.equal((await Deno.stat(`${folder}/_incoming/${path}`)).mode! & 0o777, 0o600);
    await blobs.ping();
    assert.deepEqual([...Deno.readDirSync(`${folder}/_partial`)].map(({ name }) => name), [
      path.split("/")[0],
    ]);
  }));

Deno.test("an upload in progress is listed as partial, and is removed with its scope", () =>
  onDisk(async (blobs) => {
    const path = aPath();
    {
      await using incoming = (await blobs.receive(path, () => {}))!;
      incoming.write(bytesOf("half"));
      const [partial, ...others] = await names(blobs, "partial");
      assert.ok(partial!.startsWith(`${path}.`));
      assert.deepEqual(others, []);
      await assertHolds(blobs, "partial", partial!, bytesOf("half"));
      assert.deepEqual(await names(blobs, "staged"), []);
    }
    assert.deepEqual(await names(blobs, "partial"), []);
    assert.equal(await contents(blobs, "staged", path), null);
  }));

Deno.test("publish moves a staged object, unless it is uploaded again in the meantime", () =>
  onDisk(async (blobs) => {
    const path = aPath();
    await stage(blobs, path, "first");
    {
      await using incoming = (await blobs.receive(path, () => {}))!;
      assert.deepEqual(await blobs.publish(path, "text/plain"), { bytes: 5, wasMoved: false });
      await incoming.stage();
    }
    await stage(blobs, path, "second");
    assert.deepEqual(await blobs.publish(path, "text/plain"), { bytes: 6, wasMoved: true });
    assert.deepEqual(await names(blobs, "staged"), []);
  }));

Deno.test("a partial object of a killed process can be removed", () =>
  onDisk(async (blobs, folder) => {
    const path = aPath();
    await stage(blobs, path, "text");
    const left = `${path}.${"x".repeat(16)}`;
    await Deno.writeTextFile(`${folder}/_partial/${left}`, "left by a process that was killed");
    assert.deepEqual(await names(blobs, "partial"), [left]);
    await blobs.remove("partial", left);
    assert.deepEqual(await names(blobs, "partial"), []);
    await assert.rejects(blobs.remove("partial", path), TypeError);
  }));

Deno.test("a folder that is removed under a running process is created again", () =>
  onDisk(async (blobs, folder) => {
    const path = aPath();
    await stage(blobs, path, "one");
    await Deno.remove(folder, { recursive: true });
    await stage(blobs, path, "two");
    await Deno.remove(`${folder}/${path.split("/")[0]}`, { recursive: true }).catch(() => {});
    assert.deepEqual(await blobs.publish(path, "text/plain"), { bytes: 3, wasMoved: true });
    await assertHolds(blobs, "stored", path, bytesOf("two"));
  }));

Deno.test("foreign files in the folder are not objects", () =>
  onDisk(async (blobs, folder) => {
    const path = aPath();
    await stage(blobs, path, "text");
    await blobs.publish(path, "text/plain");
    const project = path.split("/")[0];
    const strange = ["lost+found/x", ".DS_Store", "note.txt", `${project}/note.txt`, "_other/x"];
    for (const name of [...strange, `${project!.toUpperCase()}/${path.split("/")[1]}`]) {
      await Deno.mkdir(`${folder}/${name}`.replace(/[^/]+$/, ""), { recursive: true });
      await Deno.writeTextFile(`${folder}/${name}`, "strange");
    }
    assert.deepEqual(await names(blobs, "stored"), [path]);
    assert.deepEqual(await names(blobs, "staged"), []);
  }));

Deno.test("uploads to a path are limited, and each that ends frees its place", () =>
  onDisk(async (blobs) => {
    const path = aPath();
    await using stack = new AsyncDisposableStack();
    for (let i = 0; i < UPLOADS_AT_ONCE_MAX; i++) stack.use((await blobs.receive(path, () => {}))!);
    assert.equal(await blobs.receive(path, () => {}), null);
    await stage(blobs, aPath(), "another path");
    await stack.disposeAsync();
    await stage(blobs, path, "text");
  }));

Deno.test("an upload that cannot begin takes no place", () =>
  onDisk(async (blobs, folder) => {
    const path = aPath();
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/_partial`, "in the way");
    for (let i = 0; i <= UPLOADS_AT_ONCE_MAX; i++) {
      await assert.rejects(blobs.receive(path, () => {}), { name: "BlobsUnavailable" });
    }
    await Deno.remove(`${folder}/_partial`);
    await stage(blobs, path, "text");
  }));

Deno.test("the body of an object with an unexpected length is null", () =>
  onDisk(async (blobs) => {
    const path = aPath();
    await stage(blobs, path, "0123456789");
    await blobs.publish(path, "text/plain");
    for (const range of [null, { offset: 1, length: 2 }]) {
      assert.equal(await blobs.open("stored", path, 9, range), null);
      assert.equal(await blobs.open("stored", path, 70_000, range), null);
      assert.notEqual(await blobs.open("stored", path, 10, range), null);
    }
    assert.equal(await blobs.open("stored", aPath(), 10, null), null);
  }));

/** Records writes to the disk in their order. Names are cut before their random part. */
async function recordWrites(around: string, work: () => Promise<unknown>): Promise<string[]> {
  const { open, rename } = Deno;
  const steps: string[] = [];
  const short = (path: unknown) => String(path).slice(around.length).replace(/\/[^/]{30,}$/, "/*");
  Deno.open = async (path, options) => {
    const file = await open(path, options);
    for (const name of ["sync", "syncData"] as const) {
      const real = file[name].bind(file);
      file[name] = async () => {
        await real();
        steps.push(`${name} ${short(path)}`);
      };
    }
    return file;
  };
  Deno.rename = async (from, to) => {
    await rename(from, to);
    steps.push(`rename ${short(from)} ${short(to)}`);
  };
  try {
    await work();
    return steps;
  } finally {
    Object.assign(Deno, { open, rename });
  }
}

Deno.test("bytes are synced before they are renamed, and the rename before it is reported", () =>
  onDisk(async (blobs, folder) => {
    const project = "0".repeat(24);
    const [first, second] = ["a.txt", "b.txt"].map((name) => pathIn(project, name));
    const [around, own] = [folder.replace(/\/deep\/er$/, ""), "/deep/er"];
    const written = [
      `rename ${own}/_partial/${project}/* ${own}/_incoming/${project}/*`,
      `sync ${own}/_incoming/${project}`,
    ];
    assert.deepEqual(await recordWrites(around, () => stage(blobs, first!, "text")), [
      "sync ",
      "sync /deep",
      `sync ${own}`,
      `sync ${own}/_partial`,
      `syncData ${own}/_partial/${project}/*`,
      `sync ${own}`,
      `sync ${own}/_incoming`,
      ...written,
    ]);
    const again = [`syncData ${own}/_partial/${project}/*`, ...written];
    assert.deepEqual(await recordWrites(around, () => stage(blobs, second!, "text")), again);
    assert.deepEqual(await recordWrites(around, () => blobs.publish(second!, "text/plain")), [
      `sync ${own}`,
      `rename ${own}/_incoming/${project}/* ${own}/${project}/*`,
      `sync ${own}/${project}`,
    ]);
    const removed = () => recordWrites(around, () => blobs.remove("stored", second!));
    assert.deepEqual(await removed(), [`sync ${own}/${project}`]);
    assert.deepEqual(await removed(), [], "there was no object");
  }));

Deno.test("a rename is reported after a sync that began after it, which renames share", () =>
  onDisk(async (blobs, folder) => {
    const project = newProject();
    const [first, ...others] = Array.from({ length: 30 }, () => pathIn(project));
    for (const path of [first!, ...others]) await stage(blobs, path, "text");
    const { open, rename } = Deno;
    /** Names that existed when a completed sync began. */
    const syncedNames = new Set<string>();
    const existing = new Set<string>();
    const [syncStarted, renamed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let syncs = 0;
    Deno.open = async (path, options) => {
      const file = await open(path, options);
      const sync = file.sync.bind(file);
      if (String(path) === `${folder}/${project}`) {
        file.sync = async () => {
          const names = [...existing];
          syncStarted.resolve();
          await renamed.promise; // The first sync lasts until all other files are renamed.
          await sync();
          syncs++;
          for (const name of names) syncedNames.add(name);
        };
      }
      return file;
    };
    Deno.rename = async (from, to) => {
      await rename(from, to);
      if (existing.add(String(to)).size === 1 + others.length) renamed.resolve();
    };
    const publish = async (path: string) => {
      await blobs.publish(path, "text/plain");
      assert.ok(syncedNames.has(`${folder}/${path}`), "reported before it was synced");
    };
    try {
      const publishing = publish(first!);
      await syncStarted.promise;
      await Promise.all([publishing, ...others.map(publish)]);
    } finally {
      Object.assign(Deno, { open, rename });
    }
    assert.equal(syncs, 2, "all other renames share a sync");
  }));
