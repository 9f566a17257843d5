import assert from "node:assert/strict";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { optimize } from "./statistics.ts";

Deno.test("optimize keeps one row of statistics per index when it runs again", () => {
  const db = new Connection(":memory:", "normal");
  db.run(sql("create table r_things(seq integer primary key, id text not null unique)"));
  db.run(sql(
    'create table "a_things (tags)"(seq integer, tag text, primary key(seq, tag)) without rowid',
  ));
  db.run(sql('create index i_tags on "a_things (tags)"(tag)'));
  let counted = "";
  for (const rows of [10, 1_000]) {
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)`;
    db.run(sql(`${numbers} insert or ignore into r_things select i, i from n`, rows));
    db.run(sql(`${numbers} insert or ignore into "a_things (tags)" select i, 't' from n`, rows));
    optimize(db);
    counted = db.all(sql("select idx, stat from sqlite_stat1 order by idx")).join("; ");
  }
  assert.equal(
    counted,
    "a_things (tags),1000 1 1; i_tags,1000 1000; sqlite_autoindex_r_things_1,1000 1",
  );
});
