/** Query plans of SQLite, which prove that an index serves the pages of a list. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ALL, and, compare, eq, or, within } from "@/lib/store/filter.ts";
import type { Definition, Filter, ListQuery, Position, SortKey } from "@/lib/store/port.ts";
import { boundPage, pageStatement } from "@/lib/store/sqlite/keyset.ts";
import { planQuery } from "@/lib/store/sqlite/plan.ts";
import { countStatement } from "@/lib/store/sqlite/statements.ts";
import { definition, id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { openFolder } from "./sqlite_folder.ts";

const FIELDS: Definition["fields"] = {
  group: { type: "String" },
  rank: { type: "Number" },
  flag: { type: "Boolean" },
  day: { type: "Date" },
  place: { type: "Object", fields: { city: { type: "String" } } },
  owner: { type: "String" },
};

const SORTS: readonly (readonly SortKey[])[] = [
  keys("group"),
  keys("-group"),
  keys("-day"),
  keys("flag"),
  keys("place.city"),
  keys("group", "rank"),
  keys("group", "-rank"),
  keys("-group", "rank"),
  keys("-day", "flag", "group"),
  keys("_id"),
  keys("-_id"),
  keys("group", "-_id"),
];

const VALUES: Readonly<Record<string, string | number | boolean>> = {
  group: "g3",
  rank: 3,
  flag: true,
  day: "2024-01-03T00:00:00.000Z",
  "place.city": "c3",
};

const row = (n: number) => ({
  _id: id(n),
  group: `g${n % 7}`,
  rank: n % 5,
  flag: n % 2 === 0,
  day: `2024-01-0${1 + n % 9}T00:00:00.000Z`,
  place: { city: `c${n % 11}` },
  isDeleted: n % 3 === 0,
});

/** Returns a position in the middle of the list, with a value in every key. */
function middle(sort: readonly SortKey[]): Position {
  const paths = sort.map((key) => key.path).filter((path) => path !== "_id");
  return { values: paths.map((path) => VALUES[path]!), id: id(50) };
}

/** Returns positions at which the nulls of a key end. */
const afterNulls = (sort: readonly SortKey[]): Position[] =>
  middle(sort).values.map((_, at) => ({
    values: middle(sort).values.map((value, i) => i === at ? null : value),
    id: id(50),
  }));

const pagesFrom = (
  positions: readonly Position[],
  sort: readonly SortKey[],
  filter: Filter,
): ListQuery[] =>
  positions.flatMap((from) =>
    [false, true].map((backwards) => ({ filter, sort, limit: 20, from, backwards }))
  );

/** Returns the statements of a query without a guard, which needs functions of Corbel. */
const unguarded = (shape: Definition, query: ListQuery) =>
  pageStatement({ ...planQuery(shape, query), isServed: true }, query);

type Explain = (query: ListQuery) => string[][];

const FORMS = ["seq", "seq, text"] as const;

/** Checks the plan of a page's statement for each of its forms. */
const withPlans = (shape: Definition, check: (explain: Explain) => void): Promise<void> =>
  withRows(shape, (db) =>
    check((query) => {
      const statement = unguarded(shape, query);
      return FORMS.map((form) => {
        const { sql, values } = boundPage(statement, form, query);
        return db.prepare(`explain query plan ${sql}`).all(...values)
          .map((step) => `${step.detail}`);
      });
    }));

/** Checks 200 rows in the engine's own table and indexes. */
async function withRows(shape: Definition, check: (db: DatabaseSync) => void): Promise<void> {
  await using store = await openFolder();
  const space = newSpace();
  await store.engine.records(space, shape).insertMany(upTo(200).map(row));
  const file = `${store.address.slice("sqlite:".length)}/projects/${space}.db`;
  const db = new DatabaseSync(file, { readOnly: true });
  db.function("spent", (_bytes, _share) => 0);
  try {
    check(db);
  } finally {
    db.close();
  }
}

/** Plan step that reads the text of a row. */
const TEXT = "SEARCH r_things USING INTEGER PRIMARY KEY (rowid=?)";

/**
 * Fails unless every access to the table, except for reading texts, is an index search by at least
 * this many bounds, without a later sort.
 */
function assertSeeks(plans: string[][], bounds: number, label: string): void {
  assert.ok(plans.length > 0, label);
  for (const plan of plans) {
    const message = `${label}: ${plan.join(" | ")}`;
    const ways = plan.filter((step) => /^(SEARCH|SCAN) r_things/.test(step) && step !== TEXT);
    assert.ok(ways.length > 0, message);
    for (const access of ways) {
      assert.match(access, /^SEARCH r_things USING (COVERING )?INDEX /, message);
      assert.ok((access.match(/[<>=]\?/g) ?? []).length >= bounds, message);
    }
    assert.ok(!plan.some((step) => step.includes("TEMP B-TREE")), message);
  }
}

