/** Statistics for SQLite's planner stay current, also for connections that are already open. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { and, eq } from "@/lib/store/filter.ts";
import type { Definition } from "@/lib/store/port.ts";
import { until } from "../acceptance/until.ts";
import { id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { openFolder } from "./sqlite_folder.ts";

const FIELDS: Definition["fields"] = {
  kind: { type: "String" },
  owner: { type: "String" },
  tags: { type: "Array", items: { type: "String" } },
};
const [KIND, OWNER] = [{ keys: keys("kind") }, { keys: keys("owner") }];

const shape = (indexes: Definition["indexes"]): Definition =>
  trashDefinition({ fields: FIELDS, indexes, search: ["owner"] });

const row = (n: number, text = "") => ({
  _id: id(n),
  kind: `k${n % 2}`,
  owner: `o${n % 500}`,
  tags: ["all", `t${n % 3}`],
  text,
  isDeleted: false,
});

function analyzed(path: string): string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  try {
    return db.prepare("select idx from sqlite_stat1 where idx is not null order by 1").all()
      .map(({ idx }) => String(idx));
  } catch {
    return []; // There are no statistics yet.
  }
}

for (const [name, indexes] of Object.entries({ kind: [KIND, OWNER], owner: [OWNER, KIND] })) {
  Deno.test(`after a checkpoint SQLite prefers the better index, even if ${name} came first`, async () => {
    await using store = await openFolder();
    const { engine, address } = store;
    const space = newSpace();
    const definition = shape([...indexes, { keys: keys("tags") }]);
    const records = engine.records(space, definition);
    const path = `${address.slice("sqlite:".length)}/projects/${space}.db`;
    const text = "x".repeat(20_000);
    const wanted = [
      "a_things (tags)",
      "i_things list (kind)",
      "i_things list (owner)",
      "i_things list (tags)",
      "sqlite_autoindex_r_things_1",
    ];
    await records.insertMany(upTo(100).map((n) => row(n, text)));
    let n = 100;
    await until("all indexes are counted", async () => {
      await records.insertMany(upTo(100).map((i) => row(n + i, text)));
      n += 100;
      return JSON.stringify(analyzed(path)) === JSON.stringify(wanted);
    });
    const filter = and(eq("isDeleted", false), eq("kind", "k1"), eq("owner", "o7"));
    const { index } = await records.explain({ filter, sort: [], limit: 5 });
    assert.deepEqual(index, keys("owner"));
  });
}

Deno.test("indexes that a definition adds in a thread get statistics", async () => {
  await using store = await openFolder({ threadRowsMin: 0 });
  const { engine, address } = store;
  const space = newSpace();
  const [before, after] = [shape([]), shape([KIND, OWNER])];
  await engine.records(space, before).insertMany(upTo(1_000).map((n) => row(n)));
  await engine.transaction(space, (tx) => tx.define(after, before), { redefines: before });
  const path = `${address.slice("sqlite:".length)}/projects/${space}.db`;
  assert.deepEqual(
    analyzed(path),
    ["i_things list (kind)", "i_things list (owner)", "sqlite_autoindex_r_things_1"],
  );
  const filter = and(eq("isDeleted", false), eq("kind", "k1"), eq("owner", "o7"));
  const { index } = await engine.records(space, after).explain({ filter, sort: [], limit: 5 });
  assert.deepEqual(index, keys("owner"));
});
