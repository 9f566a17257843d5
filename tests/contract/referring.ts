import assert from "node:assert/strict";
import { and, eq } from "@/lib/store/filter.ts";
import type { Definition, Records, ReferrerQuery } from "@/lib/store/port.ts";
import { id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

const FIELDS = {
  post: { type: "Ref" },
  rank: { type: "Number" },
  on: { type: "Object", fields: { post: { type: "Ref" } } },
} as const;

const SHAPES: Readonly<Record<string, Definition>> = {
  "without an index": trashDefinition({ fields: FIELDS, indexes: [{ keys: keys("rank") }] }),
  "with an index": trashDefinition({
    fields: FIELDS,
    indexes: [{ keys: keys("rank") }, { keys: keys("post") }],
  }),
  "with an index that has the order": trashDefinition({
    fields: FIELDS,
    indexes: [{ keys: keys("post", "-rank") }],
  }),
};

const LIVE = eq("isDeleted", false);
const POSTS = 5;
const EACH = 12;

/** Stores twelve records per post, three of them deleted, and some for no post. */
async function storeReferrers({ engine }: Store, shape: Definition): Promise<Records> {
  const records = engine.records(newSpace(), shape);
  await records.insertMany([
    ...upTo(POSTS * EACH).map((n) => ({
      _id: id(1_000 + n),
      post: id(n % POSTS),
      rank: Math.floor(n / POSTS / 2), // Two records share a rank: the later id is newer.
      on: { post: id(0) },
      isDeleted: n < 3 * POSTS,
    })),
    { _id: id(1), post: null, rank: 99, isDeleted: false },
    { _id: id(2), rank: 99, isDeleted: false },
  ]);
  return records;
}

const ask = (parts: Partial<ReferrerQuery> = {}): ReferrerQuery => ({
  path: "post",
  ids: [id(0), id(1)],
  filter: LIVE,
  sort: keys("-rank"),
  limit: 100,
  ...parts,
});

/** Returns the ids that refer to a post, newest first. */
const expected = (post: number, limit: number) =>
  upTo(EACH).slice(3).reverse().slice(0, limit).map((n) => id(1_000 + n * POSTS + post));

export const referringCases: Cases = Object.fromEntries(
  Object.entries(SHAPES).flatMap(([how, shape]) => [
    [
      `each id gets the records that refer to it, in order and up to the limit: ${how}`,
      async (store: Store) => {
        const records = await storeReferrers(store, shape);
        for (const limit of [1, 4, 100]) {
          assert.deepEqual(
            await records.referrers(ask({ ids: [id(3), id(0), id(77)], limit })),
            new Map([[id(3), expected(3, limit)], [id(0), expected(0, limit)]]),
          );
        }
      },
    ],
    [`records that the filter excludes do not count as referrers: ${how}`, async (store: Store) => {
      const records = await storeReferrers(store, shape);
      const filter = and(LIVE, eq("rank", 5));
      const found = await records.referrers(ask({ filter }));
      assert.deepEqual(found.get(id(0)), [id(1_055), id(1_050)]);
      const nothing = await records.referrers(ask({ filter: and(LIVE, eq("rank", 7)) }));
      assert.deepEqual(nothing, new Map());
    }],
    [
      `deleted records count as referrers if the filter includes them: ${how}`,
      async (store: Store) => {
        const records = await storeReferrers(store, shape);
        const found = await records.referrers(ask({ filter: and() }));
        assert.equal(found.get(id(1))!.length, EACH);
      },
    ],
    [
      `references within objects are found, and no ids have no referrers: ${how}`,
      async (store: Store) => {
        const records = await storeReferrers(store, shape);
        const found = await records.referrers(ask({ path: "on.post", limit: 3 }));
        assert.deepEqual(found, new Map([[id(0), [id(1_059), id(1_058), id(1_057)]]]));
        assert.deepEqual(await records.referrers(ask({ ids: [] })), new Map());
        const unused = store.engine.records(newSpace(), shape);
        assert.deepEqual(await unused.referrers(ask()), new Map());
      },
    ],
  ]),
);
