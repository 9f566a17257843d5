import assert from "node:assert/strict";
import { UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, compare, eq } from "@/lib/store/filter.ts";
import type { Json, StoredRecord } from "@/lib/store/port.ts";
import {
  assertRefused,
  countsOf,
  definition,
  id,
  keys,
  listAll,
  newSpace,
  tooLarge,
  trashDefinition,
  uniqueViolation,
  upTo,
} from "./fixtures.ts";
import type { Cases } from "./suite.ts";

const EVERY_VALUE: Readonly<Record<string, Json>> = {
  zero: 0,
  negativeZero: -0,
  fraction: 0.1,
  sum: 0.1 + 0.2,
  largest: Number.MAX_VALUE,
  smallest: 5e-324,
  aboveIntegers: 2 ** 53,
  aboveLongs: 2 ** 64,
  exponent: 1e21,
  huge: 1e308,
  negative: -1.5e-7,
  true: true,
  false: false,
  null: null,
  emptyText: "",
  text: `"quoted" \\ / \n \t \u0001 \u007f \u2028`,
  unicode: "é e\u0301 日本語 \u{1F600} \uFFFD \uFFFE",
  dateLike: "2024-01-01T00:00:00.000Z",
  idLike: id(1),
  emptyObject: {},
  emptyArray: [],
  nested: { a: [{ b: [[], {}, null, -0, [1, "1", true]] }], "odd name": { "\u{1F600}": [] } },
};

const utf8Bytes = (value: Json): number => new TextEncoder().encode(JSON.stringify(value)).length;

const RANKED = definition({
  fields: { email: { type: "String" }, n: { type: "Number" } },
  indexes: [{ keys: keys("email"), unique: true }],
});

