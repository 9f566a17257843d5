import assert from "node:assert/strict";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Change, Json, Records } from "@/lib/store/port.ts";
import {
  assertRefused,
  countsOf,
  definition,
  id,
  keys,
  listAll,
  newSpace,
  pathConflict,
  tooLarge,
  trashDefinition,
  typeConflict,
  uniqueViolation,
  upTo,
} from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

type Fields = Readonly<Record<string, Json>>;

/** Applies a change and fails unless the result and the stored record equal `after`. */
async function assertChanges(
  { engine }: Store,
  changes: readonly (readonly [before: Fields, change: Change, after: Fields])[],
): Promise<void> {
  const records = engine.records(newSpace(), definition());
  for (const [n, [before, change, after]] of changes.entries()) {
    const label = JSON.stringify(change);
    await records.insert({ _id: id(n), ...before });
    const changed = await records.updateOne(eq("_id", id(n)), change);
    assert.deepEqual(changed?.value, { _id: id(n), ...after }, label);
    const read = await records.get(id(n));
    assert.equal(read?.json, changed?.json, label);
    assert.deepEqual(read?.value, { _id: id(n), ...after }, label);
  }
}

const NO_OBJECTS: readonly Json[] = [1, "text", true, [], [{ x: 1 }]];

const revisionFilter = (value: number) => ({ op: "revision", value }) as const;

