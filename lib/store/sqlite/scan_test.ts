import assert from "node:assert/strict";
import { BudgetExceeded, GUARD } from "./budget.ts";
import { Connection } from "./connection.ts";
import { type Fragment, sql } from "./fragment.ts";
import { FEW_ROWS, readScan, type Scan } from "./scan.ts";

/** Rows are their numbers; the usual way finds some, the other way others. */
function opened(rows: number): Connection {
  const db = new Connection(":memory:", "normal");
  db.run(sql("create table t(seq integer primary key, doc text)"));
  db.run(sql(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      insert into t select i, 'row ' || i from n`,
    rows,
  ));
  return db;
}

const page = (condition: string): Fragment =>
  sql(`select seq from t where ${GUARD} and ${condition} limit 2`);

const USUAL = page("seq > 0 and doc > 'row 0'");
const SOUGHT = page("seq = 7");
/** Looks at all there are. */
const LONG = page("doc = 'none'");

const scan = (some: Partial<Scan>): Scan => ({
  table: "t",
  page: USUAL,
  sought: SOUGHT,
  isHeldUp: false,
  bytesMax: 1_000,
  count: null,
  ...some,
});

Deno.test("the other way is tried first, and says nothing of the usual one", () => {
  const found = readScan(opened(100), scan({}), {});
  assert.deepEqual(found.texts, ["row 7"]);
  assert.equal(found.rows.page, null);
});

Deno.test("of a read that was held up the usual way is tried first, and is known if it was short", () => {
  const found = readScan(opened(100), scan({ isHeldUp: true }), {});
  assert.deepEqual(found.texts, ["row 1", "row 2"]);
  assert.ok(found.rows.page! < 100, `it looked at ${found.rows.page} rows`);
});

Deno.test("a usual way that is long is left for the other, and is known to be long", () => {
  const many = opened(FEW_ROWS * 2);
  const found = readScan(many, scan({ page: LONG, isHeldUp: true }), {});
  assert.deepEqual(found.texts, ["row 7"]);
  assert.equal(found.rows.page, Infinity);
});

Deno.test("where neither way is short the usual one is taken, within what is allowed", () => {
  const many = opened(FEW_ROWS * 2);
  for (const isHeldUp of [false, true]) {
    const long = scan({ page: LONG, sought: LONG, isHeldUp });
    const found = readScan(many, long, {});
    assert.deepEqual(found.texts, []);
    assert.ok(found.rows.page! > FEW_ROWS, `it looked at ${found.rows.page} rows`);
    assert.throws(() => readScan(many, long, { until: 0 }), BudgetExceeded);
  }
});
