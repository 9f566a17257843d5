import assert from "node:assert/strict";
import { StoreUnavailable } from "../errors.ts";
import { GUARD } from "./budget.ts";
import { sql } from "./fragment.ts";
import type { Scan } from "./scan.ts";
import { Scans } from "./scans.ts";

const COUNT: Scan = {
  table: "t",
  page: null,
  sought: null,
  isDoubtful: false,
  bytesMax: 1_000,
  count: sql("select 5"),
};

async function assertReads(scans: Scans, path: string): Promise<void> {
  const found = await scans.run(path, COUNT);
  assert.ok(typeof found === "object", `it is ${found}`);
  assert.equal(found.total, 5);
}

Deno.test("a file that cannot be opened is StoreUnavailable, and the next one is read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-scans-" });
  await using scans = new Scans({ limitMs: 10_000 });
  await assert.rejects(() => scans.run(`${folder}/none/file.db`, COUNT), StoreUnavailable);
  await assertReads(scans, `${folder}/file.db`);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a statement that fails is told as it is, and the next one is read", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const wrong = { ...COUNT, count: sql("select * from missing") };
  await assert.rejects(() => scans.run(":memory:", wrong), /no such table: missing/);
  await assertReads(scans, ":memory:");
});

Deno.test("a reader's thread changes nothing", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const write = { ...COUNT, count: sql("create table t(a)") };
  await assert.rejects(() => scans.run(":memory:", write), /readonly|query_only/);
});

Deno.test("once closed, all is refused", async () => {
  const scans = new Scans({ limitMs: 10_000 });
  await assertReads(scans, ":memory:");
  await scans[Symbol.asyncDispose]();
  await scans[Symbol.asyncDispose]();
  await assert.rejects(() => scans.run(":memory:", COUNT), StoreUnavailable);
});

Deno.test("of many at once some are turned away, which says nothing of how long they take", async () => {
  await using scans = new Scans({ limitMs: 60_000 });
  const found = await Promise.all(Array.from({ length: 50 }, () => scans.run(":memory:", COUNT)));
  assert.equal(found.filter((one) => typeof one === "object").length, 33);
  assert.equal(found.filter((one) => one === "crowded").length, 17);
});

Deno.test("what takes too long is late", async () => {
  await using scans = new Scans({ limitMs: 200 });
  const endless = sql(
    `with recursive t(seq) as (select 1 union all select seq + 1 from t) select count(*) from t where ${GUARD}`,
  );
  assert.equal(await scans.run(":memory:", { ...COUNT, count: endless }), "late");
});