export const changeCases: Cases = {
  "set replaces complete values": (store) =>
    assertChanges(store, [
      [{ a: 1 }, { set: { a: 2 } }, { a: 2 }],
      [{ a: 1 }, { set: { b: null } }, { a: 1, b: null }],
      [{ a: { x: 1, y: 2 } }, { set: { a: { y: 3 } } }, { a: { y: 3 } }],
      [{ a: [1, 2] }, { set: { a: [] } }, { a: [] }],
      [{ a: null }, { set: { a: { x: 1 } } }, { a: { x: 1 } }],
      [{}, { set: {} }, {}],
    ]),

  "a dotted set changes a part and creates missing objects": (store) =>
    assertChanges(store, [
      [{ a: { x: 1, y: 2 } }, { set: { "a.x": 3 } }, { a: { x: 3, y: 2 } }],
      [{}, { set: { "a.b.c": 1 } }, { a: { b: { c: 1 } } }],
      [{ a: {} }, { set: { "a.b.c": [1] } }, { a: { b: { c: [1] } } }],
      [{ a: { b: [1] } }, { set: { "a.b": null } }, { a: { b: null } }],
      [{}, { set: { "a.0": 1 } }, { a: { "0": 1 } }],
      [{}, { set: { "a.b": 1, "a.c": 2 } }, { a: { b: 1, c: 2 } }],
    ]),

  "unset removes fields and parts of objects, and nothing else": (store) =>
    assertChanges(store, [
      [{ a: 1, b: 2 }, { unset: ["a"] }, { b: 2 }],
      [{ a: null }, { unset: ["a"] }, {}],
      [{ a: { x: 1, y: 2 } }, { unset: ["a.x"] }, { a: { y: 2 } }],
      [{ a: { x: 1 } }, { unset: ["a.x"] }, { a: {} }],
      [{ a: 1 }, { unset: ["b", "c"] }, { a: 1 }],
      [{ a: { x: 1 } }, { unset: ["a.y"] }, { a: { x: 1 } }],
    ]),

  "unset does not create missing objects": (store) =>
    assertChanges(store, [
      [{ a: 1 }, { unset: ["b.x"] }, { a: 1 }],
      [{ a: {} }, { unset: ["a.b.c"] }, { a: {} }],
    ]),

  "increment adds to numbers and treats missing and null as 0": (store) =>
    assertChanges(store, [
      [{ n: 1 }, { increment: { n: 2 } }, { n: 3 }],
      [{ n: 1 }, { increment: { n: -2.5 } }, { n: -1.5 }],
      [{ n: 0.1 }, { increment: { n: 0.2 } }, { n: 0.1 + 0.2 }],
      [{ n: 2 ** 53 - 2 }, { increment: { n: 1 } }, { n: 2 ** 53 - 1 }],
      [{ n: 2 ** 31 - 1 }, { increment: { n: 1 } }, { n: 2 ** 31 }],
      [{}, { increment: { n: 3 } }, { n: 3 }],
      [{ n: null }, { increment: { n: 3 } }, { n: 3 }],
      [{}, { increment: { "a.b": 1 } }, { a: { b: 1 } }],
      [{ a: { b: 1, c: 1 } }, { increment: { "a.b": 1, "a.c": 2 } }, { a: { b: 2, c: 3 } }],
    ]),

  "min and max keep the smaller and the larger number, and ignore missing and null": (store) =>
    assertChanges(store, [
      [{ n: 5 }, { min: { n: 3 } }, { n: 3 }],
      [{ n: 5 }, { min: { n: 7 } }, { n: 5 }],
      [{ n: 5 }, { max: { n: 7 } }, { n: 7 }],
      [{ n: 5 }, { max: { n: 3 } }, { n: 5 }],
      [{ n: -1 }, { max: { n: -0.5 } }, { n: -0.5 }],
      [{}, { min: { n: 3 }, max: { m: 4 } }, { n: 3, m: 4 }],
      [{ n: null }, { max: { n: 3 } }, { n: 3 }],
      [{}, { max: { "a.b": 1 } }, { a: { b: 1 } }],
      [{ t: "2026-01-02" }, { max: { t: "2026-01-03" } }, { t: "2026-01-03" }],
      [{ t: "\u{1f600}" }, { min: { t: "\uffff" } }, { t: "\uffff" }],
    ]),

  "min and max keep the earlier and the later date": async ({ engine }) => {
    const records = engine.records(newSpace(), definition({ fields: { at: { type: "Date" } } }));
    const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];
    await records.insert({ _id: id(1), at: early });
    const raised = await records.updateOne(eq("at", early), { max: { at: late } });
    assert.equal(raised?.value.at, late);
    assert.equal(await records.count(eq("at", late)), 1);
    assert.equal((await records.updateOne(ALL, { min: { at: early } }))?.value.at, early);
  },

  "push appends to a list, and treats missing and null as an empty one": (store) =>
    assertChanges(store, [
      [{ a: [1] }, { push: { a: [2, 1] } }, { a: [1, 2, 1] }],
      [{}, { push: { a: ["x"] } }, { a: ["x"] }],
      [{ a: null }, { push: { a: [null] } }, { a: [null] }],
      [{ a: [] }, { push: { a: [[1], { b: 1 }] } }, { a: [[1], { b: 1 }] }],
      [{}, { push: { "a.b": [] } }, { a: { b: [] } }],
    ]),

  "addToSet appends missing elements to a list, each once": (store) =>
    assertChanges(store, [
      [{ a: [1, 2] }, { addToSet: { a: [2, 3, 3] } }, { a: [1, 2, 3] }],
      [{ a: [1, 1] }, { addToSet: { a: ["1", true] } }, { a: [1, 1, "1", true] }],
      [{}, { addToSet: { a: ["x"] } }, { a: ["x"] }],
      [{ a: null }, { addToSet: { a: [null] } }, { a: [null] }],
      [
        { a: [{ x: 1, y: 2 }] },
        { addToSet: { a: [{ y: 2, x: 1 }, { x: 1 }, [1]] } },
        { a: [{ x: 1, y: 2 }, { x: 1 }, [1]] },
      ],
    ]),

  "pull removes every equal element of a list, and creates nothing": (store) =>
    assertChanges(store, [
      [{ a: [1, 2, 1, "1"] }, { pull: { a: [1] } }, { a: [2, "1"] }],
      [{ a: [1, [1], null] }, { pull: { a: [1, null] } }, { a: [[1]] }],
      [{ a: [{ x: 1, y: 2 }, { x: 1 }] }, { pull: { a: [{ y: 2, x: 1 }] } }, { a: [{ x: 1 }] }],
      [{ a: [1] }, { pull: { a: [2] } }, { a: [1] }],
      [{}, { pull: { a: [1], "b.c": [1] } }, {}],
      [{ a: null, b: {} }, { pull: { a: [1], "b.c": [1] } }, { a: null, b: {} }],
    ]),

  "replace replaces everything except _id": (store) =>
    assertChanges(store, [
      [{ a: 1, b: 2 }, { replace: { c: 3 } }, { c: 3 }],
      [{ a: { x: 1 } }, { replace: { a: { y: 1 } } }, { a: { y: 1 } }],
      [{ a: 1 }, { replace: {} }, {}],
    ]),

  "keep preserves existing fields": (store) =>
    assertChanges(store, [
      [{ a: 1, b: 2 }, { replace: { c: 3 }, keep: ["a"] }, { a: 1, c: 3 }],
      [{ a: 1, b: 2 }, { replace: { a: 9, c: 3 }, keep: ["a"] }, { a: 1, c: 3 }],
      [{ b: 2 }, { replace: { a: 9 }, keep: ["a"] }, { a: 9 }],
      [{ b: 2 }, { replace: {}, keep: ["a"] }, {}],
      [{ a: null }, { replace: { a: 9 }, keep: ["a"] }, { a: null }],
      [{ a: { x: 1 } }, { replace: { a: { y: 1 } }, keep: ["a"] }, { a: { x: 1 } }],
    ]),

  "replace, set, unset and increment are applied in this order": (store) =>
    assertChanges(store, [
      [
        { a: 1, b: 2, c: 3 },
        {
          replace: { a: 10, b: 20, d: { e: 5 } },
          keep: ["c"],
          set: { b: 21, "d.f": 1 },
          unset: ["a"],
          increment: { c: 1, "d.e": 1 },
        },
        { b: 21, c: 4, d: { e: 6, f: 1 } },
      ],
    ]),

  "a path through a value other than an object is a conflict and changes nothing": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), trashDefinition());
    for (const [n, value] of NO_OBJECTS.entries()) {
      await records.insert({ _id: id(n), a: value, o: { a: value }, isDeleted: false });
      const refused = (path: string, change: Change) =>
        assertRefused(
          records,
          pathConflict(path),
          () =>
            records.updateOne(eq("_id", id(n)), {
              ...change,
              set: { isDeleted: true, ...change.set },
            }),
        );
      await refused("a.x", { set: { "a.x": 1 } });
      await refused("a.0", { set: { "a.0": 1 } });
      await refused("a.x.y", { set: { "a.x.y": 1 } });
      await refused("o.a.x", { set: { "o.a.x": 1 } });
      await refused("a.x", { unset: ["a.x"] });
      await refused("a.x", { increment: { "a.x": 1 } });
      await refused("o.a.x", { increment: { "o.a.x": 1 } });
    }
  },

  "a path through null creates an object, as if it were missing": async (store) => {
    const steps: readonly (readonly [change: Change, made: { [name: string]: Json }])[] = [
      [{ set: { "o.x": 1 } }, { x: 1 }],
      [{ set: { "o.x.y": 1, "o.z": 2 } }, { x: { y: 1 }, z: 2 }],
      [{ increment: { "o.x": 2 } }, { x: 2 }],
      [{ min: { "o.x": 2 } }, { x: 2 }],
      [{ max: { "o.x": "2" } }, { x: "2" }],
      [{ push: { "o.x": [1] } }, { x: [1] }],
      [{ addToSet: { "o.x": [1, 1] } }, { x: [1] }],
    ];
    for (const [change, made] of steps) {
      await assertChanges(store, [
        [{ o: null }, change, { o: made }],
        [{}, change, { o: made }],
      ]);
    }
    await assertChanges(store, [
      [{ o: { p: null } }, { set: { "o.p.x": 1 } }, { o: { p: { x: 1 } } }],
      [{ o: null }, { unset: ["o.x"] }, { o: null }],
      [{ o: null }, { unset: ["o.x.y"] }, { o: null }],
      [{ o: null }, { pull: { "o.x": [1] } }, { o: null }],
      [{ o: { p: null } }, { pull: { "o.p.x.y": [1] } }, { o: { p: null } }],
    ]);
  },

  "only numbers can be incremented": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    for (const [n, value] of ["1", true, {}, [], [1]].entries()) {
      await records.insert({ _id: id(n), a: value, o: { a: value } });
      for (const path of ["a", "o.a"]) {
        await assertRefused(
          records,
          typeConflict(path),
          () => records.updateOne(eq("_id", id(n)), { set: { b: 1 }, increment: { [path]: 1 } }),
        );
      }
    }
  },

  "an increment cannot exceed the range of numbers": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition({ bytesMax: 1_000 }));
    const most = Number.MAX_VALUE;
    await records.insert({ _id: id(1), n: most, m: -most, isDeleted: false });
    const changing = (change: Change) => () => records.updateOne(eq("_id", id(1)), change);
    await assertRefused(records, typeConflict("n"), changing({ increment: { n: most } }));
    await assertRefused(records, typeConflict("n"), changing({ increment: { n: most / 4 } }));
    await assertRefused(records, typeConflict("m"), changing({ increment: { m: -most / 4 } }));
    const lowered = await changing({ increment: { n: -most, m: most } })();
    assert.deepEqual([lowered?.value.n, lowered?.value.m], [0, 0]);
  },

  "an increment that would be lost by rounding is refused and changes nothing": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), trashDefinition());
    const far = 2 ** 53;
    await records.insert({ _id: id(1), n: far, m: far - 1, o: { n: -far }, isDeleted: false });
    for (
      const increment of [
        { n: 1 },
        { n: 0.5 },
        { m: 2 },
        { m: far },
        { "o.n": -1 },
        { "o.m": 1, n: 1 },
        { n: 2, m: 2 },
      ]
    ) {
      await assertRefused(
        records,
        typeConflict(Object.entries(increment).at(-1)![0]),
        () => records.updateOne(eq("_id", id(1)), { set: { isDeleted: true }, increment }),
      );
    }
    const increment = { n: 2, m: 1, "o.n": 1 };
    const exact = await records.updateOne(eq("_id", id(1)), { increment });
    assert.deepEqual([exact?.value.n, exact?.value.m, exact?.value.o], [
      far + 2,
      far,
      { n: 1 - far },
    ]);
  },

  "a value of another type is not changed, and the update changes nothing": async ({ engine }) => {
    const records = engine.records(newSpace(), trashDefinition());
    for (const [n, value] of ["1", true, {}, 1, [1]].entries()) {
      await records.insert({ _id: id(n), a: value, o: { a: value }, isDeleted: false });
      const isNumber = typeof value === "number";
      const steps: Change[] = [
        ...(isNumber ? [] : [{ min: { a: 1 } }, { max: { a: 1 } }]),
        ...(typeof value === "string" ? [] : [{ max: { a: "1" } }]),
        ...(Array.isArray(value)
          ? []
          : [{ push: { a: [1] } }, { addToSet: { a: [1] } }, { pull: { a: [1] } }]),
      ];
      for (const step of steps) {
        const change = { ...step, set: { isDeleted: true } };
        await assertRefused(
          records,
          typeConflict("a"),
          () => records.updateOne(eq("_id", id(n)), change),
        );
      }
    }
  },

  "updateOne changes exactly one of the matching records": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    await records.insertMany(upTo(5).map((n) => ({ _id: id(n), kind: "x" })));
    const changed = await records.updateOne(eq("kind", "x"), { set: { kind: "y" } });
    assert.equal(changed?.value.kind, "y");
    assert.equal(await records.count(eq("kind", "x")), 4);
    assert.deepEqual(await listAll(records, eq("kind", "y")), [changed?.value]);
  },

  "updateOne without a match stores nothing": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    assert.equal(await records.updateOne(ALL, { set: { a: 1 } }), null);
    await records.insert({ _id: id(1), a: 1 });
    assert.equal(await records.updateOne(eq("a", 2), { set: { a: 1 }, increment: { n: 1 } }), null);
    assert.equal(await records.updateOne(eq("_id", id(2)), { replace: { a: 2 } }), null);
    assert.deepEqual(await listAll(records), [{ _id: id(1), a: 1 }]);
  },

  "upsert changes the first match, and inserts its record without a match": async (
    { engine },
  ) => {
    const records = engine.records(newSpace(), trashDefinition());
    const fresh = (n: number) => ({ _id: id(n), n, isDeleted: false });
    const one = { set: { changed: true } };
    assert.deepEqual((await records.upsert(eq("n", 5), one, fresh(5))).value, fresh(5));
    await records.insert(fresh(6));
    const changed = await records.upsert(compare("n", "gte", 5), one, fresh(7));
    assert.deepEqual(changed.value, { ...fresh(5), changed: true });
    assert.deepEqual(JSON.parse(changed.json), changed.value);
    assert.deepEqual(await listAll(records), [changed.value, fresh(6)]);
    assert.deepEqual(await countsOf(records), { live: 2, deleted: 0, all: 2 });
  },

  "an upsert that can neither change nor insert changes nothing": async ({ engine }) => {
    const shape = trashDefinition({
      fields: { email: { type: "String" } },
      indexes: [{ keys: keys("email"), unique: true }],
      bytesMax: 200,
    });
    const records = engine.records(newSpace(), shape);
    const row = (n: number, email: string) => ({ _id: id(n), email, isDeleted: false });
    await records.insertMany([row(1, "a"), row(2, "b")]);
    const none = eq("email", "none");
    const change = { set: { email: "b" } };
    const long = { ...row(3, "c"), text: "x".repeat(200) };
    for (
      const [refusal, filter, record] of [
        [uniqueViolation("email"), none, row(3, "a")],
        [uniqueViolation("_id"), none, row(1, "c")],
        [uniqueViolation("email"), eq("email", "a"), row(3, "c")],
        [tooLarge, none, long],
      ] as const
    ) await assertRefused(records, refusal, () => records.upsert(filter, change, record));
  },

  "a change does not modify the caller's objects": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    await records.insert({ _id: id(1), n: 0 });
    const change = {
      replace: { a: { b: 1 }, c: { d: 1 } },
      set: { "a.x": { deep: {} } },
      unset: ["c.d"],
      increment: { "a.b": 1, "a.x.deep.n": 1 },
    } satisfies Change;
    const copy = structuredClone(change);
    await records.updateOne(ALL, change);
    assert.deepEqual(change, copy);
  },

  "the revision grows with every change and stays without one": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    let before = (await records.insert({ _id: id(1), n: 0 })).revision;
    const changes: Change[] = [
      { set: { n: 1 } },
      { increment: { n: 1 } },
      { unset: ["n"] },
      { replace: { n: 5 } },
    ];
    for (const change of changes) {
      const { revision } = (await records.updateOne(ALL, change))!;
      assert.ok(revision > before, `${revision} after ${before}`);
      before = revision;
    }
    await records.insert({ _id: id(2), n: { x: 1 } });
    await records.updateOne(eq("_id", id(2)), { set: { m: 1 } });
    assert.equal((await records.get(id(1)))?.revision, before);
    assert.equal((await records.findOne(eq("_id", id(1))))?.revision, before);
  },

  "a filter by revision matches only that version of the record": async ({ engine }) => {
    const records = engine.records(newSpace(), definition());
    const first = await records.insert({ _id: id(1), n: 0 });
    const at = (revision: number) => and(eq("_id", id(1)), revisionFilter(revision));
    const second = await records.updateOne(at(first.revision), { set: { n: 1 } });
    assert.equal(second?.value.n, 1);
    assert.equal(await records.updateOne(at(first.revision), { set: { n: 2 } }), null);
    assert.equal(await records.deleteOne(at(first.revision)), null);
    assert.equal(await records.count(at(second!.revision)), 1);
    assert.equal((await records.deleteOne(at(second!.revision)))?.value.n, 1);
  },

  "of concurrent changes with the same expected revision exactly one succeeds": async (
    { engine },
  ) => {
    const records: Records = engine.records(newSpace(), definition());
    const { revision } = await records.insert({ _id: id(1) });
    const filter = and(eq("_id", id(1)), revisionFilter(revision));
    const results = await Promise.all(
      upTo(50).map((n) => records.updateOne(filter, { set: { winner: n } })),
    );
    const winners = results.filter((one) => one !== null);
    assert.equal(winners.length, 1);
    assert.deepEqual((await records.get(id(1)))?.value, winners[0]?.value);
  },
};
