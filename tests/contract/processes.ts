import assert from "node:assert/strict";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Id, Position } from "@/lib/store/port.ts";
import {
  countsOf,
  definition,
  id,
  idsOf,
  keys,
  listAll,
  newSpace,
  rowsOf,
  trashDefinition,
  upTo,
} from "./fixtures.ts";
import { SecondProcess } from "./second_process.ts";
import type { Cases } from "./suite.ts";
import type { Call, CallResult, Task } from "./worker.ts";

const SHAPE = trashDefinition({
  fields: { email: { type: "String" }, n: { type: "Number" } },
  indexes: [{ keys: keys("email"), unique: true }],
});

const task = (space: Id, how: Task["how"], calls: readonly Call[]): Task => ({
  space,
  definition: SHAPE,
  calls,
  how,
});

const increment = (n = 1): Call => ({ update: eq("_id", id(1)), change: { increment: { n } } });

const refusals = (outcomes: readonly CallResult[]): string[] =>
  outcomes.flatMap((one) =>
    typeof one === "object" && one !== null && "refused" in one ? [one.refused] : []
  );

/** Repeats `ours` until the other process has finished. */
async function whileUnderWay(theirs: Promise<unknown>, ours: () => Promise<void>): Promise<void> {
  let ended = false;
  const end = () => void (ended = true);
  theirs.then(end, end);
  for (let round = 1; !ended; round++) {
    await ours();
    // Lets the response of the other process arrive.
    if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

export const processCases: Cases = {
  "increments of two processes add up exactly": async ({ engine, address }) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insert({ _id: id(1), n: 0, isDeleted: false });
    const [theirs, ours] = await Promise.all([
      other.run(task(space, "together", upTo(200).map(() => increment()))),
      Promise.all(
        upTo(200).map(() => records.updateOne(eq("_id", id(1)), { increment: { n: 1 } })),
      ),
    ]);
    assert.deepEqual(refusals(theirs), []);
    assert.equal((await records.get(id(1)))?.value.n, 400);
    const seen = new Set(ours.map((one) => one!.value.n));
    for (const one of theirs) seen.add(JSON.parse((one as { json: string }).json).n);
    assert.equal(seen.size, 400);
  },

  "transactions of two processes are serial": async ({ engine, address }) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insert({ _id: id(1), n: 0, isDeleted: false });
    const theirs = other.run(task(space, "together", upTo(100).map(() => increment(1000))));
    await Promise.all(
      upTo(100).map(() =>
        engine.transaction(space, async (tx) => {
          const n = (await tx.records(SHAPE).get(id(1)))!.value.n as number;
          await tx.records(SHAPE).updateOne(eq("_id", id(1)), { set: { n: n + 1 } });
        })
      ),
    );
    assert.deepEqual(refusals(await theirs), []);
    assert.equal((await records.get(id(1)))?.value.n, 100_100);
  },

  "of inserts of a unique value by two processes exactly one is stored": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    const rows = (from: number) =>
      upTo(100).map((n) => ({ _id: id(from + n), email: `${n % 20}`, isDeleted: false }));
    const [theirs, ours] = await Promise.all([
      other.run(task(space, "together", rows(1000).map((insert) => ({ insert })))),
      Promise.allSettled(rows(0).map((row) => records.insert(row))),
    ]);
    const ourRefusals = ours.filter((one) => one.status === "rejected");
    assert.deepEqual(
      new Set(refusals(theirs).concat(ourRefusals.map((one) => one.reason.name))),
      new Set(["UniqueViolation"]),
    );
    assert.equal(refusals(theirs).length + ourRefusals.length, 180);
    assert.deepEqual(await countsOf(records), { live: 20, deleted: 0, all: 20 });
    assert.equal(new Set((await listAll(records)).map((row) => row.email)).size, 20);
  },

  "two processes that claim and remove records never get the same one": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insertMany(upTo(100).map((n) => ({ _id: id(n), isDeleted: n >= 50 })));
    const claim = { set: { isDeleted: true, claimed: true } };
    const calls: Call[] = upTo(50).flatMap((n) => [
      { update: and(eq("_id", id(n)), eq("isDeleted", false)), change: claim },
      { delete: eq("_id", id(50 + n)) },
    ]);
    const [theirs, ours] = await Promise.all([
      other.run(task(space, "together", calls)),
      Promise.all(
        upTo(50).flatMap((n) => [
          records.updateOne(and(eq("_id", id(n)), eq("isDeleted", false)), claim),
          records.deleteOne(eq("_id", id(50 + n))),
        ]),
      ),
    ]);
    assert.deepEqual(refusals(theirs), []);
    const winners = ours.map((one, n) => Number(one !== null) + Number(theirs[n] !== null));
    assert.deepEqual(winners, upTo(100).map(() => 1));
    assert.deepEqual(await countsOf(records), { live: 0, deleted: 50, all: 50 });
  },

  "a process sees immediately what another process has stored": async ({ engine, address }) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    for (const n of upTo(20)) {
      await records.insert({ _id: id(2 * n), n, isDeleted: false });
      const [seen, count] = await other.run(
        task(space, "one by one", [
          { get: id(2 * n) },
          { count: ALL },
          { insert: { _id: id(2 * n + 1), n, isDeleted: true } },
        ]),
      );
      assert.notEqual(seen, null);
      assert.equal(count, 2 * n + 1);
      assert.equal((await records.get(id(2 * n + 1)))?.value.n, n);
      assert.deepEqual(await countsOf(records), { live: n + 1, deleted: n + 1, all: 2 * n + 2 });
    }
  },

  "a repeated list shows what another process stores": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insertMany(upTo(5).map((n) => ({ _id: id(n), n, isDeleted: false })));
    const query = { filter: eq("isDeleted", false), sort: keys("n"), limit: 100, total: true };
    const writes: Call[][] = [
      [{ update: eq("_id", id(1)), change: { set: { text: "theirs" } } }],
      [{ delete: eq("_id", id(4)) }],
      [{ insert: { _id: id(5), n: 4, isDeleted: false } }],
      [{ delete: eq("_id", id(5)) }, { insert: { _id: id(6), n: 4, isDeleted: false } }],
      [{ update: eq("_id", id(0)), change: { set: { isDeleted: true } } }],
    ];
    for (const calls of writes) {
      // Often enough for a driver to cache the result.
      for (const _ of upTo(8)) await records.list(query);
      const outcomes = await other.run(task(space, "one by one", [...calls, { list: query }]));
      assert.deepEqual(refusals(outcomes), []);
      for (const _ of upTo(8)) {
        const { items, total, size } = await records.list(query);
        assert.deepEqual(outcomes.at(-1), { items, total });
        assert.equal(total, size);
      }
    }
  },

  "listed records match their filter while another process changes them": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insertMany(upTo(10).map((n) => ({ _id: id(n), n: n % 2, isDeleted: false })));
    // Reads in between let this process reuse its cached state for a while.
    const pause = upTo(20).map((n): Call => ({ get: id(n) }));
    const flips = upTo(20).flatMap((n): Call[] => [
      { update: eq("_id", id(n % 10)), change: { set: { n: (n + (n < 10 ? 1 : 0)) % 2 } } },
      ...pause,
    ]);
    const flipping = other.run(task(space, "one by one", upTo(50).flatMap(() => flips)));
    const everything = { filter: ALL, sort: [], limit: 100 };
    const query = { filter: eq("n", 1), sort: [], limit: 100 };
    await whileUnderWay(flipping, async () => {
      await records.list(everything);
      const shown = rowsOf(await records.list(query));
      assert.ok(shown.every((row) => row.n === 1), JSON.stringify(shown));
    });
    assert.deepEqual(refusals(await flipping), []);
  },

  "a page and its total are consistent while another process writes": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insertMany(upTo(10).map((n) => ({ _id: id(n), n, isDeleted: false })));
    const calls: Call[] = [
      { insert: { _id: id(50), n: 50, isDeleted: false } },
      { delete: eq("_id", id(50)) },
    ];
    const writing = other.run(task(space, "one by one", upTo(1500).flatMap(() => calls)));
    const counted = { filter: compare("n", "gte", 0), sort: [], limit: 100, total: true };
    const kept = { ...counted, filter: eq("isDeleted", false) };
    await whileUnderWay(writing, async () => {
      for (const query of [counted, kept]) {
        const { size, total } = await records.list(query);
        assert.equal(total, size, JSON.stringify(query.filter));
      }
    });
    assert.deepEqual(refusals(await writing), []);
  },

  "counts stay exact when two processes write": async ({ engine, address }) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    const toTrash = (n: number) => ({
      update: eq("_id", id(n)),
      change: { set: { isDeleted: true } },
    });
    const theirs = other.run(
      task(
        space,
        "one by one",
        upTo(100).flatMap((n): Call[] => [
          { insert: { _id: id(1000 + n), isDeleted: false } },
          n % 2 === 0 ? toTrash(1000 + n) : { delete: eq("_id", id(1000 + n)) },
        ]),
      ),
    );
    for (const n of upTo(100)) {
      await records.insert({ _id: id(n), isDeleted: false });
      if (n % 4 === 0) await records.updateOne(eq("_id", id(n)), { set: { isDeleted: true } });
    }
    assert.deepEqual(refusals(await theirs), []);
    assert.deepEqual(await countsOf(records), { live: 75, deleted: 75, all: 150 });
  },

  "another process sees a transaction only after its end": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insert({ _id: id(1), n: 0, isDeleted: false });
    const calls: Call[] = [increment(), { insert: { _id: id(2), isDeleted: true } }];
    assert.deepEqual(refusals(await other.run(task(space, "transaction", calls))), []);
    assert.deepEqual(await listAll(records), [{ _id: id(1), n: 0, isDeleted: false }]);
    assert.deepEqual(await countsOf(records), { live: 1, deleted: 0, all: 1 });
    await other.send("go on");
    await other.answer();
    assert.equal((await records.get(id(1)))?.value.n, 1);
    assert.deepEqual(await countsOf(records), { live: 1, deleted: 1, all: 2 });
  },

  "a killed process loses no acknowledged write, and its transaction is undone": async (
    { engine, address },
  ) => {
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await using other = await SecondProcess.start(address);
    const inserts = (from: number): Call[] =>
      upTo(20).map((n) => ({ insert: { _id: id(from + n), n, isDeleted: n % 2 === 0 } }));
    assert.deepEqual(refusals(await other.run(task(space, "together", inserts(0)))), []);
    assert.deepEqual(refusals(await other.run(task(space, "transaction", inserts(100)))), []);
    await other.kill();
    await records.insert({ _id: id(50), n: 50, isDeleted: false });
    const stored = (await listAll(records)).map((row) => row._id);
    assert.deepEqual(stored, [...upTo(20), 50].map(id));
    assert.deepEqual(await countsOf(records), { live: 11, deleted: 10, all: 21 });
  },

  "two processes may create the same spaces and kinds concurrently": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    for (const space of upTo(50).map(newSpace)) {
      const [theirs] = await Promise.all([
        other.run(task(space, "one by one", [{ insert: { _id: id(1), isDeleted: false } }])),
        engine.createSpace(space).then(() =>
          engine.records(space, SHAPE).insert({ _id: id(2), isDeleted: true })
        ),
      ]);
      assert.deepEqual(refusals(theirs), []);
      assert.deepEqual(await countsOf(engine.records(space, SHAPE)), {
        live: 1,
        deleted: 1,
        all: 2,
      });
    }
  },

  "a page is consistent while another process moves its records": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    const shape = definition({
      fields: { n: { type: "Number" } },
      indexes: [{ keys: keys("n") }],
    });
    const records = engine.records(space, shape);
    await records.insertMany(upTo(10).map((n) => ({ _id: id(n), n: n < 5 ? 1 : 2 })));
    const from: Position = { values: [1], id: id(0) };
    // After the position, its record moves between the equal values and the greater ones.
    const moves = [2, 1].map((n): Call => ({ update: eq("_id", id(3)), change: { set: { n } } }));
    const moving = other.run({
      space,
      definition: shape,
      calls: upTo(1500).flatMap(() => moves),
      how: "one by one",
    });
    const query = { filter: compare("n", "gte", 1), sort: keys("n"), limit: 100, from };
    await whileUnderWay(moving, async () => {
      const found = idsOf(await records.list(query)).toSorted();
      assert.deepEqual(found, upTo(10).slice(1).map(id));
    });
    assert.deepEqual(refusals(await moving), []);
  },
};
