/** Damaged schemas: refused for their project and logged, without an internal error. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreMismatch, StoreUnavailable } from "@/lib/store/errors.ts";
import { ALL, compare, eq } from "@/lib/store/filter.ts";
import type { Engine } from "@/lib/store/port.ts";
import { SqliteEngine } from "@/lib/store/sqlite/engine.ts";
import { definition, id, keys, newSpace } from "./fixtures.ts";
import { tempFolder } from "./sqlite_folder.ts";

const THINGS = definition({
  fields: { n: { type: "Number" }, text: { type: "String" } },
  indexes: [{ keys: keys("n") }, { keys: keys("text"), unique: true }],
});
const OTHERS = { ...THINGS, name: "others" };
const PAGE_BYTES = 4096;
const HEAD_BYTES = 100;

const openOn = (folder: string) => SqliteEngine.open({ folder, sync: "normal" });

/** Creates a folder with two projects. Each use damages the file of the first one in a copy. */
async function openFilled() {
  const folder = await tempFolder();
  const [lost, other] = [newSpace(), newSpace()] as const;
  const template = `${folder.path}/made`;
  const engine = await openOn(template);
  for (const space of [lost, other]) {
    await engine.createSpace(space);
    const records = Array.from({ length: 50 }, (_, n) => ({ _id: id(n), n, text: `text ${n}` }));
    await engine.records(space, THINGS).insertMany(records);
  }
  await engine[Symbol.asyncDispose]();
  let copies = 0;
  return {
    lost,
    other,
    async copy(damage: (file: string) => Promise<void> | void): Promise<string> {
      const copy = `${folder.path}/copy ${copies++}`;
      await Deno.mkdir(`${copy}/projects`, { recursive: true });
      for (const name of ["control", `projects/${lost}`, `projects/${other}`]) {
        await Deno.copyFile(`${template}/${name}.db`, `${copy}/${name}.db`);
      }
      await damage(`${copy}/projects/${lost}.db`);
      return copy;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const usesOf = (engine: Engine, space: string): (() => Promise<unknown>)[] => {
  const records = engine.records(space, THINGS);
  return [
    () => records.list({ filter: ALL, sort: keys("n"), limit: 10 }),
    () => records.list({ filter: eq("text", "text 3"), sort: [], limit: 10 }),
    () => records.count(compare("n", "gt", 3)),
    () => records.findOne(eq("_id", id(3))),
    () => records.insert({ _id: id(99), n: 1, text: "new" }),
    () => records.updateOne(eq("_id", id(3)), { set: { n: 7 } }),
    () => records.deleteOne(eq("_id", id(4))),
    () => engine.transaction(space, (tx) => tx.records(THINGS).insert({ _id: id(98), text: "x" })),
    () => engine.records(space, OTHERS).insert({ _id: id(1) }),
  ];
};

/** Resolves to the number of refused uses. Fails on errors that are not about the store. */
async function refusals(engine: Engine, space: string): Promise<number> {
  let refused = 0;
  for (const use of usesOf(engine, space)) {
    try {
      await use();
    } catch (error) {
      const isStoreProblem = error instanceof StoreUnavailable || error instanceof StoreMismatch;
      assert.ok(isStoreProblem, `${(error as Error).stack}`);
      refused++;
    }
  }
  return refused;
}

const run = (statements: string) => (file: string) => {
  using db = new DatabaseSync(file);
  (db as DatabaseSync & { enableDefensive(enabled: boolean): void }).enableDefensive(false);
  db.exec(statements);
};

const HARMS: Readonly<Record<string, string>> = {
  "a table is missing": "drop table counts",
  "all tables are missing": "pragma writable_schema = on; delete from sqlite_schema",
  "a table has another name": "alter table r_things rename to r_thinga",
  "a column has another name": "alter table r_things rename column rev to rez",
  "a column of the counts has another name": "alter table counts rename column live to love",
  "the schema is not SQL": "pragma writable_schema = on; update sqlite_schema set sql = 'creaxe'",
  "a table has another root page":
    "pragma writable_schema = on; update sqlite_schema set rootpage = 2",
  "the owner is missing": "delete from counts",
};

for (const [harm, statements] of Object.entries(HARMS)) {
  Deno.test(`if ${harm}, only that project is refused, before and while it is open`, async () => {
    await using filled = await openFilled();
    const { lost, other } = filled;
    for (const isOpen of [false, true]) {
      const damage = run(statements);
      const folder = await filled.copy(isOpen ? () => {} : damage);
      await using engine = await openOn(folder);
      if (isOpen) {
        assert.equal(await engine.records(lost, THINGS).count(ALL), 50);
        damage(`${folder}/projects/${lost}.db`);
      }
      const refused = await refusals(engine, lost);
      // Connections reload the schema if SQLite itself has changed it.
      if (!isOpen || /^(?:drop|alter) /.test(statements)) assert.ok(refused > 0, harm);
      assert.equal(await refusals(engine, other), 0);
      await engine.ping();
    }
  });
}

/** Yields pseudorandom numbers that are the same in each run. */
function* numbers(): Generator<number, never> {
  for (let seed = 1;;) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    yield seed / 2 ** 32;
  }
}

Deno.test("damaged bytes of the schema never cause an internal error", async () => {
  await using filled = await openFilled();
  const { lost, other } = filled;
  const random = numbers();
  const below = (most: number) => Math.floor(random.next().value * most);
  let refused = 0;
  for (let tries = 0; tries < 60; tries++) {
    const folder = await filled.copy(async (file) => {
      const bytes = await Deno.readFile(file);
      for (let changed = 0; changed < 3; changed++) {
        bytes[HEAD_BYTES + below(PAGE_BYTES - HEAD_BYTES)] = below(256);
      }
      await Deno.writeFile(file, bytes);
    });
    await using engine = await openOn(folder);
    refused += await refusals(engine, lost);
    assert.equal(await refusals(engine, other), 0);
  }
  assert.ok(refused > 60, `${refused} uses were refused`);
});
