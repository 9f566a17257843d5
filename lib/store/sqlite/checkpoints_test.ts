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
/** Size in bytes of a log at which a checkpoint starts: pages, each with a header. */
const CHECKPOINT_BYTES = 2_304 * (4_096 + 24);
const DEFINITION: Definition = {
  name: "things",
  fields: { n: { type: "Number" } },
  indexes: [],
  trash: false,
};
type Thing = StoredRecord & { n: number; text: string };

/** Number of documents, few enough that reading all of them takes only milliseconds. */
const DOCUMENTS = 100;
const READERS = 4;

const idOf = (n: number): string => n.toString(16).padStart(24, "0");

async function opened() {
  const folder = await Deno.makeTempDir({ prefix: "corbel-checkpoints-" });
  // All reads run in threads, because on the event loop none is long enough to overlap a
  // checkpoint.
  const options = { sync: "normal", rowsMax: 0, queryTimeLimitMs: 60_000 } as const;
  const engine = await SqliteEngine.open({ folder, ...options });
  await engine.createSpace(SPACE);
  const records = engine.records<Thing>(SPACE, DEFINITION);
  let count = 0;
  return {
    path: `${folder}/projects/${SPACE}.db`,
    records,
    /** Changes documents one by one, writing `mib` MiB of text. */
    async write(mib: number): Promise<void> {
      for (let i = 0; i < mib * 16; i++) {
        const n = count++ % DOCUMENTS;
        const text = String.fromCharCode(97 + count % 26).repeat(64_000);
        const record = { _id: idOf(n), n, text };
        await records.upsert(eq("_id", record._id), { set: { text } }, record);
      }
    },
    /** Drops the space. The next write creates it again. */
    drop: () => engine.dropSpace(SPACE),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await removeFolder(folder);
    },
  };
}

const logBytes = (path: string): number => Deno.statSync(`${path}-wal`).size;

Deno.test("the log stays short under continuous writes and continuous reads", async () => {
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

Deno.test("a log that another program's reader kept is truncated after the reader ends", async () => {
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

Deno.test("a checkpoint requested while the store closes is not started", async () => {
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

Deno.test("in a nested worker, checkpoints run at once although their thread starts slowly", async () => {
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

Deno.test("a project that is dropped during a checkpoint is not created again", async () => {
  await using store = await opened();
  for (let round = 0; round < 5; round++) {
    // The last write starts a checkpoint.
    do await store.write(1 / 16); while (logBytes(store.path) < CHECKPOINT_BYTES);
    await store.drop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([...Deno.readDirSync(dirname(store.path))], []);
  }
});

Deno.test("checkpoint distinguishes a concurrent checkpoint from a log that readers keep", async () => {
  await using store = await opened();
  await store.write(1);
  const reader = new DatabaseSync(store.path);
  reader.exec("begin; select count(*) from sqlite_schema");
  await store.write(1);
  const passive = { path: store.path, mode: "passive" } as const;
  assert.equal(checkpoint(passive), "left");
  // This checkpoint waits for the reader and blocks other checkpoints.
  const other = inThread(
    import.meta.resolve("./connection.ts"),
    ({ Connection }: typeof import("./connection.ts"), path: string) => {
      const db = new Connection(path, "normal");
      db.run({ sql: "pragma busy_timeout = 10000", values: [] });
      return Promise.resolve(db.get({ sql: "pragma wal_checkpoint(restart)", values: [] })![0]);
    },
    store.path,
  );
  await until("the other checkpoint waits", () => checkpoint(passive) === "taken");
  reader.exec("commit");
  reader.close();
  assert.equal(await other, 0);
  assert.equal(checkpoint(passive), "moved");
});

Deno.test("no read is stopped while another process moves the log", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-checkpoints-" });
  const path = `${folder}/one.db`;
  const db = new Connection(path, "normal");
  db.useWriteAheadLog();
  db.configureWriter();
  db.run(sql("create table things(text text)"));
  const asked: string[] = [];
  let stops = 0;
  const writer = new Writer(db, {
    path,
    sync: null,
    checkpoints: {
      run({ mode }) {
        asked.push(mode);
        // The other process has moved the entire log before its result arrives.
        assert.equal(checkpoint({ path, mode: "restart" }), "moved");
        return Promise.resolve("taken");
      },
    },
    withoutReads: (work) => (stops++, work()),
    onCommit() {},
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
