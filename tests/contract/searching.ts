import assert from "node:assert/strict";
import { ALL, and, eq, not, or } from "@/lib/store/filter.ts";
import type { Definition, Filter, Id, Records, StoredRecord } from "@/lib/store/port.ts";
import { wordsIn } from "@/lib/words.ts";
import { id, idsOf, keys, listAll, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import type { Cases } from "./suite.ts";

const FIELDS: Definition["fields"] = {
  title: { type: "String" },
  note: { type: "String" },
  tags: { type: "Array", items: { type: "String" } },
  meta: { type: "Object", fields: { about: { type: "String" } } },
  rank: { type: "Number" },
};

const searching = (...search: readonly string[]): Definition =>
  trashDefinition({ fields: FIELDS, indexes: [{ keys: keys("rank") }], search });

const SHAPE = searching("title", "tags", "meta.about");

const words = (text: string): Filter => ({ op: "search", words: wordsIn(text) });
const LIVE = eq("isDeleted", false);

const row = (n: number, parts: Omit<StoredRecord, "_id"> = {}): StoredRecord => ({
  _id: id(n),
  isDeleted: false,
  ...parts,
});

async function findNumbers(records: Records, text: string): Promise<number[]> {
  const rows = await listAll(records, words(text));
  return rows.map(({ _id }) => parseInt(_id, 16));
}

export const searchCases: Cases = {
  "search finds words by their beginnings, in all search fields together": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    await records.insertMany([
      row(1, { title: "Crème brûlée", tags: ["dessert", "Sugar-free"], note: "hidden" }),
      row(2, { title: "A soup", meta: { about: "creamy, with leek" } }),
      row(3, { title: "Straße 東京大学", tags: [] }),
      row(4, { title: null, rank: 4 }),
      row(5),
    ]);
    const cases: [text: string, ids: number[]][] = [
      ["creme", [1]],
      ["cre", [1, 2]],
      ["CRÈME Dess", [1]],
      ["sugar brul free", [1]],
      ["soup leek", [2]],
      ["oup", []],
      ["hidden", []],
      ["strasse", [3]],
      ["東京", [3]],
      ["大学", [3]],
      ["crème soup", []],
    ];
    for (const [text, ids] of cases) assert.deepEqual(await findNumbers(records, text), ids, text);
    assert.equal(await records.count(words("cre")), 2);
  },

  "search matches signs exactly": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    await records.insertMany([
      row(1, { title: "don't snake_case 3.14" }),
      row(2, { title: "dont snake case 3 14" }),
      row(3, { title: 'צה"ל' }),
    ]);
    assert.deepEqual(await findNumbers(records, "don't"), [1]);
    assert.deepEqual(await findNumbers(records, "don"), [1, 2]);
    assert.deepEqual(await findNumbers(records, "snake_"), [1]);
    assert.deepEqual(await findNumbers(records, "snake_c"), [1]);
    assert.deepEqual(await findNumbers(records, "3.1"), [1]);
    for (const word of ['צה"', "d.*", "(", "*", '"', "OR", "-", "\\", "NEAR"]) {
      const filter: Filter = { op: "search", words: [word] };
      assert.deepEqual(
        (await listAll(records, filter)).map((one) => one._id),
        word === 'צה"' ? [id(3)] : [],
        word,
      );
    }
  },

  "search can be combined with other conditions, sorts and pages": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    await records.insertMany(
      upTo(60).map((n) =>
        row(n, {
          title: n % 3 === 0 ? "red apple" : "green apple",
          rank: n % 7,
          isDeleted: n % 10 === 0,
        })
      ),
    );
    const isRed = (n: number) => n % 3 === 0;
    const live = upTo(60).filter((n) => n % 10 !== 0);
    const asked = and(LIVE, words("red app"));
    assert.equal(await records.count(asked), live.filter(isRed).length);
    for (const sort of [keys("rank"), keys("-rank"), keys("-_id"), keys("_id")]) {
      const matchesInOrder = await listAll(records, asked, sort);
      const paged: Id[] = [];
      let from = null;
      do {
        const query = { filter: asked, sort, limit: 4, total: true, ...(from && { from }) };
        const page = await records.list(query);
        assert.equal(page.total, matchesInOrder.length);
        paged.push(...idsOf(page));
        from = page.more ? page.last() : null;
      } while (from !== null);
      assert.deepEqual(paged, matchesInOrder.map((one) => one._id));
      assert.equal(new Set(paged).size, live.filter(isRed).length);
    }
    const isOther = (n: number) => !isRed(n);
    assert.equal(await records.count(and(LIVE, not(words("red")))), live.filter(isOther).length);
    const isEither = (n: number) => isRed(n) || n % 7 === 1;
    assert.equal(
      await records.count(and(LIVE, or(words("red"), eq("rank", 1)))),
      live.filter(isEither).length,
    );
    assert.equal(await records.count(and(words("apple"), eq("isDeleted", true))), 6);
    assert.equal((await listAll(records, words("apple"), keys("rank"))).length, 60);
  },

  "search without search fields or without words matches nothing": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, trashDefinition({ fields: FIELDS }));
    await records.insert(row(1, { title: "one" }));
    assert.deepEqual(await findNumbers(records, "one"), []);
    const searched = engine.records(newSpace(), SHAPE);
    await searched.insert(row(1, { title: "one" }));
    assert.deepEqual(await findNumbers(searched, ""), []);
    assert.deepEqual(await findNumbers(engine.records(newSpace(), SHAPE), "one"), []);
  },

  "every change of a record changes its words": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    const one = eq("_id", id(1));
    await records.insert(row(1, { title: "first", tags: ["kept"] }));
    await records.updateOne(one, { set: { rank: 1 } });
    assert.deepEqual(await findNumbers(records, "first kept"), [1]);
    await records.updateOne(one, { set: { title: "second" } });
    assert.deepEqual(await findNumbers(records, "first"), []);
    assert.deepEqual(await findNumbers(records, "second kept"), [1]);
    await records.updateOne(one, { set: { "meta.about": "inner" }, unset: ["tags"] });
    assert.deepEqual(await findNumbers(records, "kept"), []);
    assert.deepEqual(await findNumbers(records, "second inner"), [1]);
    await records.updateOne(one, { set: { meta: { about: "outer" } } });
    assert.deepEqual(await findNumbers(records, "inner"), []);
    await records.updateOne(one, { replace: { title: "third", isDeleted: false }, keep: ["meta"] });
    assert.deepEqual(await findNumbers(records, "second"), []);
    assert.deepEqual(await findNumbers(records, "third outer"), [1]);
    await records.updateOne(one, { replace: { tags: ["fourth"], isDeleted: true } });
    assert.deepEqual(await findNumbers(records, "fourth"), [1]);
    assert.deepEqual(await findNumbers(records, "outer"), []);
    await records.updateOne(one, { set: { title: null, tags: [], meta: null } });
    assert.deepEqual(await findNumbers(records, "fourth"), []);
    await records.updateOne(one, { set: { title: "fifth", tags: ["x"], meta: {} } });
    assert.deepEqual(await findNumbers(records, "fifth x"), [1]);
    await records.upsert(one, { set: { title: "sixth" } }, row(1));
    await records.upsert(eq("_id", id(2)), { set: { title: "never" } }, row(2, { title: "two" }));
    assert.deepEqual(await findNumbers(records, "sixth"), [1]);
    assert.deepEqual(await findNumbers(records, "two"), [2]);
    await records.deleteOne(one);
    assert.deepEqual(await findNumbers(records, "sixth"), []);
    await records.deleteMany(ALL, 10);
    assert.deepEqual(await findNumbers(records, "two"), []);
  },

  "words are not part of any result, and a stored text is unchanged": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    const input = row(1, { title: "Fast words", rank: 1 });
    const inserted = await records.insert(input);
    const changed = await records.updateOne(eq("_id", id(1)), { set: { title: "Slow" } });
    const shown = [inserted, changed, await records.get(id(1)), await records.findOne(ALL)];
    for (const one of shown) {
      assert.deepEqual(Object.keys(one!.value), ["_id", "isDeleted", "title", "rank"]);
    }
    assert.deepEqual(await listAll(records), [{ ...input, title: "Slow" }]);
    assert.deepEqual((await records.deleteOne(ALL))!.value, { ...input, title: "Slow" });
  },

  "an undone transaction does not change the words": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insert(row(1, { title: "before" }));
    const undone = engine.transaction(space, async (tx) => {
      const inside = tx.records(SHAPE);
      await inside.updateOne(eq("_id", id(1)), { set: { title: "after", tags: [], meta: {} } });
      await inside.insert(row(2, { title: "after" }));
      assert.deepEqual(await findNumbers(inside, "after"), [1, 2]);
      throw new Error("undone");
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(await findNumbers(records, "after"), []);
    assert.deepEqual(await findNumbers(records, "before"), [1]);
    const refused = records.insertMany([row(3, { title: "third" }), row(1, { title: "again" })]);
    await assert.rejects(refused);
    assert.deepEqual(await findNumbers(records, "third"), []);
  },

  "concurrent writes each store their own words": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    await records.insert(row(0, { title: "start" }));
    await Promise.all(
      upTo(30).flatMap((n) => [
        records.insert(row(n + 1, { title: `word${n}x` })),
        records.updateOne(eq("_id", id(0)), { set: { title: `title${n}x` } }),
        records.updateOne(eq("_id", id(0)), { set: { tags: [`tag${n}x`] } }),
      ]),
    );
    for (const n of upTo(30)) assert.deepEqual(await findNumbers(records, `word${n}x`), [n + 1]);
    const { title, tags } = (await records.get(id(0)))!.value;
    for (const n of upTo(30)) {
      const isTitle = title === `title${n}x`;
      const isTag = (tags as string[])[0] === `tag${n}x`;
      assert.deepEqual(await findNumbers(records, `title${n}x`), isTitle ? [0] : [], `title ${n}`);
      assert.deepEqual(await findNumbers(records, `tag${n}x`), isTag ? [0] : [], `tag ${n}`);
    }
  },

  "define adds the words of new search fields and removes those of others": async (
    { engine },
  ) => {
    const space = newSpace();
    const define = (next: Definition, before: Definition) =>
      engine.transaction(space, (tx) => tx.define(next, before));
    const none = searching();
    await engine.records(space, none).insertMany(
      upTo(1_200).map((n) => row(n, { title: `title${n}x all`, note: `note${n}x`, rank: n })),
    );
    const revision = async () => (await engine.records(space, none).get(id(7)))!.revision;
    const before = await revision();

    const title = searching("title");
    await define(title, none);
    const byTitle = engine.records(space, title);
    assert.equal(await byTitle.count(words("all")), 1_200);
    assert.deepEqual(await findNumbers(byTitle, "title777x"), [777]);
    assert.deepEqual(await findNumbers(byTitle, "note777x"), []);
    await byTitle.updateOne(eq("_id", id(777)), { set: { title: "changed" } });
    await byTitle.insert(row(5_000, { title: "added" }));
    assert.deepEqual(await findNumbers(byTitle, "title777x"), []);
    assert.deepEqual(await findNumbers(byTitle, "changed"), [777]);

    const both = searching("title", "note");
    await define(both, title);
    const byBoth = engine.records(space, both);
    assert.deepEqual(await findNumbers(byBoth, "changed note777x"), [777]);
    assert.deepEqual(await findNumbers(byBoth, "added"), [5_000]);

    await define(none, both);
    const byNone = engine.records(space, none);
    assert.deepEqual(await findNumbers(byNone, "added"), []);
    await byNone.updateOne(eq("_id", id(777)), { set: { title: "once more" } });
    await byNone.deleteOne(eq("_id", id(5_000)));
    await define(title, none);
    assert.deepEqual(await findNumbers(byTitle, "changed"), []);
    assert.deepEqual(await findNumbers(byTitle, "once more"), [777]);
    assert.deepEqual(await findNumbers(byTitle, "added"), []);
    assert.equal(await revision(), before);
  },

  "an undone definition does not change the words": async ({ engine }) => {
    const space = newSpace();
    const [none, title] = [searching(), searching("title")];
    await engine.records(space, title).insert(row(1, { title: "one" }));
    const undone = engine.transaction(space, async (tx) => {
      await tx.define(none, title);
      throw new Error("undone");
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(await findNumbers(engine.records(space, title), "one"), [1]);
  },

  "drop removes the words": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, SHAPE);
    await records.insert(row(1, { title: "one" }));
    await engine.dropDefinition(space, SHAPE);
    assert.deepEqual(await findNumbers(records, "one"), []);
    await records.insert(row(1, { title: "two" }));
    assert.deepEqual(await findNumbers(records, "one"), []);
    assert.deepEqual(await findNumbers(records, "two"), [1]);
  },

  "explain of a search names its fields and examines about its matches": async ({ engine }) => {
    const records = engine.records(newSpace(), SHAPE);
    await records.insertMany(
      upTo(400).map((n) => row(n, { title: n % 40 === 0 ? "rare common" : "common", rank: n })),
    );
    const explained = await records.explain({
      filter: and(LIVE, words("rare")),
      sort: keys("-rank"),
      limit: 20,
      total: true,
    });
    assert.deepEqual(explained.index, keys("title", "tags", "meta.about"));
    assert.ok(Math.abs(explained.examined - 10) <= 3, String(explained.examined));
    assert.equal(explained.advice, null);
  },
};
