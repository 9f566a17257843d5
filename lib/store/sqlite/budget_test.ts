import assert from "node:assert/strict";
import { BudgetExceeded, DOCUMENT_GUARD, GUARD } from "./budget.ts";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";

const ROWS = 20_000;

/** `n` counts from 0; `text` is the same everywhere. */
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

Deno.test("a statement that needs less than its allowance is not touched", () => {
  using db = table();
  assert.deepEqual(db.within({ rows: 2 * ROWS }, () => db.get(count("n % 2 = 0"))), [ROWS / 2]);
  assert.ok(Math.abs(db.rowsSeen - ROWS) < ROWS / 3, String(db.rowsSeen)); // Eight deviations.
});

Deno.test("of any rows about one in 32 is counted, whichever they are", () => {
  using db = table();
  for (const which of ["n < 2500", "n % 8 = 3", "n & 255 < 32"]) {
    const rows = sql(`select 1 from t where ${which} and ${GUARD}`);
    db.within({ rows: Infinity }, () => db.all(rows));
    assert.ok(Math.abs(db.rowsSeen - 2_500) < 2_000, `${which}: ${db.rowsSeen}`); // Seven deviations.
  }
});

Deno.test("rows in sequence are counted as others are, by whatever number a run draws", () => {
  using db = table();
  const rows = sql(`select 1 from t where seq <= 2500 and ${GUARD}`);
  for (let run = 0; run < 1_000; run++) {
    db.within({ rows: Infinity }, () => db.all(rows));
    assert.ok(Math.abs(db.rowsSeen - 2_500) < 2_000, String(db.rowsSeen));
  }
});

Deno.test("a statement ends soon after its rows are spent, whichever rows it looks at", () => {
  using db = table();
  db.run(sql("create index eighths on t(n % 8, n)"));
  for (const condition of ["1", "n % 8 = 3", "text = 'none'", "re2('none', text)"]) {
    assert.throws(() => db.within({ rows: 400 }, () => db.get(count(condition))), BudgetExceeded);
    assert.ok(db.rowsSeen <= 500, `${condition}: ${db.rowsSeen}`);
  }
});

Deno.test("of large documents each is counted, as it takes as long as several others", () => {
  using db = opened();
  db.run(sql("create table t(seq integer primary key, doc text not null)"));
  const ofBytes = (bytes: number) =>
    db.run(sql(
      "insert into t(doc) with recursive up(n) as (select 1 union all select n + 1 from up " +
        `where n < 256) select '${"a".repeat(bytes)}' from up`,
    ));
  const counted = (guard: string) =>
    db.within({}, () => (db.get(sql(`select count(*) from t where ${guard}`)), db.rowsSeen));
  ofBytes(70_000);
  assert.ok(counted(GUARD) <= 1_024);
  assert.equal(counted(DOCUMENT_GUARD), 8 * 256);
  ofBytes(1_000);
  assert.ok(counted(DOCUMENT_GUARD) <= 8 * 256 + 768);
});

Deno.test("all statements of one reading share its allowance", () => {
  using db = table();
  const few = count("n < 256");
  db.run(sql("create index by_n on t(n)"));
  assert.deepEqual(db.within({ rows: 1_000 }, () => db.get(few)), [256]);
  assert.throws(() =>
    db.within({ rows: 1_000 }, () => {
      for (let again = 0; again < 20; again++) db.get(few);
    }), BudgetExceeded);
});

Deno.test("a statement ends when its time is up, or when it is told to", () => {
  using db = table();
  assert.throws(() => db.within({ until: 0 }, () => db.get(count("1"))), BudgetExceeded);
  let asked = 0;
  const stop = () => ++asked === 10;
  assert.throws(() => db.within({ stop }, () => db.get(count("1"))), BudgetExceeded);
  assert.equal(asked, 10);
});

Deno.test("what is matched after the end does not count, also where no row is left to notice", () => {
  using db = table();
  assert.throws(
    () => db.within({ until: 0 }, () => db.get(sql("select re2('a', 'a')"))),
    BudgetExceeded,
  );
});

Deno.test("a pattern is not looked for in a text that is too long", () => {
  using db = table();
  const matching = (text: string) =>
    db.within({ matchCostMax: 5 }, () => db.get(sql("select re2('a', ?)", text)));
  assert.deepEqual(matching("bbbba"), [1]);
  assert.throws(() => matching("bbbbba"), BudgetExceeded);
});

Deno.test("after its end the connection serves the next, also in the same transaction", () => {
  using db = table();
  db.run(sql("begin"));
  assert.throws(() => db.within({ rows: 8 }, () => db.get(count("1"))), BudgetExceeded);
  assert.deepEqual(db.within({}, () => db.get(count("1"))), [ROWS]);
  db.run(sql("commit"));
  assert.deepEqual(db.get(count("re2('B', text)")), [ROWS]);
});

Deno.test("other errors pass as they are", () => {
  using db = table();
  assert.throws(() => db.within({ rows: 8 }, () => db.get(sql("select * from none"))), /none/);
});
