import assert from "node:assert/strict";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Definition, FieldShape, Json } from "@/lib/store/port.ts";
import {
  assertRefused,
  countsOf,
  definition,
  id,
  keys,
  listAll,
  newSpace,
  trashDefinition,
  uniqueViolation,
} from "./fixtures.ts";
import type { Cases } from "./suite.ts";

const FIELDS: Definition["fields"] = {
  email: { type: "String" },
  o: { type: "Object", fields: { handle: { type: "String" } } },
};

const UNIQUE = definition({
  fields: FIELDS,
  indexes: [{ keys: keys("email"), unique: true }, { keys: keys("o.handle"), unique: true }],
});

const UNIQUE_LIVE = trashDefinition(UNIQUE);

export const uniqueCases: Cases = {
  "a taken value is refused with its path": async ({ engine }) => {
    const records = engine.records(newSpace(), UNIQUE);
    await records.insert({ _id: id(1), email: "a", o: { handle: "x" } });
    await assertRefused(
      records,
      uniqueViolation("email"),
      () => records.insert({ _id: id(2), email: "a" }),
    );
    await assertRefused(
      records,
      uniqueViolation("o.handle"),
      () => records.insert({ _id: id(2), email: "b", o: { handle: "x" } }),
    );
    await records.insert({ _id: id(2), email: "b", o: { handle: "y" } });
    await assertRefused(
      records,
      uniqueViolation("email"),
      () => records.updateOne(eq("_id", id(2)), { set: { email: "a", n: 1 } }),
    );
    await assertRefused(
      records,
      uniqueViolation("o.handle"),
      () => records.updateOne(eq("_id", id(2)), { set: { "o.handle": "x" } }),
    );
    await assertRefused(
      records,
      uniqueViolation("email"),
      () => records.updateOne(eq("_id", id(2)), { replace: { email: "a" } }),
    );
  },

  "a violation has the path of the field, also for a descending index": async ({ engine }) => {
    const shape = definition({
      fields: FIELDS,
      indexes: [{ keys: keys("-email"), unique: true }],
    });
    const records = engine.records(newSpace(), shape);
    await records.insert({ _id: id(1), email: "a" });
    await assertRefused(
      records,
      uniqueViolation("email"),
      () => records.insert({ _id: id(2), email: "a" }),
    );
  },

  "values of several keys are unique together, and only if all of them exist": async (
    { engine },
  ) => {
    const shape = trashDefinition({
      fields: { ...FIELDS, rank: { type: "Number" } },
      indexes: [{ keys: keys("email", "-rank", "o.handle"), unique: true }],
    });
    const records = engine.records(newSpace(), shape);
    const complete = { email: "a", rank: 1, o: { handle: "x" }, isDeleted: false };
    await records.insertMany([
      { _id: id(1), ...complete },
      { _id: id(2), ...complete, rank: 2 },
      { _id: id(3), ...complete, o: { handle: "y" } },
      { _id: id(4), ...complete, email: null },
      { _id: id(5), ...complete, email: null },
      { _id: id(6), email: "a", rank: 1, isDeleted: false },
      { _id: id(7), email: "a", rank: 1, isDeleted: false },
      { _id: id(8), ...complete, isDeleted: true },
    ]);
    const taken = uniqueViolation("email,rank,o.handle");
    await assertRefused(records, taken, () => records.insert({ _id: id(9), ...complete }));
    await assertRefused(
      records,
      taken,
      () => records.updateOne(eq("_id", id(2)), { set: { rank: 1 } }),
    );
    await assertRefused(
      records,
      taken,
      () => records.updateOne(eq("_id", id(8)), { set: { isDeleted: false } }),
    );
    assert.equal(await records.count(ALL), 8);
  },

  "missing and null values are not unique": async ({ engine }) => {
    const records = engine.records(newSpace(), UNIQUE);
    await records.insertMany([
      { _id: id(1) },
      { _id: id(2) },
      { _id: id(3), email: null },
      { _id: id(4), email: null, o: null },
      { _id: id(5), o: {} },
      { _id: id(6), o: { handle: null } },
    ]);
    await records.insert({ _id: id(7), email: "a" });
    await records.updateOne(eq("_id", id(7)), { set: { email: null } });
    await records.updateOne(eq("_id", id(7)), { unset: ["email"] });
    assert.equal(await records.count(eq("email", null)), 7);
  },

  "unique values conflict only if they are equal": async ({ engine }) => {
    const types: [FieldShape["type"], different: Json[], same: [Json, Json]][] = [
      ["String", ["", " ", "a", "A", "a ", "1", "e\u0301", "é"], ["a", "a"]],
      ["Number", [0, 1, -1, 0.1, 2 ** 53, 1e21], [0, -0]],
      ["Date", ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.001Z"], [
        "2024-01-01T00:00:00.000Z",
        "2024-01-01T00:00:00.000Z",
      ]],
      ["Ref", [id(1), id(2)], [id(1), id(1)]],
    ];
    for (const [type, different, [one, other]] of types) {
      const shape = definition({
        fields: { v: { type } },
        indexes: [{ keys: keys("v"), unique: true }],
      });
      const records = engine.records(newSpace(), shape);
      await records.insertMany(different.map((v, n) => ({ _id: id(n), v })));
      assert.equal(await records.count(ALL), different.length);
      await records.deleteMany(ALL, 100);
      await records.insert({ _id: id(1), v: one });
      await assertRefused(
        records,
        uniqueViolation("v"),
        () => records.insert({ _id: id(2), v: other }),
      );
    }
  },

  "a record may keep its own unique value when it changes": async ({ engine }) => {
    const records = engine.records(newSpace(), UNIQUE_LIVE);
    await records.insert({ _id: id(1), email: "a", isDeleted: false });
    await records.updateOne(ALL, { set: { email: "a", n: 1 } });
    const replaced = await records.updateOne(ALL, { replace: { email: "a", isDeleted: false } });
    assert.deepEqual(replaced?.value, { _id: id(1), email: "a", isDeleted: false });
  },

  "removing a record or its value frees the value": async ({ engine }) => {
    const records = engine.records(newSpace(), UNIQUE);
    await records.insert({ _id: id(1), email: "a" });
    await records.deleteOne(eq("email", "a"));
    await records.insert({ _id: id(2), email: "a" });
    await records.updateOne(eq("_id", id(2)), { set: { email: "b" } });
    await records.insert({ _id: id(3), email: "a" });
    await records.updateOne(eq("_id", id(3)), { unset: ["email"] });
    await records.insert({ _id: id(4), email: "a" });
    await records.deleteMany(eq("email", "a"), 5);
    await records.insert({ _id: id(5), email: "a" });
    assert.deepEqual(await listAll(records), [
      { _id: id(2), email: "b" },
      { _id: id(3) },
      { _id: id(5), email: "a" },
    ]);
  },

  "deleted records neither take unique values nor are refused for them": async ({ engine }) => {
    const records = engine.records(newSpace(), UNIQUE_LIVE);
    await records.insert({ _id: id(1), email: "a", isDeleted: false });
    await records.updateOne(eq("_id", id(1)), { set: { isDeleted: true } });
    await records.insert({ _id: id(2), email: "a", isDeleted: false });
    await records.insert({ _id: id(3), email: "a", isDeleted: true });
    await records.updateOne(eq("_id", id(2)), { set: { isDeleted: true } });
    assert.deepEqual(await countsOf(records), { live: 0, deleted: 3, all: 3 });
    await assert.doesNotReject(() => records.insert({ _id: id(4), email: "a", isDeleted: false }));
  },

  "recovering a record whose unique value is taken is refused and changes nothing": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), UNIQUE_LIVE);
    await records.insert({ _id: id(1), email: "a", isDeleted: true, n: 1 });
    await records.insert({ _id: id(2), email: "a", isDeleted: false });
    const back = () =>
      records.updateOne(eq("_id", id(1)), { set: { isDeleted: false }, increment: { n: 1 } });
    await assertRefused(records, uniqueViolation("email"), back);
    await records.updateOne(eq("_id", id(2)), { set: { email: "b" } });
    assert.deepEqual((await back())?.value, { _id: id(1), email: "a", isDeleted: false, n: 2 });
    assert.deepEqual(await countsOf(records), { live: 2, deleted: 0, all: 2 });
  },

  "a refused write on records with a trash does not change counts and revisions": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), UNIQUE_LIVE);
    await records.insert({ _id: id(1), email: "a", isDeleted: false });
    await records.insert({ _id: id(2), email: "b", isDeleted: false });
    await assertRefused(
      records,
      uniqueViolation("email"),
      () => records.insert({ _id: id(3), email: "a", isDeleted: false }),
    );
    await assertRefused(
      records,
      uniqueViolation("email"),
      () => records.updateOne(eq("_id", id(2)), { set: { email: "a" } }),
    );
  },
};
