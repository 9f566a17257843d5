/** Import sources with links to files of the host, which must not become files of a project. */

import assert from "node:assert/strict";
import { packTar, type ParsedTarEntryWithData, unpackTar } from "modern-tar";
import { END } from "@/lib/operations/archive/format.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { archiveOf, assertTraceless, importBytes } from "../api/archives.ts";
import {
  assertNoted,
  importFrom,
  listImportFolders,
  pocketbaseCopy,
  sourceId,
  temporaryFolder,
} from "../api/foreign_sources.ts";

const SECRET = "root:x:0:0 a secret of the host";

async function storedText({ services: { blobStores } }: TestApp): Promise<string> {
  const texts: string[] = [];
  for (const place of ["stored", "private"] as const) {
    const { blobs } = await blobStores.internal
      .list(place, { prefix: "", after: null, limit: 1000 });
    for (const { path } of blobs) {
      texts.push(await new Response(await blobStores.internal.read(place, path)).text());
    }
  }
  return texts.join("\n");
}

async function refusedFrom(app: TestApp, from: string, refusal: RegExp, ...flags: string[]) {
  await assertTraceless(app.services, () => importFrom(app, from, ...flags), refusal);
  assert.deepEqual(await listImportFolders(app), []);
}

Deno.test("a link as a source, or within it, is refused by name", async () => {
  await using secret = await temporaryFolder();
  await Deno.writeTextFile(`${secret.path}/passwd`, SECRET);
  await using folder = await pocketbaseCopy();
  const { path } = folder;
  await using app = await openTestApp();
  const link = /is a symbolic link, which an import does not follow/;

  await Deno.symlink(path, `${secret.path}/pb_data`);
  await refusedFrom(app, `pocketbase:${secret.path}/pb_data`, link);
  await Deno.symlink(`${secret.path}/passwd`, `${secret.path}/export.jsonl`);
  await refusedFrom(app, `firestore:${secret.path}/export.jsonl`, link);
  await refusedFrom(app, `${secret.path}/export.jsonl`, link);

  await Deno.symlink(`${secret.path}/passwd`, `${path}/data.db-wal`);
  await refusedFrom(app, `pocketbase:${path}`, link);
  await Deno.remove(`${path}/data.db-wal`);

  await Deno.rename(`${path}/storage`, `${secret.path}/elsewhere`);
  await Deno.symlink(`${secret.path}/elsewhere`, `${path}/storage`);
  await refusedFrom(app, `pocketbase:${path}`, /storage" is a symbolic link.*with --storage/s);
  await refusedFrom(app, `pocketbase:${path}`, link, "--storage", `${path}/storage`);
  await Deno.remove(`${path}/storage`);
  await Deno.symlink(`${secret.path}/nowhere`, `${path}/storage`);
  await refusedFrom(app, `pocketbase:${path}`, link);
  await Deno.rename(`${path}/data.db`, `${secret.path}/data.db`);
  await Deno.symlink(`${secret.path}/data.db`, `${path}/data.db`);
  await refusedFrom(app, `pocketbase:${path}`, link, "--storage", `${secret.path}/elsewhere`);
});

Deno.test("files elsewhere are imported if --storage names their folder", async () => {
  await using elsewhere = await temporaryFolder();
  await using folder = await pocketbaseCopy();
  await Deno.rename(`${folder.path}/storage`, `${elsewhere.path}/files`);
  await using app = await openTestApp();
  const from = `pocketbase:${folder.path}`;
  await refusedFrom(app, from, /There is no folder/, "--storage", `${elsewhere.path}/none`);
  await refusedFrom(app, from, /is not a folder/, "--storage", `${folder.path}/data.db`);
  await refusedFrom(
    app,
    folder.path,
    /only for a folder of PocketBase/,
    "--storage",
    elsewhere.path,
  );
  const without = await importFrom(app, from, "--copy");
  assert.equal(without.imported.files, 0);
  assertNoted(without, /files left out, because they are not in storage/);
  const report = await importFrom(app, from, "--storage", `${elsewhere.path}/files`);
  assert.equal(report.imported.files, 4);
});

Deno.test("links in the folder of files, at any level, do not become files of the project", async () => {
  await using secret = await temporaryFolder();
  await Deno.writeTextFile(`${secret.path}/passwd`, SECRET);
  await Deno.writeTextFile(`${secret.path}/passwd.attrs`, "{}");
  await using folder = await pocketbaseCopy((db) => {
    const set = db.prepare("UPDATE posts SET cover = ?, papers = ? WHERE id = ?");
    set.run("link.txt", JSON.stringify(["inner.txt", "pipe"]), sourceId("full"));
    set.run("passwd", "[]", sourceId("words"));
  });
  const storage = `${folder.path}/storage`;
  const posts = [...Deno.readDirSync(storage)].find(({ name }) => name.startsWith("pbc_"))!.name;
  const full = `${storage}/${posts}/${sourceId("full")}`;
  await Deno.symlink(`${secret.path}/passwd`, `${full}/link.txt`);
  await Deno.writeTextFile(`${full}/inside`, SECRET);
  await Deno.symlink("inside", `${full}/inner.txt`);
  const { success } = await new Deno.Command("mkfifo", { args: [`${full}/pipe`] }).output();
  assert.ok(success);
  await Deno.symlink(secret.path, `${storage}/${posts}/${sourceId("words")}`);
  await using app = await openTestApp();
  const report = await importFrom(app, `pocketbase:${folder.path}`);
  assert.equal(report.imported.files, 1, "the file of a user");
  assertNoted(report, /posts\.cover: files left out.*: 2$/, /posts\.papers: files left out.*: 2$/);
  assert.ok(!(await storedText(app)).includes(SECRET));
});

Deno.test("an archive has only files: links, devices and folders in it are refused", async () => {
  await using there = await openTestApp();
  const { projectId } = await there.project();
  const { bytes } = await archiveOf(there.services, projectId);
  const entries = await unpackTar(bytes);
  await using app = await openTestApp();
  const name = "files/0b6f2c1e-5f0b-4c0e-9a55-6a3f2f1f7c11_cat.png";
  const kinds = ["symlink", "link", "directory", "fifo", "block-device", "character-device"];
  for (const type of kinds) {
    for (const path of [`${name}/content`, `${name}/row.json`, "configuration.json"]) {
      const header = { name: path, type, size: 0, linkname: "/etc/passwd" };
      const entry = { header, data: new Uint8Array() } as unknown as ParsedTarEntryWithData;
      const given = [...entries];
      given.splice(entries.findIndex((one) => one.header.name === END), 0, entry);
      const packed = await packTar(given) as Uint8Array<ArrayBuffer>;
      await assertTraceless(
        app.services,
        () => importBytes(app.services, packed),
        new RegExp(`which is a ${type} instead of a file`),
      );
    }
  }
});
