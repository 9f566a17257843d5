import assert from "node:assert/strict";
import { StoreUnavailable } from "../errors.ts";
import { sql } from "./fragment.ts";
import { Scans } from "./scans.ts";

const COUNT = { table: "t", page: null, sought: null, count: sql("select 5") };

Deno.test("a file that cannot be opened is StoreUnavailable, and the next one is read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "corbel-scans-" });
  await using scans = new Scans({ limitMs: 10_000 });
  await assert.rejects(() => scans.run(`${folder}/none/file.db`, COUNT), StoreUnavailable);
  assert.equal((await scans.run(`${folder}/file.db`, COUNT))?.total, 5);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a statement that fails is told as it is, and the next one is read", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const wrong = { ...COUNT, count: sql("select * from missing") };
  await assert.rejects(() => scans.run(":memory:", wrong), /no such table: missing/);
  assert.equal((await scans.run(":memory:", COUNT))?.total, 5);
});

Deno.test("a reader's thread changes nothing", async () => {
  await using scans = new Scans({ limitMs: 10_000 });
  const write = { ...COUNT, count: sql("create table t(a)") };
  await assert.rejects(() => scans.run(":memory:", write), /readonly|query_only/);
});

Deno.test("once closed, all is refused", async () => {
  const scans = new Scans({ limitMs: 10_000 });
  assert.equal((await scans.run(":memory:", COUNT))?.total, 5);
  await scans[Symbol.asyncDispose]();
  await scans[Symbol.asyncDispose]();
  await assert.rejects(() => scans.run(":memory:", COUNT), StoreUnavailable);
});
