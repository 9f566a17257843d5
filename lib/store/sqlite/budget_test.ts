import assert from "node:assert/strict";
import { BudgetExceeded, DOCUMENT_GUARD, GUARD } from "./budget.ts";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";

const ROWS = 20_000;

/** Creates a table in which `n` counts from 0 and `text` is always equal. */
function table(): Connection & Disposable {
  const db = opened();
  db.run(sql("create table t(seq integer primary key, n integer, text text)"));
  db.run(sql(
    "insert into t(n, text) with recursive up(n) as " +
      `(select 0 union all select n + 1 from up where n < ${ROWS - 1}) select n, 'abc' from up`,
  ));
  return db;
}

function opened(): Connection & Disposable {
  const db = new Connection(":memory:", "normal");
  return Object.assign(db, { [Symbol.dispose]: () => db.close() });
}

const count = (condition: string) => sql(`select count(*) from t where ${GUARD} and ${condition}`);

Deno.test("a statement within its limits returns its result", () => {
  using db = table();
  assert.deepEqual(db.withBudget({ rows: 2 * ROWS }, () => db.get(count("n % 2 = 0"))), [ROWS / 2]);
  // Eight standard deviations.
  assert.ok(Math.abs(db.rowsExamined - ROWS) < ROWS / 3, String(db.rowsExamined));
});

Deno.test("about one in 32 rows is sampled in any selection of rows", () => {
  using db = table();
  for (const which of ["n < 2500", "n % 8 = 3", "n & 255 < 32"]) {
    const rows = sql(`select 1 from t where ${which} and ${GUARD}`);
    db.withBudget({ rows: Infinity }, () => db.all(rows));
    // Seven standard deviations.
    assert.ok(Math.abs(db.rowsExamined - 2_500) < 2_000, `${which}: ${db.rowsExamined}`);
  }
});

Deno.test("sequential rows are sampled evenly for every random number", () => {
  using db = table();
  const rows = sql(`select 1 from t where seq <= 2500 and ${GUARD}`);
  for (let run = 0; run < 1_000; run++) {
    db.withBudget({ rows: Infinity }, () => db.all(rows));
    assert.ok(Math.abs(db.rowsExamined - 2_500) < 2_000, String(db.rowsExamined));
  }
});

Deno.test("a statement is aborted soon after its row limit, for any selection of rows", () => {
  using db = table();
  db.run(sql("create index eighths on t(n % 8, n)"));
  for (const condition of ["1", "n % 8 = 3", "text = 'none'", "re2('none', text)"]) {
    assert.throws(
      () => db.withBudget({ rows: 400 }, () => db.get(count(condition))),
      BudgetExceeded,
    );
    assert.ok(db.rowsExamined <= 500, `${condition}: ${db.rowsExamined}`);
  }
});

Deno.test("every large document is counted", () => {
  using db = opened();
  db.run(sql("create table t(seq integer primary key, doc text not null)"));
  const ofBytes = (bytes: number) =>
    db.run(sql(
      "insert into t(doc) with recursive up(n) as (select 1 union all select n + 1 from up " +
        `where n < 256) select '${"a".repeat(bytes)}' from up`,
    ));
  const counted = (guard: string) =>
    db.withBudget(
      {},
      () => (db.get(sql(`select count(*) from t where ${guard}`)), db.rowsExamined),
    );
  ofBytes(70_000);
  assert.ok(counted(GUARD) <= 1_024);
  assert.equal(counted(DOCUMENT_GUARD), 8 * 256);
  ofBytes(1_000);
  assert.ok(counted(DOCUMENT_GUARD) <= 8 * 256 + 768);
});

Deno.test("statements of one read share their limits", () => {
  using db = table();
  const few = count("n < 256");
  db.run(sql("create index by_n on t(n)"));
  assert.deepEqual(db.withBudget({ rows: 1_000 }, () => db.get(few)), [256]);
  assert.throws(() =>
    db.withBudget({ rows: 1_000 }, () => {
      for (let again = 0; again < 20; again++) db.get(few);
    }), BudgetExceeded);
});

Deno.test("a statement is aborted at its deadline or on request", () => {
  using db = table();
  assert.throws(() => db.withBudget({ until: 0 }, () => db.get(count("1"))), BudgetExceeded);
  let asked = 0;
  const stop = () => ++asked === 10;
  assert.throws(() => db.withBudget({ stop }, () => db.get(count("1"))), BudgetExceeded);
  assert.equal(asked, 10);
});

Deno.test("a match after the deadline is discarded even without further rows", () => {
  using db = table();
  assert.throws(
    () => db.withBudget({ until: 0 }, () => db.get(sql("select re2('a', 'a')"))),
    BudgetExceeded,
  );
});

Deno.test("a pattern is not matched against a text beyond its cost limit", () => {
  using db = table();
  const matching = (text: string) =>
    db.withBudget({ matchCostMax: 5 }, () => db.get(sql("select re2('a', ?)", text)));
  assert.deepEqual(matching("bbbba"), [1]);
  assert.throws(() => matching("bbbbba"), BudgetExceeded);
});

Deno.test("the connection is usable after an abort, even in the same transaction", () => {
  using db = table();
  db.run(sql("begin"));
  assert.throws(() => db.withBudget({ rows: 8 }, () => db.get(count("1"))), BudgetExceeded);
  assert.deepEqual(db.withBudget({}, () => db.get(count("1"))), [ROWS]);
  db.run(sql("commit"));
  assert.deepEqual(db.get(count("re2('B', text)")), [ROWS]);
});

Deno.test("other errors are passed on unchanged", () => {
  using db = table();
  assert.throws(() => db.withBudget({ rows: 8 }, () => db.get(sql("select * from none"))), /none/);
});
