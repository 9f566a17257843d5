import assert from "node:assert/strict";
import { inThread } from "@/tests/support/in_thread.ts";
import { until } from "@/tests/acceptance/until.ts";
import { removeFolder } from "@/tests/support/test_store.ts";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Definition, StoredRecord } from "../port.ts";
import { checkpoint } from "./checkpoint.ts";
import { Checkpoints } from "./checkpoints.ts";
import { Connection } from "./connection.ts";
import { SqliteEngine } from "./engine.ts";
import { compare, eq } from "../filter.ts";
import { sql } from "./fragment.ts";
import { Writer } from "./writer.ts";

const SPACE = "0123456789abcdef01234567";
const LOG_MAX = 16 * 1_048_576;
/** At which a log is moved into its file: pages, each with a head. */
const CHECKPOINT_BYTES = 2_304 * (4_096 + 24);
const DEFINITION: Definition = {
  name: "things",
  fields: { n: { type: "Number" } },
  indexes: [],
  trash: false,
};
type Thing = StoredRecord & { n: number; text: string };

/** Few, so that a read of all of them takes some milliseconds. */
const DOCUMENTS = 100;
const READERS = 4;

const idOf = (n: number): string => n.toString(16).padStart(24, "0");

async function opened() {
  const folder = await Deno.makeTempDir({ prefix: "corbel-checkpoints-" });
  // Every read goes to a thread: on the event loop none lasts into a checkpoint.
  const options = { sync: "normal", rowsMax: 0, queryTimeLimitMs: 60_000 } as const;
  const engine = await SqliteEngine.open({ folder, ...options });
  await engine.createSpace(SPACE);
  const records = engine.records<Thing>(SPACE, DEFINITION);
  let count = 0;
  return {
    path: `${folder}/projects/${SPACE}.db`,
    records,
    /** Changes documents one by one: so many MiB of text. */
    async write(mib: number): Promise<void> {
      for (let i = 0; i < mib * 16; i++) {
        const n = count++ % DOCUMENTS;
        const text = String.fromCharCode(97 + count % 26).repeat(64_000);
        const record = { _id: idOf(n), n, text };
        await records.upsert(eq("_id", record._id), { set: { text } }, record);
      }
    },
    /** What was removed is there anew with the next write. */
    drop: () => engine.dropSpace(SPACE),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await removeFolder(folder);
    },
  };
}

const logBytes = (path: string): number => Deno.statSync(`${path}-wal`).size;

Deno.test("a log stays short however much is written, also beside reads that go on without a pause", async () => {
  await using store = await opened();
  await store.write(4);
  let [isOver, reads] = [false, 0];
  const reading = Array.from({ length: READERS }, async () => {
    while (!isOver) {
      await store.records.count(compare("n", "gte", 0));
      reads++;
    }
  });
  let longest = 0;
  for (let i = 0; i < 30; i++) {
    await store.write(4);
    longest = Math.max(longest, logBytes(store.path));
  }
  isOver = true;
  await Promise.all(reading);
  assert.ok(reads > 0);
  assert.ok(longest <= LOG_MAX, `${longest} bytes`);
});

Deno.test("a log that another program's reader has held is cut once it has ended", async () => {
  await using store = await opened();
  await store.write(1);
  const other = new DatabaseSync(store.path);
  other.exec("begin; select count(*) from sqlite_schema");
  await store.write(40);
  assert.ok(logBytes(store.path) > LOG_MAX);
  other.exec("commit");
  other.close();
  await store.write(12);
  assert.ok(logBytes(store.path) <= LOG_MAX, `${logBytes(store.path)} bytes`);
});

Deno.test("a checkpoint that is asked for while the store closes is not begun", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-checkpoints-" });
  const checkpoints = new Checkpoints();
  const task = { path: `${folder}/one.db`, mode: "passive" } as const;
  const running = checkpoints.run(task);
  const closing = checkpoints[Symbol.asyncDispose]();
  const late = checkpoints.run({ ...task, path: `${folder}/late.db` });
  await Promise.all([running, closing]);
  assert.equal(await late, "left");
  assert.equal(await checkpoints.run(task), "left");
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["one.db"]);
  await removeFolder(folder);
});

Deno.test("a thread that was started by another one waits for no checkpoint that its own comes late for", async () => {
  await using store = await opened();
  await store.write(1 / 16);
  const ends = await inThread(
    import.meta.resolve("./checkpoints.ts"),
    async ({ Checkpoints }: typeof import("./checkpoints.ts"), path: string) => {
      await using checkpoints = new Checkpoints();
      const ends = [];
      for (const waitMs of [0, 2000]) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        const began = performance.now();
        const outcome = await checkpoints.run({ path, mode: "passive" });
        ends.push({ outcome, ms: performance.now() - began });
      }
      return ends;
    },
    store.path,
  );
  for (const { outcome, ms } of ends) {
    assert.equal(outcome, "moved");
    assert.ok(ms < 500, `It took ${ms} ms`);
  }
});

Deno.test("a project that is dropped during a checkpoint of its log stays gone", async () => {
  await using store = await opened();
  for (let round = 0; round < 5; round++) {
    // The last of these begins a checkpoint.
    do await store.write(1 / 16); while (logBytes(store.path) < CHECKPOINT_BYTES);
    await store.drop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([...Deno.readDirSync(dirname(store.path))], []);
  }
});

Deno.test("a checkpoint tells that somebody else is making one from what readers keep in the log", async () => {
  await using store = await opened();
  await store.write(1);
  const reader = new DatabaseSync(store.path);
  reader.exec("begin; select count(*) from sqlite_schema");
  await store.write(1);
  const passive = { path: store.path, mode: "passive" } as const;
  assert.equal(checkpoint(passive), "left");
  // It waits for the reader, and lets nobody else make one.
  const other = inThread(
    import.meta.resolve("./connection.ts"),
    ({ Connection }: typeof import("./connection.ts"), path: string) => {
      const db = new Connection(path, "normal");
      db.run({ sql: "pragma busy_timeout = 10000", values: [] });
      return Promise.resolve(db.get({ sql: "pragma wal_checkpoint(restart)", values: [] })![0]);
    },
    store.path,
  );
  await until("the other one waits", () => checkpoint(passive) === "taken");
  reader.exec("commit");
  reader.close();
  assert.equal(await other, 0);
  assert.equal(checkpoint(passive), "moved");
});

Deno.test("a log that another process moves is left to it, and no read is stopped for that", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-checkpoints-" });
  const path = `${folder}/one.db`;
  const db = new Connection(path, "normal");
  db.useWriteAheadLog();
  db.leaveFlushing();
  db.run(sql("create table things(text text)"));
  const asked: string[] = [];
  let stops = 0;
  const writer = new Writer(db, {
    path,
    sync: null,
    checkpoints: {
      run({ mode }) {
        asked.push(mode);
        // By the time that is heard of, the other one has moved all.
        assert.equal(checkpoint({ path, mode: "restart" }), "moved");
        return Promise.resolve("taken");
      },
    },
    withoutReads: (work) => (stops++, work()),
    committed() {},
  });
  const write = () =>
    writer.write((db) => db.run(sql("insert into things values(?)", "x".repeat(64_000))));
  while (asked.length === 0) await write();
  const end = performance.now() + 100;
  while (performance.now() < end) await write();
  await writer.close();
  db.close();
  await removeFolder(folder);
  assert.deepEqual([...new Set(asked), stops], ["passive", "optimize", 0]);
});