const single = (sort: readonly SortKey[]): Definition["indexes"] => [{ keys: sort }];
const every: Definition["indexes"] = SORTS.map((sort) => ({ keys: sort }));

const SIDES: readonly Filter[] = [
  eq("isDeleted", false),
  eq("isDeleted", true),
  and(eq("isDeleted", false), eq("owner", "o")),
  eq("owner", "o"),
  or(eq("isDeleted", true), eq("owner", "o")),
  ALL,
];

/** Checks the plans of pages, bound by this many keys; a trash adds one. */
async function assertPagesSeek(
  indexesOf: (sort: readonly SortKey[]) => Definition["indexes"],
  positionsOf: (sort: readonly SortKey[]) => Position[],
): Promise<void> {
  for (const sort of SORTS) {
    const parts = { fields: FIELDS, indexes: indexesOf(sort) };
    await withPlans(definition(parts), (explain) => {
      for (const query of pagesFrom(positionsOf(sort), sort, ALL)) {
        assertSeeks(explain(query), 1, JSON.stringify(query));
      }
    });
    await withPlans(trashDefinition(parts), (explain) => {
      for (const query of SIDES.flatMap((side) => pagesFrom(positionsOf(sort), sort, side))) {
        assertSeeks(explain(query), 2, JSON.stringify(query));
      }
    });
  }
}

Deno.test("with an index over the sort, a page after a position is sought and never sorted", () =>
  assertPagesSeek(single, (sort) => [middle(sort)]));

Deno.test("with indexes over many sorts, a page after a position is sought and never sorted", () =>
  assertPagesSeek(() => every, (sort) => [middle(sort)]));

Deno.test("a page after the last of many nulls is sought without scanning them", () =>
  assertPagesSeek(single, afterNulls));

Deno.test("a full page reads no row of the later ranges", async () => {
  const sort = keys("group");
  const shape = trashDefinition({ fields: FIELDS, indexes: single(sort) });
  await withRows(shape, (db) => {
    let looked = 0;
    db.function("looked", () => ++looked);
    const from = { values: ["g3"], id: id(3) };
    const query = { filter: eq("isDeleted", false), sort, limit: 5, from };
    const statement = pageStatement(
      { ...planQuery(shape, query), isServed: false, guard: "looked()" },
      query,
    );
    const { sql, values } = boundPage(statement, "seq", query);
    assert.equal(db.prepare(sql).all(...values).length, 6);
    assert.equal(looked, 6);
  });
});

Deno.test("the ranges of a page after a position run in place, not as a coroutine", async () => {
  for (const sort of SORTS) {
    await withPlans(trashDefinition({ fields: FIELDS, indexes: single(sort) }), (explain) => {
      for (const query of pagesFrom([middle(sort)], sort, eq("isDeleted", false))) {
        explain(query).forEach((steps, form) => {
          const handedOver = steps.filter((step) => step.includes("CO-ROUTINE"));
          // The page itself runs as a coroutine, to have its texts read.
          assert.equal(handedOver.length, FORMS[form] === "seq, text" ? 1 : 0, steps.join(" | "));
        });
      }
    });
  }
});

Deno.test("texts are read in the order of the page, wherever it begins", async () => {
  for (const sort of SORTS) {
    const shape = trashDefinition({ fields: FIELDS, indexes: single(sort) });
    await withRows(shape, (db) => {
      for (const filter of SIDES) {
        const pages = [
          ...pagesFrom([middle(sort)], sort, filter),
          { filter, sort, limit: 20 },
          { filter, sort, limit: 5, offset: 7 },
          { filter, sort, limit: 20, offset: 1_000 },
        ];
        for (const query of pages) {
          const statement = unguarded(shape, query);
          const read = (form: (typeof FORMS)[number]) => {
            const { sql, values } = boundPage(statement, form, query);
            return db.prepare(sql).all(...values).map((row) => Object.values(row)[0]);
          };
          assert.deepEqual(read("seq, text"), read("seq"), statement.sql["seq, text"]);
        }
      }
    });
  }
});

Deno.test("the first page of live, deleted or all records is sought and never sorted", async () => {
  for (const sort of SORTS) {
    await withPlans(trashDefinition({ fields: FIELDS, indexes: single(sort) }), (explain) => {
      for (const filter of SIDES) {
        for (const backwards of [false, true]) {
          const query = { filter, sort, limit: 20, backwards };
          assertSeeks(explain(query), 1, JSON.stringify(query));
        }
      }
    });
  }
});

Deno.test("the first page without a trash is read from the index in its order", async () => {
  for (const sort of SORTS) {
    await withPlans(definition({ fields: FIELDS, indexes: single(sort) }), (explain) => {
      for (const backwards of [false, true]) {
        const [plan] = explain({ filter: ALL, sort, limit: 20, backwards });
        assert.equal(plan?.length, 1, JSON.stringify(sort));
        assert.match(plan[0]!, /^SCAN r_things USING (COVERING )?INDEX /);
      }
    });
  }
});

