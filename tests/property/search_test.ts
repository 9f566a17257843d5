/** Random texts and searches, on the engine and in plain JavaScript. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "@/lib/limits.ts";
import { wordsIn } from "@/lib/words.ts";
import { createTestCollection, type Doc, ok } from "../api/test_collection.ts";
import { openTestApp } from "../support/test_app.ts";
import { check } from "./run.ts";

const FIELDS = [
  { key: "n", type: "Number" },
  { key: "title", type: "String", search: true },
  { key: "tags", type: "Array", items: { type: "String" }, search: true },
  { key: "meta", type: "Object", fields: [{ key: "about", type: "String", search: true }] },
];

/** Words with common beginnings, in several scripts and spellings, and separators. */
const PIECES = [
  ..."fast faster Fast fäst a ab abc B straße STRASSE crème creme don't don’t 3.14 3 14".split(" "),
  ..."snake_case snake _ __ example.com привет При ёлка елка 東京 東京大学 大学 が か 天安门 한국 한"
    .split(" "),
  ..."שלום हिन्दी İstanbul ıs ﬁne fine 😀 e\u0301 so\u00adft ½ A\u0301B ΟΔΟΣ οδος".split(" "),
  ...[" ", "  ", ", ", "-", "!", "\n", "(", ")", '"', "'", "*", "%", "\\", ":", "^"],
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((parts) => parts.join(""))
  .chain((joined) => fc.constantFrom(joined, joined.toUpperCase(), joined.normalize("NFD")))
  .filter((joined) => joined.isWellFormed());

const document = fc.record({
  title: fc.option(text),
  tags: fc.array(text, { maxLength: 3 }),
  meta: fc.option(fc.record({ about: text }, { requiredKeys: [] })),
}, { requiredKeys: [] });

type Document = typeof document extends fc.Arbitrary<infer D> ? D : never;

/** Searches of complete texts and of beginnings of words. */
const search = fc.oneof(
  text,
  fc.array(fc.constantFrom(...PIECES).map((piece) => piece.slice(0, 2)), {
    minLength: 1,
    maxLength: 3,
  }).map((parts) => parts.join(" ")),
).filter((one) => one.isWellFormed() && one.length <= SEARCH_LENGTH_MAX);

function matches({ title, tags = [], meta }: Document, sought: readonly string[]): boolean {
  const texts = [title, ...tags, meta?.about].filter((one) => typeof one === "string");
  const words = texts.flatMap((one) => wordsIn(one));
  return sought.every((begun) => words.some((word) => word.startsWith(begun)));
}

const cases = fc.record({
  documents: fc.array(document, { minLength: 1, maxLength: 12 }),
  changes: fc.array(fc.tuple(fc.nat(), document), { maxLength: 4 }),
  searches: fc.array(search, { minLength: 1, maxLength: 6 }),
});

Deno.test("a search finds the same documents as a scan of all documents", async () => {
  await using app = await openTestApp();
  let run = 0;
  await check("searches", cases, async ({ documents, changes, searches }) => {
    const posts = await createTestCollection(app, { name: `posts${run++}`, fields: FIELDS });
    const bodies = documents.map((one, n) => ({ n, ...one }));
    const { ids } = ok(await posts.asSecret({ path: "/bulk", body: { documents: bodies } }), 201);
    const now = [...documents];
    for (const [at, change] of changes) {
      const n = at % documents.length;
      ok(await posts.asSecret({ method: "PATCH", path: `/${ids[n]}`, body: change }));
      now[n] = { ...now[n], ...change };
    }
    for (const asked of searches) {
      const sought = wordsIn(asked);
      const path = `?${new URLSearchParams({ search: asked, sort: "n" })}`;
      const answer = await posts.asSecret({ path });
      if (sought.length === 0 || sought.length > SEARCH_WORDS_MAX) {
        assert.equal(answer.status, 400, asked);
        continue;
      }
      const expected = now.flatMap((one, n) => matches(one, sought) ? [n] : []);
      const { items, total } = ok(answer);
      const got = items.map(({ n }: Doc) => n);
      assert.deepEqual(got, expected, `${JSON.stringify(asked)} in ${JSON.stringify(now)}`);
      assert.equal(total, expected.length);
    }
  });
});
