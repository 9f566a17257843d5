import assert from "node:assert/strict";
import { UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, and, compare, eq, or } from "@/lib/store/filter.ts";
import type { StoredRecord } from "@/lib/store/port.ts";
import {
  countsOf,
  definition,
  id,
  keys,
  listAll,
  newSpace,
  trashDefinition,
  uniqueViolation,
  upTo,
} from "./fixtures.ts";
import type { Cases } from "./suite.ts";

type Counter = StoredRecord & { n: number; by: number };

const COUNTERS = definition({
  fields: { key: { type: "String" }, n: { type: "Number" } },
  indexes: [{ keys: keys("key"), unique: true }],
});

export const concurrencyCases: Cases = {
  "of 200 concurrent claims of a record exactly one succeeds": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    await records.insert({ _id: id(1), state: "free" });
    const claim = and(eq("_id", id(1)), eq("state", "free"));
    const claims = await Promise.all(
      upTo(200).map((n) => records.updateOne(claim, { set: { state: "taken", by: n } })),
    );
    const winners = claims.filter((one) => one !== null);
    assert.equal(winners.length, 1);
    assert.deepEqual(await listAll(records), [winners[0]!.value]);
  },

  "of 100 concurrent claims of ten records exactly ten succeed, each of another record": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), trashDefinition());
    await records.insertMany(upTo(10).map((n) => ({ _id: id(n), isDeleted: false })));
    const claims = await Promise.all(
      upTo(100).map(() => records.updateOne(eq("isDeleted", false), { set: { isDeleted: true } })),
    );
    const won = claims.filter((one) => one !== null).map((one) => one.value._id);
    assert.deepEqual(won.toSorted(), upTo(10).map(id));
    assert.deepEqual(await countsOf(records), { live: 0, deleted: 10, all: 10 });
  },

  "200 concurrent increments add up, and each returns its own result": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const { revision } = await records.insert({ _id: id(1), n: 0 });
    const results = await Promise.all(
      upTo(200).map(() => records.updateOne(eq("_id", id(1)), { increment: { n: 1 } })),
    );
    const seen = results.map((one) => one!.value.n as number).sort((a, b) => a - b);
    assert.deepEqual(seen, upTo(200).map((n) => n + 1));
    const last = await records.get(id(1));
    assert.equal(last?.value.n, 200);
    assert.ok(last.revision >= revision + 200);
  },

  "100 concurrent pushes and pulls of a list lose nothing": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    await records.insert({ _id: id(1), old: upTo(50), all: [], set: [], best: 0 });
    const changes = upTo(100).map((n) =>
      records.updateOne(eq("_id", id(1)), {
        push: { all: [n] },
        addToSet: { set: [n % 10] },
        max: { best: n },
        pull: { old: [n] },
      })
    );
    await Promise.all(changes);
    const { all, set, best, old } = (await records.get(id(1)))!.value;
    const ascending = (list: unknown) => (list as number[]).toSorted((a, b) => a - b);
    assert.deepEqual(ascending(all), upTo(100));
    assert.deepEqual(ascending(set), upTo(10));
    assert.deepEqual([best, old], [99, []]);
  },

  "a capped counter never exceeds its cap": async ({ engine }) => {
    const records = engine.records(
      newSpace(),
      definition({ fields: { used: { type: "Number" } } }),
    );
    await records.insert({ _id: id(1) });
    const room = and(eq("_id", id(1)), or(eq("used", null), compare("used", "lte", 100 - 3)));
    const charges = await Promise.all(
      upTo(100).map(() => records.updateOne(room, { increment: { used: 3 } })),
    );
    assert.equal(charges.filter((one) => one !== null).length, 33);
    assert.equal((await records.get(id(1)))?.value.used, 99);
  },

  "of 50 upserts of an _id one inserts, the others change it, and each returns its result": async (
    { engine },
  ) => {
    const records = engine.records<Counter>(newSpace(), definition());
    const results = await Promise.all(
      upTo(50).map((n) =>
        records.upsert(eq("_id", id(1)), { increment: { n: 1 } }, { _id: id(1), n: 1, by: n })
      ),
    );
    const seen = results.map(({ value: { n } }) => n).sort((a, b) => a - b);
    assert.deepEqual(seen, upTo(50).map((n) => n + 1));
    assert.equal(
      new Set(results.map(({ value: { by } }) => by)).size,
      1,
      "only one insert took effect",
    );
    assert.equal(await records.count(ALL), 1);
  },

  "50 upserts by a unique value add up exactly, whatever their ids": async (
    { engine },
  ) => {
    const records = engine.records<Counter>(newSpace(), COUNTERS);
    const results = await Promise.all(
      upTo(50).map((n) =>
        records.upsert(eq("key", "a"), { increment: { n } }, { _id: id(n), key: "a", n, by: n })
      ),
    );
    assert.equal(Math.max(...results.map(({ value: { n } }) => n)), 1225);
    const [only, ...others] = await listAll(records);
    assert.deepEqual([only?.n, others], [1225, []]);
  },

  "a capped upsert never exceeds its cap, and is refused by its unique value": async (
    { engine },
  ) => {
    const records = engine.records<Counter>(newSpace(), COUNTERS);
    const below = and(eq("key", "a"), compare("n", "lte", 100 - 3));
    const charges = await Promise.allSettled(
      upTo(50).map((n) =>
        records.upsert(below, { increment: { n: 3 } }, { _id: id(n), key: "a", n: 3, by: n })
      ),
    );
    const refused = charges.filter((one) => one.status === "rejected");
    assert.equal(refused.length, 17);
    for (const { reason } of refused) uniqueViolation("key")(reason);
    assert.deepEqual((await listAll(records)).map(({ n }) => n), [99]);
  },

  "concurrent upserts within transactions add up": async ({ engine }) => {
    const space = newSpace();
    await Promise.all(
      upTo(12).map((by) =>
        engine.transaction(space, async (tx) => {
          const records = tx.records<Counter>(definition());
          const one = { _id: id(1), n: 1, by };
          await records.upsert(eq("_id", id(1)), { increment: { n: 1 } }, one);
        })
      ),
    );
    const records = engine.records<Counter>(space, definition());
    assert.deepEqual((await listAll(records)).map(({ n }) => n), [12]);
  },

  "of 50 concurrent inserts of a unique value exactly one is stored": async ({ engine }) => {
    const shape = trashDefinition({
      fields: { email: { type: "String" } },
      indexes: [{ keys: keys("email"), unique: true }],
    });
    const records = engine.records(newSpace(), shape);
    const outcomes = await Promise.allSettled(
      upTo(50).map((n) => records.insert({ _id: id(n), email: "a", isDeleted: false })),
    );
    const refused = outcomes.filter((one) => one.status === "rejected");
    assert.equal(refused.length, 49);
    for (const { reason } of refused) assert.ok(reason instanceof UniqueViolation, reason);
    assert.deepEqual(await countsOf(records), { live: 1, deleted: 0, all: 1 });
  },

  "of 50 concurrent inserts of an _id exactly one is stored": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    const outcomes = await Promise.allSettled(
      upTo(50).map((n) => records.insert({ _id: id(1), n, isDeleted: false })),
    );
    assert.equal(outcomes.filter((one) => one.status === "fulfilled").length, 1);
    assert.deepEqual(await countsOf(records), { live: 1, deleted: 0, all: 1 });
  },

  "of 50 concurrent changes to a unique value exactly one is stored": async ({ engine }) => {
    const shape = definition({
      fields: { email: { type: "String" } },
      indexes: [{ keys: keys("email"), unique: true }],
    });
    const records = engine.records(newSpace(), shape);
    await records.insertMany(upTo(50).map((n) => ({ _id: id(n), email: `${n}` })));
    const outcomes = await Promise.allSettled(
      upTo(50).map((n) => records.updateOne(eq("_id", id(n)), { set: { email: "a" } })),
    );
    assert.equal(outcomes.filter((one) => one.status === "fulfilled").length, 1);
    assert.equal(await records.count(eq("email", "a")), 1);
    assert.equal(await records.count(ALL), 50);
  },

  "of 50 concurrent removals of a record exactly one returns it": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    await records.insert({ _id: id(1), isDeleted: false });
    await records.insert({ _id: id(2), isDeleted: false });
    const removed = await Promise.all(upTo(50).map(() => records.deleteOne(eq("_id", id(1)))));
    assert.equal(removed.filter((one) => one !== null).length, 1);
    assert.deepEqual(await countsOf(records), { live: 1, deleted: 0, all: 1 });
  },

  "concurrent removals with limits remove each record once": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    await records.insertMany(upTo(100).map((n) => ({ _id: id(n), n, isDeleted: true })));
    const removed = await Promise.all(
      upTo(12).map(() => records.deleteMany(compare("n", "gte", 5), 10)),
    );
    assert.equal(removed.reduce((sum, one) => sum + one, 0), 95);
    assert.deepEqual(await countsOf(records), { live: 0, deleted: 5, all: 5 });
  },

  "counts are exact after many concurrent writes of all kinds": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    await records.insertMany(upTo(60).map((n) => ({ _id: id(n), isDeleted: n % 2 === 0 })));
    await Promise.all(
      upTo(60).flatMap((n) => [
        records.updateOne(eq("_id", id(n)), { set: { isDeleted: n % 3 === 0 } }),
        records.insert({ _id: id(100 + n), isDeleted: n % 5 === 0 }),
        n % 4 === 0 ? records.deleteOne(eq("_id", id(n))) : records.get(id(n)),
      ]),
    );
    const rows = await listAll(records);
    const deleted = rows.filter((row) => row.isDeleted === true).length;
    assert.equal(rows.length, 105);
    assert.deepEqual(await countsOf(records), {
      live: rows.length - deleted,
      deleted,
      all: rows.length,
    });
  },

  "concurrent first uses of a kind all succeed": async ({ engine }) => {
    const space = newSpace();
    const shape = () =>
      trashDefinition({
        fields: { email: { type: "String" } },
        indexes: [{ keys: keys("email"), unique: true }, { keys: keys("-email") }],
      });
    await Promise.all(
      upTo(50).map((n) =>
        engine.records(space, shape()).insert({ _id: id(n), email: `${n}`, isDeleted: false })
      ),
    );
    assert.deepEqual(await countsOf(engine.records(space, shape())), {
      live: 50,
      deleted: 0,
      all: 50,
    });
  },

  "a refused write does not undo concurrent writes": async ({ engine }) => {
    const shape = trashDefinition({
      fields: { email: { type: "String" }, n: { type: "Number" } },
      indexes: [{ keys: keys("email"), unique: true }],
      bytesMax: 1000,
    });
    const records = engine.records(newSpace(), shape);
    const row = (n: number, email: string) => ({ _id: id(n), email, n, isDeleted: false });
    await records.insertMany([row(1, "taken"), row(2, "b"), row(3, "c")]);
    const outcomes = await Promise.allSettled([
      records.insert(row(10, "new")),
      records.insert(row(11, "taken")),
      records.updateOne(eq("_id", id(2)), { increment: { n: 1 } }),
      records.updateOne(eq("_id", id(2)), { set: { "email.x": 1 } }),
      records.insert(row(12, "new")),
      records.updateOne(eq("_id", id(3)), { set: { isDeleted: true } }),
      records.insertMany([row(13, "other"), row(14, "taken")]),
      records.insert({ ...row(15, "long"), text: "x".repeat(1000) }),
      records.updateOne(eq("_id", id(2)), { increment: { n: 1 } }),
      records.insert(row(16, "other")),
    ]);
    assert.deepEqual(
      outcomes.map((one) => one.status === "rejected" ? one.reason.name : "stored"),
      [
        "stored",
        "UniqueViolation",
        "stored",
        "PathConflict",
        "UniqueViolation",
        "stored",
        "UniqueViolation",
        "RecordTooLarge",
        "stored",
        "stored",
      ],
    );
    assert.deepEqual((await listAll(records)).map((one) => [one._id, one.email, one.n]), [
      [id(1), "taken", 1],
      [id(2), "b", 4],
      [id(3), "c", 3],
      [id(10), "new", 10],
      [id(16), "other", 16],
    ]);
    assert.deepEqual(await countsOf(records), { live: 4, deleted: 1, all: 5 });
  },

  "single writes survive a concurrent transaction that is undone": async (
    { engine },
  ) => {
    const space = newSpace();
    const records = engine.records(space, trashDefinition());
    const inserts = (from: number) =>
      upTo(20).map((n) => records.insert({ _id: id(from + n), isDeleted: false }));
    const outcomes = await Promise.allSettled([
      ...inserts(0),
      engine.transaction(space, async (tx) => {
        const inside = tx.records(trashDefinition());
        await inside.deleteMany(ALL, 100);
        await Promise.resolve();
        await inside.insert({ _id: id(100), isDeleted: false });
        throw new Error("changed our mind");
      }),
      ...inserts(50),
    ]);
    assert.equal(outcomes.filter((one) => one.status === "rejected").length, 1);
    assert.deepEqual(
      (await listAll(records)).map((one) => one._id),
      [...upTo(20), ...upTo(20).map((n) => 50 + n)].map(id),
    );
    assert.deepEqual(await countsOf(records), { live: 40, deleted: 0, all: 40 });
  },

  "each concurrent transaction sees those before it, and none that are undone": async (
    { engine },
  ) => {
    const space = newSpace();
    const records = engine.records(space, definition());
    await records.insert({ _id: id(1), n: 0 });
    const outcomes = await Promise.allSettled(
      upTo(12).map((i) =>
        engine.transaction(space, async (tx) => {
          const inside = tx.records(definition());
          const n = (await inside.get(id(1)))!.value.n as number;
          await inside.updateOne(eq("_id", id(1)), { set: { n: n + 1 } });
          await inside.insert({ _id: id(100 + i), n });
          if (i % 3 === 0) throw new Error("changed our mind");
          return n;
        })
      ),
    );
    const seen = outcomes.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
    assert.deepEqual(seen.toSorted((a, b) => a - b), upTo(8));
    assert.equal((await records.get(id(1)))?.value.n, 8);
    const left = (await listAll(records)).map((one) => one._id);
    assert.deepEqual(left, [1, ...upTo(12).filter((i) => i % 3 !== 0).map((i) => 100 + i)].map(id));
  },

  "any number of concurrent writes complete, and each returns its own result": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), definition());
    await records.insert({ _id: id(1), n: 0 });
    const results = await Promise.all(
      upTo(1500).map(() => records.updateOne(eq("_id", id(1)), { increment: { n: 1 } })),
    );
    const seen = results.map((one) => one!.value.n as number).sort((a, b) => a - b);
    assert.deepEqual(seen, upTo(1500).map((n) => n + 1));
  },
};
