import assert from "node:assert/strict";
import { PathConflict, RecordTooLarge, UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Records } from "@/lib/store/port.ts";
import {
  countsOf,
  definition,
  id,
  keys,
  listAll,
  newSpace,
  rowsOf,
  stateOf,
  trashDefinition,
  uniqueViolation,
  upTo,
} from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

const SHAPE = trashDefinition({
  fields: { email: { type: "String" }, n: { type: "Number" } },
  indexes: [{ keys: keys("email"), unique: true }],
  bytesMax: 1000,
});

/** Stores two live records and a deleted one. */
async function storeRecords({ engine }: Store): Promise<{ space: string; records: Records }> {
  const space = newSpace();
  const records = engine.records(space, SHAPE);
  await records.insertMany([
    { _id: id(1), email: "a", n: 1, isDeleted: false },
    { _id: id(2), email: "b", n: 2, isDeleted: false },
    { _id: id(3), email: "c", n: 3, isDeleted: true },
  ]);
  return { space, records };
}

async function writeEverything(records: Records): Promise<void> {
  await records.insert({ _id: id(10), email: "x", isDeleted: false });
  await records.insertMany(upTo(3).map((n) => ({ _id: id(11 + n), isDeleted: n === 0 })));
  await records.updateOne(eq("_id", id(1)), { set: { isDeleted: true }, increment: { n: 1 } });
  await records.updateOne(eq("_id", id(2)), { replace: { email: "z", isDeleted: false } });
  await records.deleteOne(eq("_id", id(3)));
  await records.deleteMany(eq("_id", id(12)), 1);
}

