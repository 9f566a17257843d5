/** Files that are removed, emptied, truncated or replaced, while closed and while open. */

import assert from "node:assert/strict";
import { StoreMismatch, StoreUnavailable } from "@/lib/store/errors.ts";
import { ALL } from "@/lib/store/filter.ts";
import { SqliteEngine } from "@/lib/store/sqlite/engine.ts";
import { until } from "../acceptance/until.ts";
import { definition, id, newSpace } from "./fixtures.ts";
import { tempFolder } from "./sqlite_folder.ts";

const THINGS = definition();
const LONG = "x".repeat(2000);

const openOn = (folder: string) => SqliteEngine.open({ folder, sync: "normal" });

/** Creates a folder with two closed projects of fifty records each. */
async function openFilled() {
  const folder = await tempFolder();
  const spaces = [newSpace(), newSpace()] as const;
  const engine = await openOn(folder.path);
  for (const space of spaces) {
    await engine.createSpace(space);
    const records = Array.from({ length: 50 }, (_, n) => ({ _id: id(n), space, text: LONG }));
    await engine.records(space, THINGS).insertMany(records);
  }
  await engine[Symbol.asyncDispose]();
  const pathOf = (space: string) => `${folder.path}/projects/${space}.db`;
  return {
    path: folder.path,
    spaces,
    pathOf,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const HARMS: Readonly<Record<string, (path: string, other: string) => Promise<void>>> = {
  "taken away": (path) => Deno.remove(path),
  emptied: (path) => Deno.truncate(path, 0),
  "cut off": (path) => Deno.truncate(path, 8192),
  "cut off within its head": (path) => Deno.truncate(path, 100),
  "overwritten by something else": (path) => Deno.writeTextFile(path, "no database\n".repeat(1000)),
  "overwritten by another project's": (path, other) => Deno.copyFile(other, path),
};

for (const [harm, inflict] of Object.entries(HARMS)) {
  Deno.test(`a project's file that is ${harm} is an error for that project, and is not changed`, async () => {
    await using filled = await openFilled();
    const { path, spaces: [lost, other], pathOf } = filled;
    await inflict(pathOf(lost), pathOf(other));
    const left = await Deno.readFile(pathOf(lost)).catch(() => null);
    await using engine = await openOn(path);
    const records = engine.records(lost, THINGS);
    for (let again = 0; again < 2; again++) {
      for (
        const use of [
          () => records.list({ filter: ALL, sort: [], limit: 100 }),
          () => records.insert({ _id: id(99) }),
          () => engine.transaction(lost, (tx) => tx.records(THINGS).insert({ _id: id(99) })),
        ]
      ) {
        await assert.rejects(use, (error: Error) => {
          assert.ok(
            error instanceof StoreUnavailable || error instanceof StoreMismatch,
            error.stack,
          );
          assert.ok(error.message.includes(lost), "the error names the file");
          return true;
        });
      }
    }
    assert.equal(await engine.records(other, THINGS).count(ALL), 50);
    assert.deepEqual(await Deno.readFile(pathOf(lost)).catch(() => null), left);
    await engine.ping();
  });
}

Deno.test("files of projects without a control file are refused at the start", async () => {
  for (const inflict of [HARMS["taken away"]!, HARMS.emptied!]) {
    await using filled = await openFilled();
    const { path, spaces: [space] } = filled;
    await inflict(`${path}/control.db`, "");
    await assert.rejects(() => openOn(path), (error: Error) => {
      assert.ok(error instanceof StoreMismatch);
      assert.match(error.message, /control\.db" is missing or empty.* restore it from a backup/);
      return true;
    });
    const left = await Deno.stat(`${path}/control.db`).catch(() => ({ size: 0 }));
    assert.equal(left.size, 0, "no file replaces it");
    assert.ok(await Deno.stat(`${path}/projects/${space}.db`));
  }
});

Deno.test("an open file that is removed is closed within two seconds, and reopened when it is back", async () => {
  await using filled = await openFilled();
  const { path, spaces: [space], pathOf } = filled;
  await using engine = await openOn(path);
  const records = engine.records(space, THINGS);
  assert.equal(await records.count(ALL), 50);
  await Deno.rename(pathOf(space), `${path}/elsewhere`);
  const isRefused = () => records.insert({ _id: id(99) }).then(() => false, () => true);
  await until("writes are refused", isRefused, 2000);
  await engine.ping();
  await Deno.rename(`${path}/elsewhere`, pathOf(space));
  assert.ok(await records.count(ALL) >= 50);
});

Deno.test("without the control file no request succeeds, and the store is not ready", async () => {
  await using filled = await openFilled();
  const { path, spaces: [space] } = filled;
  await using engine = await openOn(path);
  await engine.ping();
  await Deno.rename(`${path}/control.db`, `${path}/elsewhere`);
  const isRefused = () => engine.ping().then(() => false, () => true);
  await until("the store is not ready", isRefused, 2000);
  await assert.rejects(() => engine.records(space, THINGS).count(ALL), StoreUnavailable);
  await assert.rejects(() => engine.records("control", THINGS).count(ALL), /was removed/);
});

Deno.test("a removed project does not affect others", async () => {
  await using filled = await openFilled();
  const { path, spaces: [space, other] } = filled;
  await using engine = await openOn(path);
  await engine.dropSpace(space);
  assert.equal(await engine.records(space, THINGS).count(ALL), 0);
  assert.equal(await engine.records(other, THINGS).count(ALL), 50);
});

Deno.test("unfinished files of killed processes are removed after an hour, and nothing else", async () => {
  await using filled = await openFilled();
  const { path, spaces: [space] } = filled;
  await using engine = await openOn(path);
  const draft = `projects/${newSpace()}.db.${crypto.randomUUID()}`;
  const old = [draft, `${draft}-wal`, `${draft}-shm`, `probe.${crypto.randomUUID()}`];
  const kept = [
    `projects/${newSpace()}.db.${crypto.randomUUID()}`,
    `probe.${crypto.randomUUID()}`,
    "probe.txt",
    `projects/${space}.db.backup`,
  ];
  const long = new Date(Date.now() - 3_660_000);
  for (const name of [...old, ...kept]) await Deno.writeTextFile(`${path}/${name}`, "");
  for (const name of [...old, ...kept.slice(2), `projects/${space}.db`]) {
    await Deno.utime(`${path}/${name}`, long, long);
  }
  await engine.deleteLeftovers();
  const isThere = (name: string) => Deno.stat(`${path}/${name}`).then(() => true, () => false);
  assert.deepEqual(await Promise.all(old.map(isThere)), old.map(() => false));
  assert.deepEqual(await Promise.all(kept.map(isThere)), kept.map(() => true));
  assert.equal(await engine.records(space, THINGS).count(ALL), 50);
});
