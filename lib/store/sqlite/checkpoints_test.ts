import assert from "node:assert/strict";
import { inThread } from "@/tests/support/in_thread.ts";
import { removeFolder } from "@/tests/support/test_store.ts";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Definition, StoredRecord } from "../port.ts";
import { Checkpoints } from "./checkpoints.ts";
import { SqliteEngine } from "./engine.ts";
import { compare, eq } from "../filter.ts";

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
  assert.equal(await late, false);
  assert.equal(await checkpoints.run(task), false);
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
        const isDone = await checkpoints.run({ path, mode: "passive" });
        ends.push({ isDone, ms: performance.now() - began });
      }
      return ends;
    },
    store.path,
  );
  for (const { isDone, ms } of ends) {
    assert.ok(isDone);
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