export const transactionCases: Cases = {
  "a transaction resolves to the result of its work, and stores all of its writes": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    const result = await store.engine.transaction(space, async (tx) => {
      await writeEverything(tx.records(SHAPE));
      return "done";
    });
    assert.equal(result, "done");
    assert.deepEqual(await countsOf(records), { live: 3, deleted: 2, all: 5 });
    assert.equal((await records.get(id(1)))?.value.n, 2);
    assert.deepEqual((await records.get(id(2)))?.value, {
      _id: id(2),
      email: "z",
      isDeleted: false,
    });
  },

  "work sees its own changes in every kind of read": async (store) => {
    const { space } = await storeRecords(store);
    await store.engine.transaction(space, async (tx) => {
      const records = tx.records(SHAPE);
      await writeEverything(records);
      assert.deepEqual(await countsOf(records), { live: 3, deleted: 2, all: 5 });
      assert.equal((await records.get(id(10)))?.value.email, "x");
      assert.equal(await records.get(id(3)), null);
      assert.equal((await records.findOne(eq("email", "z")))?.value._id, id(2));
      assert.deepEqual((await listAll(records)).map((row) => row._id), [1, 2, 10, 11, 13].map(id));
      await assert.rejects(
        () => records.insert({ _id: id(20), email: "x", isDeleted: false }),
        uniqueViolation("email"),
      );
    }).catch((error) => assert.ok(error instanceof UniqueViolation, error));
  },

  "lists in a transaction show its changes, and repeated lists outside never do": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    const query = { filter: eq("isDeleted", false), sort: keys("n"), limit: 10, total: true };
    const before = (await records.list(query)).items;
    for (const _ of upTo(8)) await records.list(query);
    const failure = new Error("changed our mind");
    const run = store.engine.transaction(space, async (tx) => {
      const inside = tx.records(SHAPE);
      await inside.updateOne(eq("_id", id(1)), { set: { text: "inside" } });
      await inside.insert({ _id: id(10), n: 10, isDeleted: false });
      for (const _ of upTo(8)) {
        const page = await inside.list(query);
        assert.equal(rowsOf(page)[0]?.text, "inside");
        assert.deepEqual([page.size, page.total], [3, 3]);
      }
      throw failure;
    });
    await assert.rejects(() => run, failure);
    for (const _ of upTo(8)) {
      const page = await records.list(query);
      assert.deepEqual([page.items, page.total], [before, 2]);
    }
  },

  "an error thrown by work undoes the transaction and reaches the caller unchanged": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    const before = await stateOf(records);
    const failure = new Error("changed our mind");
    await assert.rejects(
      () =>
        store.engine.transaction(space, async (tx) => {
          await writeEverything(tx.records(SHAPE));
          throw failure;
        }),
      (error) => error === failure,
    );
    assert.deepEqual(await stateOf(records), before);
    await writeEverything(records);
  },

  "a unique violation inside a transaction undoes all of it": async (store) => {
    const { space, records } = await storeRecords(store);
    const before = await stateOf(records);
    await assert.rejects(
      () =>
        store.engine.transaction(space, async (tx) => {
          const inside = tx.records(SHAPE);
          await inside.insert({ _id: id(10), isDeleted: false });
          await inside.updateOne(eq("_id", id(1)), { increment: { n: 1 } });
          await inside.insert({ _id: id(11), email: "b", isDeleted: false });
        }),
      uniqueViolation("email"),
    );
    assert.deepEqual(await stateOf(records), before);
  },

  "after a failed call a transaction can only be undone, even if work ignores the error": async (
    store,
  ) => {
    const failures: [(records: Records) => Promise<unknown>, new (...of: never[]) => Error][] = [
      [(inside) => inside.insert({ _id: id(11), email: "b", isDeleted: false }), UniqueViolation],
      [(inside) => inside.insert({ _id: id(1), isDeleted: false }), UniqueViolation],
      [(inside) => inside.updateOne(ALL, { set: { "email.x": 1 } }), PathConflict],
      [(inside) => inside.updateOne(ALL, { set: { text: "x".repeat(1000) } }), RecordTooLarge],
    ];
    const { space, records } = await storeRecords(store);
    const before = await stateOf(records);
    for (const [fail, kind] of failures) {
      const run = store.engine.transaction(space, async (tx) => {
        const inside = tx.records(SHAPE);
        await inside.insert({ _id: id(10), isDeleted: false });
        await assert.rejects(() => fail(inside), kind);
        await inside.insert({ _id: id(12), isDeleted: false }).catch(() => null);
      });
      await assert.rejects(() => run, kind);
      assert.deepEqual(await stateOf(records), before);
    }
  },

  "a refused insertMany stores nothing, also in a transaction that continues": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    await store.engine.transaction(space, async (tx) => {
      const inside = tx.records(SHAPE);
      await assert.rejects(
        () =>
          inside.insertMany([
            { _id: id(10), isDeleted: false },
            { _id: id(11), text: "x".repeat(1000), isDeleted: false },
          ]),
        RecordTooLarge,
      );
    }).catch((error) => assert.ok(error instanceof RecordTooLarge, error));
    assert.equal(await records.get(id(10)), null);
    assert.deepEqual(await countsOf(records), { live: 2, deleted: 1, all: 3 });
  },

  "others see nothing of a transaction before its end, and all of it afterwards": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    const before = await stateOf(records);
    const written = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const ended = store.engine.transaction(space, async (tx) => {
      await writeEverything(tx.records(SHAPE));
      written.resolve();
      await mayEnd.promise;
    });
    await written.promise;
    const during = await stateOf(records);
    mayEnd.resolve();
    await ended;
    assert.deepEqual(during, before);
    assert.deepEqual(await countsOf(records), { live: 3, deleted: 2, all: 5 });
  },

  "a transaction covers records of several definitions": async ({ engine }) => {
    const space = newSpace();
    const [orders, totals] = ["orders", "totals"].map((name) => definition({ name }));
    const run = (fail: boolean) =>
      engine.transaction(space, async (tx) => {
        await tx.records(orders!).insert({ _id: id(fail ? 2 : 1) });
        await tx.records(totals!).insert({ _id: id(fail ? 2 : 1) });
        if (fail) throw new Error("changed our mind");
      });
    await run(false);
    await assert.rejects(() => run(true), { message: "changed our mind" });
    assert.deepEqual(await listAll(engine.records(space, orders!)), [{ _id: id(1) }]);
    assert.deepEqual(await listAll(engine.records(space, totals!)), [{ _id: id(1) }]);
  },

  "records first used in a failed transaction can be used afterwards": async ({ engine }) => {
    const space = newSpace();
    await assert.rejects(
      () =>
        engine.transaction(space, async (tx) => {
          await tx.records(SHAPE).insert({ _id: id(1), email: "a", isDeleted: false });
          throw new Error("changed our mind");
        }),
      { message: "changed our mind" },
    );
    const records = engine.records(space, SHAPE);
    assert.deepEqual(await countsOf(records), { live: 0, deleted: 0, all: 0 });
    await records.insert({ _id: id(1), email: "a", isDeleted: false });
    assert.deepEqual(await countsOf(records), { live: 1, deleted: 0, all: 1 });
  },

  "a failed transaction does not disturb the next one": async (store) => {
    const { space, records } = await storeRecords(store);
    const outcomes = await Promise.allSettled(
      upTo(20).map((n) =>
        store.engine.transaction(space, async (tx) => {
          await tx.records(SHAPE).updateOne(eq("_id", id(1)), { increment: { n: 1 } });
          if (n % 2 === 0) throw new Error("changed our mind");
        })
      ),
    );
    assert.equal(outcomes.filter((one) => one.status === "fulfilled").length, 10);
    assert.equal((await records.get(id(1)))?.value.n, 11);
  },

  "transactions of a space are serial: records that one read do not change before it ends": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    await Promise.all(
      upTo(50).map(() =>
        store.engine.transaction(space, async (tx) => {
          const inside = tx.records(SHAPE);
          const n = (await inside.get(id(1)))!.value.n as number;
          await Promise.resolve();
          await inside.updateOne(eq("_id", id(1)), { set: { n: n + 1 } });
        })
      ),
    );
    assert.equal((await records.get(id(1)))?.value.n, 51);
  },

  "single writes and transactions on a record do not lose each other's changes": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    await Promise.all(
      upTo(60).map((n) =>
        n % 2 === 0
          ? records.updateOne(eq("_id", id(1)), { increment: { n: 1 } })
          : store.engine.transaction(space, async (tx) => {
            const inside = tx.records(SHAPE);
            const value = (await inside.findOne(eq("_id", id(1))))!.value.n as number;
            await inside.updateOne(eq("_id", id(1)), { set: { n: value + 1 } });
          })
      ),
    );
    assert.equal((await records.get(id(1)))?.value.n, 61);
  },

  "a transaction in one space does not affect other spaces": async (store) => {
    const [one, other] = [await storeRecords(store), await storeRecords(store)];
    const before = await stateOf(other.records);
    await store.engine.transaction(
      one.space,
      (tx) => tx.records(SHAPE).deleteMany(ALL, 10),
    );
    assert.equal(await one.records.count(ALL), 0);
    assert.deepEqual(await stateOf(other.records), before);
  },

  "the records of a transaction are refused after its end": async (store) => {
    const { space, records } = await storeRecords(store);
    const before = await stateOf(records);
    let kept: Records | undefined;
    await store.engine.transaction(space, (tx) => Promise.resolve(kept = tx.records(SHAPE)));
    await assert.rejects(() => kept!.insert({ _id: id(10), isDeleted: false }));
    await assert.rejects(() => kept!.updateOne(ALL, { increment: { n: 1 } }));
    await assert.rejects(() => kept!.deleteOne(ALL));
    assert.deepEqual(await stateOf(records), before);
  },

  "a write by the engine's records inside a transaction is refused instead of waiting": async (
    store,
  ) => {
    const { space, records } = await storeRecords(store);
    const before = await stateOf(records);
    const deleteWithOuterRecords = () =>
      store.engine.transaction(space, (tx) => tx.records(SHAPE).deleteOne(ALL));
    const writes = [
      () => records.insert({ _id: id(10), isDeleted: false }),
      () => records.insertMany([{ _id: id(10), isDeleted: false }]),
      () => records.updateOne(ALL, { set: { n: 5 } }),
      () => records.deleteOne(ALL),
      () => records.deleteMany(ALL, 5),
      deleteWithOuterRecords,
      () => store.engine.transaction(newSpace(), deleteWithOuterRecords),
    ];
    await store.engine.transaction(space, async () => {
      for (const write of writes) await assert.rejects(write, /must use the records it was given/);
      assert.equal((await records.get(id(1)))?.value.n, 1);
    });
    assert.deepEqual(await stateOf(records), before);
  },

  "work that outlives its transaction may use the engine's records": async (store) => {
    const { space, records } = await storeRecords(store);
    const ended = Promise.withResolvers<void>();
    let later: Promise<unknown> = Promise.resolve();
    await store.engine.transaction(space, async (tx) => {
      await tx.records(SHAPE).updateOne(eq("_id", id(1)), { increment: { n: 1 } });
      later = ended.promise.then(() =>
        records.updateOne(eq("_id", id(1)), { increment: { n: 1 } })
      );
    });
    ended.resolve();
    await later;
    assert.equal((await records.get(id(1)))?.value.n, 3);
  },

  "records of another space can be written inside a transaction": async (store) => {
    const [one, other] = [await storeRecords(store), await storeRecords(store)];
    await store.engine.transaction(one.space, async (tx) => {
      await tx.records(SHAPE).updateOne(eq("_id", id(1)), { increment: { n: 1 } });
      await other.records.updateOne(eq("_id", id(1)), { increment: { n: 1 } });
    });
    assert.equal((await one.records.get(id(1)))?.value.n, 2);
    assert.equal((await other.records.get(id(1)))?.value.n, 2);
  },
};
