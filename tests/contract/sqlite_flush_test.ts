/** Tests of the durability of writes on SQLite: commits, flushes, and their log. */

import assert from "node:assert/strict";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { Checkpoints } from "@/lib/store/sqlite/checkpoints.ts";
import { Connection } from "@/lib/store/sqlite/connection.ts";
import { sql } from "@/lib/store/sqlite/fragment.ts";
import { openFile } from "@/lib/store/sqlite/open_file.ts";
import { Writer } from "@/lib/store/sqlite/writer.ts";
import { definition, id, newSpace, upTo } from "./fixtures.ts";
import { openFolder, tempFolder } from "./sqlite_folder.ts";

/** Opens a writer on its own file, whose flushes end when the test ends them. */
async function flushedByHand() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const path = `${folder.path}/one.db`;
  const db = opened.adopt(
    openFile({ path, space: "control", sync: "normal", mustExist: false }),
    (db) => db.close(),
  );
  db.configureWriter();
  db.run(sql("create table rows(n)"));
  const reader = opened.adopt(new Connection(path, "normal"), (reader) => reader.close());
  const checkpoints = opened.use(new Checkpoints());
  const flushes: PromiseWithResolvers<void>[] = [];
  let commits = 0;
  const writer = new Writer(db, {
    path,
    checkpoints,
    withoutReads: (work) => work(),
    onCommit: () => void commits++,
    sync: () => {
      const flush = Promise.withResolvers<void>();
      flushes.push(flush);
      return flush.promise;
    },
  });
  const kept = opened.move();
  return {
    flushes,
    commits: () => commits,
    insert: (n: number) => writer.write((db) => db.run(sql("insert into rows values(?)", n))),
    transact: (n: number) =>
      writer.exclusive((db) => Promise.resolve(db.run(sql("insert into rows values(?)", n)))),
    undo: (n: number) =>
      writer.exclusive(async (db) => {
        db.run(sql("insert into rows values(?)", n));
        await Promise.resolve();
        throw Object.assign(new Error("changed our mind"), { name: "Undone" });
      }),
    stored: () => reader.all(sql("select n from rows order by n")).map(([n]) => n),
    /** Opens a reader that keeps the current state of the file in use. */
    heldByReader: (): Disposable => {
      reader.run(sql("begin"));
      reader.all(sql("select n from rows"));
      return { [Symbol.dispose]: () => reader.run(sql("commit")) };
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

function watched(promises: readonly Promise<unknown>[]): string[] {
  const states = promises.map(() => "waiting");
  for (const [i, promise] of promises.entries()) {
    promise.then(() => states[i] = "stored", (error) => states[i] = error.name);
  }
  return states;
}

/** Maximum number of turns, which take seconds: a writer may yield to others. */
const TURNS_MAX = 1_000_000;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function turnsUntil(holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    assert.ok(turn < TURNS_MAX, "the condition was not met");
    await nextTurn();
  }
}

Deno.test("a write is not answered before the flush after its commit has ended", async () => {
  await using file = await flushedByHand();
  const states = watched([file.insert(1), file.insert(2), file.transact(3)]);
  await turnsUntil(() => file.stored().length === 3);
  await nextTurn();
  assert.deepEqual(states, ["waiting", "waiting", "waiting"]);
  assert.equal(file.flushes.length, 1);
  const late = watched([file.insert(4), file.transact(5)]);
  for (const _ of upTo(10)) await nextTurn();
  assert.deepEqual([file.commits(), file.flushes.length], [1, 1], "one commit and one flush");
  file.flushes[0]!.resolve();
  await turnsUntil(() => file.flushes.length === 2);
  assert.deepEqual(states, ["stored", "stored", "stored"]);
  assert.deepEqual(late, ["waiting", "waiting"]);
  file.flushes[1]!.resolve();
  await turnsUntil(() => late.every((state) => state === "stored"));
  assert.equal(file.flushes.length, 2, "waiting writes share a flush");
});

Deno.test("waiting writes and transactions share a commit, except for undone ones", async () => {
  await using file = await flushedByHand();
  const outcomes = watched([
    file.transact(1),
    file.insert(2),
    file.undo(3),
    file.transact(4),
    file.undo(5),
  ]);
  await turnsUntil(() => file.flushes.length === 1);
  assert.deepEqual([file.commits(), file.stored()], [1, [1, 2, 4]]);
  file.flushes[0]!.resolve();
  await turnsUntil(() => !outcomes.includes("waiting"));
  assert.deepEqual(outcomes, ["stored", "stored", "Undone", "stored", "Undone"]);
});

Deno.test("writes whose flush fails are StoreUnavailable, and the next starts a new log", async () => {
  await using file = await flushedByHand();
  const failed = watched([file.insert(1), file.insert(2)]);
  await turnsUntil(() => file.flushes.length === 1);
  file.flushes[0]!.reject(new Error("I/O error"));
  await turnsUntil(() => failed.every((state) => state === "StoreUnavailable"));

  const again = watched([file.insert(3)]);
  await turnsUntil(() => file.flushes.length === 2);
  file.flushes[1]!.resolve();
  await turnsUntil(() => again[0] === "stored");
  assert.ok(file.stored().includes(3));
});

Deno.test("after a failed flush nothing is written while the log is in use elsewhere", async () => {
  await using file = await flushedByHand();
  const failed = watched([file.insert(1)]);
  await turnsUntil(() => file.flushes.length === 1);
  file.flushes[0]!.reject(new Error("I/O error"));
  await turnsUntil(() => failed[0] === "StoreUnavailable");
  {
    using _held = file.heldByReader();
    await assert.rejects(() => file.insert(2), StoreUnavailable);
  }
  const again = watched([file.insert(3)]);
  await turnsUntil(() => file.flushes.length === 2);
  file.flushes[1]!.resolve();
  await turnsUntil(() => again[0] === "stored");
  assert.ok(!file.stored().includes(2));
});

Deno.test("the log does not grow without limit under continuous writes", async () => {
  await using store = await openFolder();
  const space = newSpace();
  const records = store.engine.records(space, definition());
  const text = "x".repeat(100_000);
  const log = `${store.address.slice("sqlite:".length)}/projects/${space}.db-wal`;
  for (const round of upTo(160)) {
    await Promise.all(upTo(10).map((n) => records.insert({ _id: id(round * 10 + n), text })));
  }
  const { size } = await Deno.stat(log);
  assert.ok(size > 0 && size < 100_000_000, `${size} bytes after 160 MB of writes`);
});