Deno.test("live and deleted records are scanned by their ids without a separate index", async () => {
  const shape = trashDefinition({ fields: FIELDS, indexes: single(keys("-day")) });
  await withPlans(shape, (explain) => {
    for (const sort of [[], keys("_id"), keys("-_id")]) {
      const [first, ...more] = explain({ filter: ALL, sort, limit: 20 });
      assert.deepEqual([first?.length, /^SCAN r_things USING .*INDEX /.test(first![0]!)], [
        1,
        true,
      ]);
      assert.equal(more.length, FORMS.length - 1, "one statement for each form");
      for (const query of pagesFrom([middle([])], sort, ALL)) {
        assertSeeks(explain(query), 1, JSON.stringify(query));
      }
    }
  });
});

Deno.test("one side of the trash is also scanned by ids if no index serves the query", async () => {
  const shape = trashDefinition({ fields: FIELDS, indexes: single(keys("rank")) });
  const live = eq("isDeleted", false);
  const walked = [live, eq("isDeleted", true), and(live, compare("day", "gt", "2024-01-03"))];
  const sought = [
    and(live, eq("rank", 3)),
    and(live, compare("rank", "gt", 3)),
    and(live, compare("_id", "gt", id(150))),
  ];
  await withPlans(shape, (explain) => {
    for (const sort of [keys("_id"), keys("-_id")]) {
      for (const filter of walked) {
        const [plan] = explain({ filter, sort, limit: 20 });
        assert.deepEqual(plan?.length, 1, plan?.join(" | "));
        assert.match(plan[0]!, /^SCAN r_things USING INDEX sqlite_autoindex_/);
        for (const query of pagesFrom([middle([])], sort, filter)) {
          assertSeeks(explain(query), 1, JSON.stringify(query));
        }
      }
      for (const filter of sought) {
        const [plan] = explain({ filter, sort, limit: 20 });
        assert.match(plan![0]!, /^SEARCH r_things USING (COVERING )?INDEX /, plan?.join(" | "));
      }
    }
  });
});

Deno.test("the expiry of a definition is served by an index", () =>
  withPlans(definition({ fields: FIELDS, expiry: "day" }), (explain) => {
    const filter = compare("day", "lt", "2024-01-03T00:00:00.000Z");
    assertSeeks(explain({ filter, sort: keys("day"), limit: 20 }), 1, "expired");
  }));

Deno.test("records are sought by given ids, whatever other conditions there are", async () => {
  const shape = trashDefinition({ fields: FIELDS, indexes: every });
  await withPlans(shape, (explain) => {
    for (const more of [eq("isDeleted", false), eq("owner", "o"), eq("group", "g3")]) {
      for (const sort of [[], keys("_id"), keys("-day")]) {
        const filter = and(within("_id", [id(1), id(2)]), eq("isDeleted", false), more);
        for (const plan of explain({ filter, sort, limit: 20 })) {
          const message = plan.join(" | ");
          assert.ok(plan.some((step) => /^SEARCH r_things USING .*\(id=\?\)/.test(step)), message);
        }
      }
    }
  });
});

Deno.test("a count without a guard is sought in an index by all of its conditions", () => {
  const shape = trashDefinition({
    fields: { ...FIELDS, tags: { type: "Array", items: { type: "String" } } },
    indexes: [
      { keys: keys("group") },
      { keys: keys("rank") },
      { keys: keys("group", "day") },
      { keys: keys("group", "rank", "-day") },
      { keys: keys("day", "flag", "_id"), unique: true },
      { keys: keys("tags", "-rank") },
    ],
  });
  const asked: readonly Filter[][] = [
    [eq("group", "g1")],
    [eq("group", "g1"), eq("rank", 1)],
    [eq("group", "g1"), compare("rank", "gte", 1), compare("rank", "lt", 4)],
    [eq("group", "g1"), compare("day", "lte", "2024-01-05T00:00:00.000Z")],
    [compare("rank", "gt", 3)],
    [eq("tags", "a")],
    [eq("tags", "a"), eq("rank", 2)],
  ];
  return withRows(shape, (db) => {
    for (const conditions of asked) {
      const filter = and(eq("isDeleted", false), ...conditions);
      const { limited } = countStatement(planQuery(shape, { filter }), "lookup");
      const { sql, values } = limited!;
      const plan = db.prepare(`explain query plan ${sql}`).all(...values, 9)
        .map(({ detail }) => `${detail}`);
      const ways = plan.filter((step) => / [ar]_things/.test(step));
      assert.equal(ways.length, 1, sql);
      assert.match(ways[0]!, /^SEARCH .* USING COVERING INDEX /, sql);
      const bounds = ways[0]!.match(/[<>=]\?/g)!.length;
      assert.equal(bounds, 1 + conditions.length, `${sql}: ${ways[0]}`);
    }
  });
});
