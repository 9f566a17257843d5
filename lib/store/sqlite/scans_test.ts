import assert from "node:assert/strict";
import { inThread } from "@/tests/support/in_thread.ts";
import { StoreUnavailable } from "../errors.ts";
import { GUARD } from "./budget.ts";
import { sql } from "./fragment.ts";
import type { Scan } from "./scan.ts";
import { INTERRUPTIONS_MAX, Scans } from "./scans.ts";

const COUNT: Scan = {
  table: "t",
  page: null,
  byFilterIndex: null,
  hasTimedOut: false,
  bytesMax: 1_000,
  count: sql("select 5"),
};

async function assertReads(scans: Scans, path: string): Promise<void> {
  const found = await scans.run(path, COUNT);
  assert.ok(typeof found === "object", `it is ${found}`);
  assert.equal(found.total, 5);
}

Deno.test("a file that cannot be opened is StoreUnavailable, and later reads succeed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-scans-" });
  await using scans = new Scans({ limitMs: 10_000 });
  await assert.rejects(() => scans.run(`${folder}/none/file.db`, COUNT), StoreUnavailable);
  await assertReads(scans, `${folder}/file.db`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the error of a failed statement is passed on, and later reads succeed", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const wrong = { ...COUNT, count: sql("select * from missing") };
  await assert.rejects(() => scans.run(":memory:", wrong), /no such table: missing/);
  await assertReads(scans, ":memory:");
});

Deno.test("a scan thread cannot write", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const write = { ...COUNT, count: sql("create table t(a)") };
  await assert.rejects(() => scans.run(":memory:", write), /readonly|query_only/);
});

Deno.test("a closed Scans rejects all reads", async () => {
  const scans = new Scans({ limitMs: 10_000 });
  await assertReads(scans, ":memory:");
  await scans[Symbol.asyncDispose]();
  await scans[Symbol.asyncDispose]();
  await assert.rejects(() => scans.run(":memory:", COUNT), StoreUnavailable);
});

Deno.test("reads beyond 128 of one file are rejected as crowded", async () => {
  await using scans = new Scans({ limitMs: 60_000 });
  const found = await Promise.all(Array.from({ length: 150 }, () => scans.run(":memory:", COUNT)));
  assert.equal(found.filter((one) => typeof one === "object").length, 128);
  assert.equal(found.filter((one) => one === "crowded").length, 22);
});

const numbers = (end: string): Scan => ({
  ...COUNT,
  count: sql(
    `with recursive t(seq) as (select 1 union all select seq + 1 from t ${end})
     select count(*) from t where ${GUARD}`,
  ),
});
const ENDLESS = numbers("");

Deno.test("with scansAhead, a thread for each kind of read is ready before the first read", async () => {
  const times = await inThread(
    import.meta.resolve("./scans.ts"),
    async ({ Scans }: typeof import("./scans.ts"), scan: Scan) => {
      await using scans = new Scans({ limitMs: 10_000, scansAhead: true });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const times = [];
      for (const hasTimedOut of [true, false]) {
        const began = performance.now();
        await scans.run(":memory:", { ...scan, hasTimedOut });
        times.push(performance.now() - began);
      }
      return times;
    },
    COUNT,
  );
  for (const ms of times) assert.ok(ms < 500, `It took ${ms} ms`);
});

Deno.test("a read beyond the time limit is late", async () => {
  await using scans = new Scans({ limitMs: 200 });
  assert.equal(await scans.run(":memory:", ENDLESS), "late");
});

Deno.test("a read that was only delayed does not wait for scans", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const folder = await Deno.makeTempDir({ prefix: "corbel-scans-" });
  const busy = Array.from({ length: 20 }, (_, i) => scans.run(`${folder}/${i}.db`, ENDLESS));
  const found = await scans.run(":memory:", { ...COUNT, hasTimedOut: true });
  assert.ok(typeof found === "object", `it is ${found}`);
  assert.equal(await Promise.race([...busy, "all at work"]), "all at work");
  await scans[Symbol.asyncDispose]();
  await Promise.allSettled(busy);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("pauseReads blocks reads of the file and restarts running ones, a bounded number of times", async () => {
  await using scans = new Scans({ limitMs: 20_000 });
  const folder = await Deno.makeTempDir({ prefix: "corbel-scans-" });
  const path = `${folder}/file.db`;
  await assertReads(scans, path);
  const long = scans.run(path, numbers("limit 1000000"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const events: string[] = [];
  const first = scans.pauseReads(path, async () => {
    const late = assertReads(scans, path).then(() => events.push("read"));
    await assertReads(scans, `${folder}/other.db`);
    events.push("other read");
    void late;
    return true;
  });
  assert.equal(await first, true);
  assert.deepEqual(events, ["other read"]);
  for (let i = 1; i < INTERRUPTIONS_MAX; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await scans.pauseReads(path, () => Promise.resolve(true)), true);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await scans.pauseReads(path, () => Promise.reject(new Error("It is read"))), false);
  const found = await long;
  assert.ok(typeof found === "object", `it is ${found}`);
  assert.equal(found.total, 1_000_000);
  await Deno.remove(folder, { recursive: true });
});
