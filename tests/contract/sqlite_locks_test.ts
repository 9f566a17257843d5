import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Records } from "@/lib/store/port.ts";
import {
  countsOf,
  id,
  keys,
  listAll,
  newSpace,
  stateOf,
  trashDefinition,
  upTo,
} from "./fixtures.ts";
import { SecondProcess } from "./second_process.ts";
import { openFolder } from "./sqlite_folder.ts";
import type { Store } from "./suite.ts";

const SHAPE = trashDefinition({
  fields: { n: { type: "Number" } },
  indexes: [{ keys: keys("n") }],
});

async function storeRecords({ engine }: Store): Promise<{ space: string; records: Records }> {
  const space = newSpace();
  const records = engine.records(space, SHAPE);
  await records.insert({ _id: id(1), n: 1, isDeleted: false });
  return { space, records };
}

const fileOf = ({ address }: Store, space: string): string =>
  `${address.slice("sqlite:".length)}/projects/${space}.db`;

function lock(store: Store, space: string): Disposable {
  const db = new DatabaseSync(fileOf(store, space));
  db.exec("begin immediate");
  return { [Symbol.dispose]: () => db.close() };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

Deno.test("all kinds of reads work during a transaction", async () => {
  await using store = await openFolder();
  const { space, records } = await storeRecords(store);
  const written = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const ended = store.engine.transaction(space, async (tx) => {
    await tx.records(SHAPE).updateOne(eq("_id", id(1)), { set: { n: 2, isDeleted: true } });
    written.resolve();
    await mayEnd.promise;
  });
  await written.promise;
  assert.equal((await records.get(id(1)))?.value.n, 1);
  assert.equal((await records.findOne(eq("n", 1)))?.value._id, id(1));
  assert.deepEqual((await listAll(records, ALL, keys("n"))).map((row) => row.n), [1]);
  assert.deepEqual(await countsOf(records), { live: 1, deleted: 0, all: 1 });
  mayEnd.resolve();
  await ended;
  assert.deepEqual(await countsOf(records), { live: 0, deleted: 1, all: 1 });
});

Deno.test("a write that waits for another process's lock does not block this process", async () => {
  await using store = await openFolder();
  const { space, records } = await storeRecords(store);
  const other = lock(store, space);
  const write = records.updateOne(ALL, { increment: { n: 1 } });
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    assert.equal((await records.get(id(1)))?.value.n, 1);
  }
  other[Symbol.dispose]();
  assert.equal((await write)?.value.n, 2);
});

/** Worker script that creates an index and ends its transaction on a message. */
const MAKER = `
  import { DatabaseSync } from "node:sqlite";
  onmessage = ({ data: path }) => {
    const db = new DatabaseSync(path);
    db.exec("begin immediate");
    postMessage("begun");
    db.exec("create index made on r_things(id, doc, seq)");
    postMessage("made");
    onmessage = () => {
      db.exec("commit");
      db.close();
      postMessage("ended");
    };
  };`;

function multiply(path: string, count: number): void {
  using db = new DatabaseSync(path);
  const all = db.prepare("select name from pragma_table_info('r_things')").all();
  const rest = all.map(({ name }) => `"${name}"`).filter((name) => !/^"(seq|id)"$/.test(name))
    .join();
  db.exec(
    `with recursive n(i) as (select 100 union all select i + 1 from n where i < ${count + 99})
     insert into r_things(id, ${rest}) select printf('%024x', i), ${rest} from r_things, n
     where seq = 1`,
  );
}

Deno.test("while an index is built its project is read, and writes to it wait", async () => {
  await using store = await openFolder();
  const [{ space, records }, other] = [await storeRecords(store), await storeRecords(store)];
  multiply(fileOf(store, space), 50_000);
  const maker = new Worker(`data:text/javascript,${encodeURIComponent(MAKER)}`, { type: "module" });
  try {
    const events: string[] = [];
    const record = (what: string) =>
      new Promise<void>((resolve) =>
        maker.addEventListener("message", ({ data }) => {
          if (data === what) resolve(void events.push(what));
        })
      );
    const [begun, made, ended] = ["begun", "made", "ended"].map(record);
    maker.postMessage(fileOf(store, space));
    await begun;
    const write = records.updateOne(eq("_id", id(1)), { increment: { n: 1 } })
      .finally(() => events.push("written"));
    for (let writes = 1; writes <= 5 || events.at(-1) === "begun"; writes++) {
      assert.equal((await records.get(id(1)))?.value.n, 1);
      const done = await other.records.updateOne(eq("_id", id(1)), { increment: { n: 1 } });
      assert.equal(done?.value.n, 1 + writes);
      await nextTurn();
    }
    await made;
    assert.deepEqual(events, ["begun", "made"]);
    maker.postMessage("end");
    await ended;
    assert.equal((await write)?.value.n, 2);
  } finally {
    maker.terminate();
  }
});

Deno.test("a write that never gets the lock is StoreUnavailable and changes nothing", async () => {
  await using store = await openFolder();
  const { space, records } = await storeRecords(store);
  const before = await stateOf(records);
  const other = lock(store, space);
  await assert.rejects(() => records.updateOne(ALL, { increment: { n: 1 } }), StoreUnavailable);
  other[Symbol.dispose]();
  assert.deepEqual(await stateOf(records), before);
  assert.equal((await records.updateOne(ALL, { increment: { n: 1 } }))?.value.n, 2);
});

Deno.test("two processes that write continuously get turns, and neither starves", async () => {
  await using store = await openFolder();
  await using other = await SecondProcess.start(store.address);
  const space = newSpace();
  const records = store.engine.records(space, SHAPE);
  const writes = 3000;
  const row = (n: number) => ({ _id: id(n), n, isDeleted: false });
  const theirs = other.run({
    space,
    definition: SHAPE,
    calls: upTo(writes).map((n) => ({ insert: row(writes + n) })),
    how: "one by one",
  });
  while (await records.get(id(writes)) === null) await nextTurn();
  for (const n of upTo(writes)) await records.insert(row(n));
  await theirs;
  assert.equal(await records.count(ALL), 2 * writes);

  const file = `${store.address.slice("sqlite:".length)}/projects/${space}.db`;
  using db = new DatabaseSync(file, { readOnly: true });
  const isOurs = db.prepare("select id from r_things order by seq").all()
    .map((stored) => String(stored.id) < id(writes));
  const ends = [true, false].map((whose) => isOurs.lastIndexOf(whose));
  const first = Math.min(...ends);
  const ofTheLater = first + 1 - writes;
  const turns = isOurs.slice(0, first).filter((whose, n) => whose !== isOurs[n + 1]).length;
  assert.ok(
    ofTheLater >= writes / 5,
    `${ofTheLater} writes of one process during ${writes} of the other`,
  );
  assert.ok(turns >= 10, `${turns} turns`);
});
