/** SQLite finds texts of search fields by their trigrams, which must not change results. */

import assert from "node:assert/strict";
import { and, eq, or } from "@/lib/store/filter.ts";
import type { Definition, Filter, StoredRecord } from "@/lib/store/port.ts";
import { id, keys, listAll, newSpace, regex, trashDefinition, upTo } from "./fixtures.ts";
import { openFolder } from "./sqlite_folder.ts";

const shape = (search: readonly string[]): Definition =>
  trashDefinition({
    fields: {
      title: { type: "String" },
      tags: { type: "Array", items: { type: "String" } },
      meta: { type: "Object", fields: { about: { type: "String" } } },
      owner: { type: "String" },
      rank: { type: "Number" },
    },
    indexes: [{ keys: keys("owner") }, { keys: keys("rank") }],
    search,
  });

const SHAPE = shape(["title", "tags", "meta.about"]);
const LIVE = eq("isDeleted", false);

const ALPHABET = [..."aAbkKs\u212a\u017fäß %_'\"\\(.^\t0İ"];

const pickOf = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)]!;

const randomText = (length: number): string =>
  Array.from({ length }, () => pickOf(ALPHABET)).join("");

/** Escapes a text as the operators `_contains` and `_startswith` do. */
const literal = (text: string): string => text.replaceAll(/[!-\/:-@[-`{-~]/g, "\\$&");

function recordOf(n: number): StoredRecord {
  const lengths = [0, 2, 3, 8, 30, 99, 100, 101, 160];
  return {
    _id: id(n),
    isDeleted: n % 9 === 0,
    owner: `o${n % 5}`,
    rank: n,
    title: n % 7 === 0 ? null : randomText(pickOf(lengths)),
    tags: upTo(n % 3).map(() => randomText(pickOf(lengths))),
    ...(n % 2 === 0 && { meta: { about: randomText(pickOf(lengths)) } }),
  };
}

function soughtIn(record: StoredRecord): string {
  const { title, tags, meta } = record as unknown as {
    title: string | null;
    tags: string[];
    meta?: { about: string };
  };
  const text = pickOf([title ?? "", ...tags, meta?.about ?? ""]);
  const at = Math.floor(Math.random() * text.length);
  const part = text.slice(at, at + 1 + Math.floor(Math.random() * 6));
  return pickOf([part, part.toUpperCase(), part.toLowerCase()]);
}

Deno.test("a text is found in the same records whether or not its field is a search field", async () => {
  await using store = await openFolder();
  const { engine } = store;
  const searched = engine.records(newSpace(), SHAPE);
  const plain = engine.records(newSpace(), shape([]));
  const records = upTo(150).map(recordOf);
  await searched.insertMany(records);
  await plain.insertMany(records);
  for (let n = 0; n < 40; n++) {
    const change = recordOf(n);
    const { _id, ...replace } = change;
    records[n] = change;
    await searched.updateOne(eq("_id", _id), { replace });
    await plain.updateOne(eq("_id", _id), { replace });
  }
  let found = 0;
  for (let n = 0; n < 600; n++) {
    const text = soughtIn(pickOf(records));
    if (text === "" || !text.isWellFormed()) continue;
    const path = pickOf(["title", "tags", "meta.about"]);
    const one = regex(path, pickOf(["", "^"]) + literal(text));
    const filter: Filter = pickOf([
      and(LIVE, one),
      one,
      and(one, eq("owner", "o1"), LIVE),
      and(LIVE, or(one, eq("rank", 3))),
      and(LIVE, one, regex("title", "a")),
      and(LIVE, { op: "not", of: one }),
    ]);
    const expected = await listAll(plain, filter, keys("rank"));
    const got = await listAll(searched, filter, keys("rank"));
    assert.deepEqual(got, expected, JSON.stringify(filter));
    assert.equal(await searched.count(filter), expected.length);
    found += expected.length;
  }
  assert.ok(found > 500, `only ${found} were found`);
});

Deno.test("few matches are found by trigrams, many by a scan", async () => {
  await using store = await openFolder();
  const records = store.engine.records(newSpace(), SHAPE);
  await records.insertMany(
    upTo(9_000).map((n) => ({
      _id: id(n),
      isDeleted: false,
      title: `Common ${n % 900 === 5 ? "Rarity" : "words"} ${n}`,
      owner: `o${n % 5}`,
      rank: n,
    })),
  );
  const explained = (...more: Filter[]) =>
    records.explain({ filter: and(LIVE, ...more), sort: keys("-rank"), limit: 20, total: true });
  const rare = await explained(regex("title", "rarit"));
  assert.deepEqual([rare.index, rare.examined], [keys("title"), 10]);
  const common = await explained(regex("title", "common"));
  assert.deepEqual(common.index, keys("rank"));
  const owned = await explained(regex("title", "rarit"), eq("owner", "o0"));
  assert.deepEqual(owned.index, keys("owner"));
  const short = await explained(regex("title", "ra"));
  assert.notDeepEqual(short.index, keys("title"));
});