export const writeCases: Cases = {
  "insert stores every value exactly": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const record: StoredRecord = { _id: id(7), ...EVERY_VALUE };
    const inserted = await records.insert(record);
    assert.deepEqual(JSON.parse(inserted.json), record);
    assert.deepEqual(inserted.value, record);
    assert.deepEqual(JSON.parse((await records.get(id(7)))!.json), record);
    assert.deepEqual((await records.findOne(ALL))!.value, record);
    assert.deepEqual(await listAll(records), [record]);
    const changed = await records.updateOne(ALL, { set: { other: -0 } });
    assert.deepEqual(JSON.parse(changed!.json), { ...record, other: -0 });
    const again = await records.updateOne(ALL, { replace: EVERY_VALUE });
    assert.deepEqual(JSON.parse(again!.json), record);
    assert.deepEqual(await listAll(records), [record]);
    assert.deepEqual((await records.deleteOne(ALL))!.value, record);
  },

  "declared values are stored as exactly as undeclared ones": async ({ engine }) => {
    const shape = definition({
      fields: {
        text: { type: "String" },
        number: { type: "Number" },
        flag: { type: "Boolean" },
        day: { type: "Date" },
        ref: { type: "Ref" },
        list: { type: "Array", items: { type: "Date" } },
        o: { type: "Object", fields: { day: { type: "Date" }, n: { type: "Number" } } },
      },
    });
    const records = engine.records(newSpace(), shape);
    const day = "2024-02-29T12:34:56.789Z";
    const rows: StoredRecord[] = [
      {
        _id: id(1),
        text: day,
        number: -0,
        flag: false,
        day,
        ref: id(1),
        list: [day],
        o: { day, n: 1, more: day },
      },
      {
        _id: id(2),
        text: null,
        number: null,
        flag: null,
        day: null,
        ref: null,
        list: null,
        o: null,
      },
      { _id: id(3), text: "", number: 2 ** 53, list: [], o: {} },
      { _id: id(4), day: "0001-01-01T00:00:00.000Z", o: { day: "9999-12-31T23:59:59.999Z" } },
    ];
    await records.insertMany(rows);
    assert.deepEqual(await listAll(records), rows);
    for (const row of rows) {
      assert.equal(
        (await records.get(row._id))!.json,
        (await records.findOne(eq("_id", row._id)))!.json,
      );
    }
  },

  "a record of a mebibyte and one with twenty levels are stored": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    let deep: Json = "bottom";
    for (const n of upTo(20)) deep = n % 2 === 0 ? { deep } : [deep];
    const rows: StoredRecord[] = [
      { _id: id(1), text: 'é"'.repeat(2 ** 18) },
      { _id: id(2), deep },
    ];
    await records.insertMany(rows);
    assert.deepEqual(await listAll(records), rows);
  },

  "insert resolves to the stored record": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const inserted = await records.insert({ _id: id(1), b: 1, a: [{}] });
    const read = await records.get(id(1));
    assert.equal(inserted.json, read?.json);
    assert.equal(inserted.revision, read?.revision);
    assert.deepEqual(inserted.value, read?.value);
  },

  "the text of a record begins with _id, whatever the given order": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const inserted = await records.insert({ name: "x", _id: id(1) });
    const text = `{"_id":"${id(1)}","name":"x"}`;
    assert.equal(inserted.json, text);
    assert.equal((await records.get(id(1)))?.json, text);
    assert.equal((await records.list({ filter: ALL, sort: [], limit: 1 })).items, text);
  },

  "the text of a record begins with _id, even before names that are numbers": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), definition());
    const begin = `{"_id":"${id(1)}",`;
    const inserted = await records.insert({ _id: id(1), "7": "x" });
    assert.ok(inserted.json.startsWith(begin), inserted.json);
    const changed = await records.updateOne(ALL, { set: { "3": "y" } });
    assert.ok(changed!.json.startsWith(begin), changed!.json);
    assert.ok((await records.get(id(1)))!.json.startsWith(begin));
  },

  "fields stay in the order in which they were first written": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const order = async () => Object.keys(JSON.parse((await records.get(id(1)))!.json));
    await records.insert({ _id: id(1), z: 1, a: { y: 1, b: 2 }, m: 3 });
    assert.deepEqual(await order(), ["_id", "z", "a", "m"]);
    await records.updateOne(ALL, { set: { b: 1 } });
    await records.updateOne(ALL, { set: { a: { y: 2, b: 1 } }, increment: { z: 1 } });
    assert.deepEqual(await order(), ["_id", "z", "a", "m", "b"]);
    await records.updateOne(ALL, { unset: ["a"] });
    await records.updateOne(ALL, { set: { a: 1 } });
    assert.deepEqual(await order(), ["_id", "z", "m", "b", "a"]);
  },

  "a taken _id is refused as a violation of _id": async ({ engine }) => {
    for (const shape of [RANKED, trashDefinition()]) {
      const records = engine.records(newSpace(), shape);
      await records.insert({ _id: id(1), n: 1, isDeleted: false });
      await assertRefused(
        records,
        uniqueViolation("_id"),
        () => records.insert({ _id: id(1), n: 2, isDeleted: true }),
      );
    }
  },

  "insertMany stores all its records and resolves to them in order": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const rows = [3, 1, 2].map((n) => ({ _id: id(n), n }));
    const inserted = await records.insertMany(rows);
    assert.deepEqual(inserted.map((one) => one.value), rows);
    assert.deepEqual(await listAll(records), rows.toSorted((a, b) => a.n - b.n));
    assert.deepEqual(await records.insertMany([]), []);
    assert.equal(await records.count(ALL), 3);
  },

  "a refused insertMany stores nothing": async ({ engine }) => {
    const shape = trashDefinition({ ...RANKED, bytesMax: 200 });
    const records = engine.records(newSpace(), shape);
    await records.insert({ _id: id(1), email: "taken", isDeleted: false });
    const fresh = upTo(5).map((n) => ({ _id: id(10 + n), email: `${n}`, isDeleted: n % 2 === 0 }));
    const last = { _id: id(20), isDeleted: false };
    const refused = (refusal: ReturnType<typeof uniqueViolation>, row: StoredRecord) =>
      assertRefused(records, refusal, () => records.insertMany([...fresh, row]));
    await refused(uniqueViolation("email"), { ...last, email: "taken" });
    await refused(uniqueViolation("email"), { ...last, email: "3" });
    await refused(uniqueViolation("_id"), { ...last, _id: id(1) });
    await refused(uniqueViolation("_id"), { ...last, _id: id(12) });
    await refused(tooLarge, { ...last, email: "x".repeat(200) });
    assert.equal((await records.insertMany(fresh)).length, 5);
  },

  "get finds by id or resolves to null": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    assert.equal(await records.get(id(1)), null);
    await records.insert({ _id: id(1), n: 1 });
    assert.deepEqual((await records.get(id(1)))?.value, { _id: id(1), n: 1 });
    assert.equal(await records.get(id(2)), null);
  },

  "deleteOne deletes permanently and resolves to the record as it was": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    await records.insertMany([{ _id: id(1), n: 1 }, { _id: id(2), n: 2 }]);
    const before = await records.updateOne(eq("n", 1), { set: { x: [1] } });
    const deleted = await records.deleteOne(eq("n", 1));
    assert.deepEqual(
      [deleted?.json, deleted?.revision, deleted?.value],
      [before?.json, before?.revision, { _id: id(1), n: 1, x: [1] }],
    );
    assert.equal(await records.get(id(1)), null);
    assert.equal(await records.deleteOne(eq("n", 1)), null);
    assert.deepEqual(await listAll(records), [{ _id: id(2), n: 2 }]);
  },

  "deleteMany deletes at most its limit and resolves to the number": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    await records.insertMany(upTo(10).map((n) => ({ _id: id(n), n, isDeleted: n < 2 })));
    assert.equal(await records.deleteMany(compare("n", "gte", 4), 4), 4);
    assert.equal(await records.count(compare("n", "gte", 4)), 2);
    assert.equal(await records.deleteMany(compare("n", "gte", 4), 4), 2);
    assert.equal(await records.deleteMany(compare("n", "gte", 4), 4), 0);
    assert.deepEqual(await countsOf(records), { live: 2, deleted: 2, all: 4 });
    assert.deepEqual((await listAll(records)).map((row) => row.n), [0, 1, 2, 3]);
  },

  "a record of exactly bytesMax is stored, one byte more is refused": async ({ engine }) => {
    for (const letter of ["x", "é", "日", "\u{1F600}"]) {
      const text = letter.repeat(500);
      const bytesMax = utf8Bytes({ _id: id(1), text, isDeleted: false });
      const records = engine.records(newSpace(), trashDefinition({ bytesMax }));
      await records.insert({ _id: id(1), text, isDeleted: false });
      await assertRefused(
        records,
        tooLarge,
        () => records.insert({ _id: id(2), text: `${text}.`, isDeleted: false }),
      );
      await records.insert({ _id: id(2), text, isDeleted: false });
      assert.deepEqual(await countsOf(records), { live: 2, deleted: 0, all: 2 });
    }
  },

  "a change that would exceed bytesMax changes nothing": async ({ engine }) => {
    const bytesMax = utf8Bytes({ _id: id(1), text: "12345", isDeleted: false });
    const records = engine.records(newSpace(), trashDefinition({ bytesMax }));
    await records.insert({ _id: id(1), text: "1", isDeleted: false });
    await assertRefused(
      records,
      tooLarge,
      () => records.updateOne(ALL, { set: { text: "1234567", isDeleted: true } }),
    );
    await assertRefused(
      records,
      tooLarge,
      () => records.updateOne(ALL, { replace: { text: "12345é", isDeleted: true } }),
    );
    await assertRefused(records, tooLarge, () => records.updateOne(ALL, { increment: { x: 1 } }));
    const changed = await records.updateOne(ALL, { set: { text: "123", isDeleted: true } });
    assert.equal(changed?.value.text, "123");
  },

  "counts of live, deleted and all records are exact after every kind of write": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), trashDefinition());
    const assertCounts = async (live: number, deleted: number) =>
      assert.deepEqual(await countsOf(records), { live, deleted, all: live + deleted });
    await assertCounts(0, 0);
    await records.insert({ _id: id(1), isDeleted: false });
    await records.insert({ _id: id(2), isDeleted: true });
    await assertCounts(1, 1);
    await records.insertMany(upTo(5).map((n) => ({ _id: id(10 + n), n, isDeleted: n > 2 })));
    await assertCounts(4, 3);
    await records.updateOne(eq("_id", id(1)), { set: { isDeleted: true } });
    await assertCounts(3, 4);
    await records.updateOne(eq("_id", id(1)), { set: { isDeleted: true, x: 1 } });
    await assertCounts(3, 4);
    await records.updateOne(eq("_id", id(2)), { set: { isDeleted: false } });
    await assertCounts(4, 3);
    await records.updateOne(eq("_id", id(2)), { replace: { isDeleted: true } });
    await assertCounts(3, 4);
    await records.updateOne(eq("_id", id(2)), { replace: { x: 1 }, keep: ["isDeleted"] });
    await assertCounts(3, 4);
    await records.updateOne(eq("_id", id(10)), { increment: { n: 1 } });
    await assertCounts(3, 4);
    await records.deleteOne(eq("_id", id(1)));
    await assertCounts(3, 3);
    await records.deleteOne(eq("isDeleted", false));
    await assertCounts(2, 3);
    await records.deleteMany(ALL, 1);
    assert.equal((await countsOf(records)).all, 4);
    await records.deleteMany(eq("isDeleted", true), 10);
    assert.equal((await countsOf(records)).deleted, 0);
    assert.equal(await records.updateOne(eq("_id", id(99)), { set: { isDeleted: true } }), null);
    assert.equal(await records.deleteOne(eq("_id", id(99))), null);
    await records.deleteMany(ALL, 10);
    await assertCounts(0, 0);
  },

  "a count by an impossible value of isDeleted is 0": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    await records.insertMany(upTo(5).map((n) => ({ _id: id(n), isDeleted: n < 2 })));
    for (const never of [null, 0, 1, "false", ""]) {
      assert.equal(await records.count(eq("isDeleted", never)), 0, JSON.stringify(never));
    }
  },

  "records of the same kind in two spaces are separate": async ({ engine }) => {
    const shape = trashDefinition({ ...RANKED });
    const first = engine.records(newSpace(), shape);
    const second = engine.records(newSpace(), shape);
    const control = engine.records("control", shape);
    for (const [n, records] of [first, second, control].entries()) {
      await records.insert({ _id: id(1), email: "same", n, isDeleted: false });
    }
    await first.updateOne(ALL, { set: { isDeleted: true, n: 10 } });
    await control.deleteOne(ALL);
    assert.deepEqual(await countsOf(first), { live: 0, deleted: 1, all: 1 });
    assert.deepEqual(await countsOf(second), { live: 1, deleted: 0, all: 1 });
    assert.deepEqual(await countsOf(control), { live: 0, deleted: 0, all: 0 });
    assert.equal((await second.get(id(1)))?.value.n, 1);
  },

  "records of two kinds in a space are separate": async ({ engine }) => {
    const space = newSpace();
    const [notes, posts] = ["notes", "posts"].map((name) =>
      engine.records(space, trashDefinition({ ...RANKED, name }))
    );
    await notes!.insert({ _id: id(1), email: "same", isDeleted: false });
    await posts!.insert({ _id: id(1), email: "same", isDeleted: true });
    assert.deepEqual(await countsOf(notes!), { live: 1, deleted: 0, all: 1 });
    assert.deepEqual(await countsOf(posts!), { live: 0, deleted: 1, all: 1 });
    assert.equal(await posts!.deleteMany(ALL, 10), 1);
    assert.equal(await notes!.count(ALL), 1);
  },

  "a space can be created again without affecting its records": async ({ engine }) => {
    const space = newSpace();
    await engine.createSpace(space);
    const records = engine.records(space, definition());
    await records.insert({ _id: id(1) });
    await engine.createSpace(space);
    await engine.createSpace("control");
    assert.equal(await records.count(ALL), 1);
  },

  "a dropped space is removed with its records, and no other is": async (
    { engine },
  ) => {
    const [space, other] = [newSpace(), newSpace()];
    const wanted = definition({
      fields: { n: { type: "Number" } },
      indexes: [{ keys: keys("n"), unique: true }],
    });
    for (const one of [space, other]) {
      await engine.createSpace(one);
      await engine.records(one, wanted).insert({ _id: id(1), n: 1 });
    }
    await engine.dropSpace(space);
    assert.equal(await engine.records(other, wanted).count(ALL), 1);
    // A later use finds a new space, in which everything is created again.
    assert.equal(await engine.records(space, wanted).count(ALL), 0);
    await engine.records(space, wanted).insert({ _id: id(1), n: 2 });
    await assert.rejects(
      engine.records(space, wanted).insert({ _id: id(2), n: 2 }),
      UniqueViolation,
    );
  },

  "a space is dropped once, and then there is nothing to drop": async ({ engine }) => {
    const space = newSpace();
    await engine.dropSpace(space);
    await engine.createSpace(space);
    await engine.dropSpace(space);
    await engine.dropSpace(space);
  },

  "spaces are found by their stored records, even if no project refers to them": async (
    { engine },
  ) => {
    const space = newSpace();
    assert.ok(!(await engine.spaces()).includes(space));
    await engine.createSpace(space);
    assert.deepEqual(await engine.kinds(space), []);
    const [posts, notes] = [definition({ name: "posts" }), definition({ name: "notes" })];
    for (const kind of [posts, notes]) await engine.records(space, kind).insert({ _id: id(1) });
    assert.ok((await engine.spaces()).includes(space));
    assert.deepEqual((await engine.kinds(space)).sort(), ["notes", "posts"]);
    await engine.dropDefinition(space, posts);
    assert.deepEqual(await engine.kinds(space), ["notes"]);
    assert.ok(!(await engine.kinds("control")).includes("notes"));
    await engine.dropSpace(space);
    assert.ok(!(await engine.spaces()).includes(space));
  },

  "ping resolves while the store is available": async ({ engine }) => {
    assert.equal(await engine.ping(), undefined);
  },
};
