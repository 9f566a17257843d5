import assert from "node:assert/strict";
import { BudgetExceeded, GUARD } from "./budget.ts";
import { Connection } from "./connection.ts";
import { type Fragment, sql } from "./fragment.ts";
import { FEW_ROWS_MAX, readScan, type Scan } from "./scan.ts";

/**
 * Creates a table with numbered rows. The usual statement and the one by a filter index find
 * different rows.
 */
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
const BY_FILTER_INDEX = page("seq = 7");
/** Examines all rows. */
const LONG = page("doc = 'none'");

const scan = (some: Partial<Scan>): Scan => ({
  table: "t",
  page: USUAL,
  byFilterIndex: BY_FILTER_INDEX,
  hasTimedOut: false,
  bytesMax: 1_000,
  count: null,
  ...some,
});

Deno.test("the statement by a filter index is tried first", () => {
  const found = readScan(opened(100), scan({}), {});
  assert.deepEqual(found.texts, ["row 7"]);
  assert.equal(found.rows.page, null);
});

Deno.test("after a timeout the usual statement is tried first, and its rows are counted", () => {
  const found = readScan(opened(100), scan({ hasTimedOut: true }), {});
  assert.deepEqual(found.texts, ["row 1", "row 2"]);
  assert.ok(found.rows.page! < 100, `it examined ${found.rows.page} rows`);
});

Deno.test("a long usual statement is replaced by the filter index and reported as long", () => {
  const many = opened(FEW_ROWS_MAX * 2);
  const found = readScan(many, scan({ page: LONG, hasTimedOut: true }), {});
  assert.deepEqual(found.texts, ["row 7"]);
  assert.equal(found.rows.page, Infinity);
});

Deno.test("if both statements are long, the usual one runs within its limits", () => {
  const many = opened(FEW_ROWS_MAX * 2);
  for (const hasTimedOut of [false, true]) {
    const long = scan({ page: LONG, byFilterIndex: LONG, hasTimedOut });
    const found = readScan(many, long, {});
    assert.deepEqual(found.texts, []);
    assert.ok(found.rows.page! > FEW_ROWS_MAX, `it examined ${found.rows.page} rows`);
    assert.throws(() => readScan(many, long, { until: 0 }), BudgetExceeded);
  }
});
