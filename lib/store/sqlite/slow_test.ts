import assert from "node:assert/strict";
import { compare, eq } from "../filter.ts";
import { QueryTooSlow } from "../errors.ts";
import type { Definition, ListQuery } from "../port.ts";
import type { Access } from "./access.ts";
import { BudgetExceeded, type BudgetKind } from "./budget.ts";
import type { Connection } from "./connection.ts";
import type { Scan, Scanned, Unread } from "./scan.ts";
import { readBounded } from "./slow.ts";
import { Statements } from "./statements.ts";

const ROWS_MAX = 20_000;
/** How many rows are looked at here before something runs out. */
const SEEN = 4_000;

const QUERY: ListQuery = {
  filter: eq("status", "draft"),
  sort: [{ path: "views", descending: false }],
  limit: 20,
  total: true,
};

interface Meeting {
  /** What runs out on the event loop; null where all suffices. */
  readonly here: BudgetKind | null;
  /** What the other thread answers. */
  readonly there?: Scanned["rows"] | Unread;
}

/** Reads of one statement, and what each of them meets. Tells where each was tried. */
async function tried(
  meetings: readonly Meeting[],
  query = QUERY,
  statements = statementsOf(),
): Promise<string[]> {
  const told: string[] = [];
  for (const { here, there = { page: 1, total: 1 } } of meetings) {
    const places: string[] = [];
    const db = {
      rowsSeen: SEEN,
      within<T>(_: unknown, work: () => T): T {
        places.push("here");
        if (here !== null) throw new BudgetExceeded(here);
        return work();
      },
    } as unknown as Connection;
    const access = {
      read: (work: (db: Connection) => unknown) => Promise.resolve().then(() => work(db)),
      slow: {
        rowsMax: ROWS_MAX,
        scan(scan: Scan) {
          places.push(scan.isDoubtful ? "there, in doubt" : "there");
          const found = { texts: [], total: 0 };
          return Promise.resolve(typeof there === "string" ? there : { ...found, rows: there });
        },
      },
    } as unknown as Access;
    const plan = statements.page(query);
    const count = query.total ? statements.count(query.filter) : null;
    const read = { statements, access, plan, count, query };
    const ways = { here: () => null, elsewhere: () => null, empty: () => null };
    await readBounded(read, ways).catch((error) => {
      assert.ok(error instanceof QueryTooSlow, String(error));
      places.push("refused");
    });
    told.push(places.join(", "));
  }
  return told;
}

const statementsOf = (): Statements =>
  Statements.of(
    {
      name: "posts",
      fields: { status: { type: "String" }, views: { type: "Number" } },
      indexes: [{ keys: [{ path: "status", descending: false }] }],
      trash: false,
    } satisfies Definition,
  );

Deno.test("a read that was only held up is tried again where it was", async () => {
  const places = await tried([
    { here: "time", there: { page: 20, total: 60 } },
    { here: null },
  ]);
  assert.deepEqual(places, ["here, there, in doubt", "here"]);
});

Deno.test("what looks at far more rows than there was time for three times in a row goes elsewhere from then on", async () => {
  for (const [page, then] of [[2 * SEEN, "here"], [2 * SEEN + 1, "there"]] as const) {
    const there = { page, total: 1 };
    const held = { here: "time", there } as const;
    const doubt = "here, there, in doubt";
    const quick = { here: null, there };
    assert.deepEqual(
      await tried([held, held, quick, held, held, held, quick]),
      [doubt, doubt, "here", doubt, doubt, doubt, then],
    );
  }
});

Deno.test("a read that looks at many rows goes elsewhere from then on", async () => {
  for (const here of ["rows", "text", "time"] as const) {
    for (const rows of [{ page: ROWS_MAX + 1, total: 1 }, { page: 1, total: ROWS_MAX + 1 }]) {
      const places = await tried([{ here, there: rows }, { here: null, there: rows }]);
      assert.equal(places[0]!.startsWith("here, there"), true);
      assert.equal(places[1], "there");
    }
  }
});

Deno.test("where the usual way was not tried elsewhere, its end here counts", async () => {
  const unknown = { page: null, total: 1 };
  assert.deepEqual(
    await tried([{ here: "rows", there: unknown }, { here: null, there: unknown }, { here: null }]),
    ["here, there", "there", "there"],
  );
});

Deno.test("a read that turns out to be short is tried here again", async () => {
  const places = await tried([
    { here: "rows", there: { page: ROWS_MAX + 1, total: 1 } },
    { here: null, there: { page: 3, total: 1 } },
    { here: null },
  ]);
  assert.deepEqual(places, ["here, there", "there", "here"]);
});

Deno.test("what is late is slow; to be turned away among many says nothing", async () => {
  assert.deepEqual(
    await tried([{ here: "time", there: "late" }, { here: null }]),
    ["here, there, in doubt, refused", "there"],
  );
  assert.deepEqual(
    await tried([{ here: "time", there: "crowded" }, { here: null }]),
    ["here, there, in doubt, refused", "here"],
  );
});

Deno.test("a slow count does not keep its page from being tried alone", async () => {
  const statements = statementsOf();
  const slowCount = { page: 3, total: ROWS_MAX + 1 };
  await tried([{ here: "rows", there: slowCount }], QUERY, statements);
  assert.deepEqual(await tried([{ here: null }], QUERY, statements), ["there"]);
  const alone = { ...QUERY, total: false };
  assert.deepEqual(await tried([{ here: null }], alone, statements), ["here"]);
});

Deno.test("what an offset costs says nothing of other pages", async () => {
  const statements = statementsOf();
  const far = { ...QUERY, total: false, offset: 50 };
  await tried([{ here: "rows", there: { page: ROWS_MAX + 1, total: 0 } }], far, statements);
  assert.deepEqual(await tried([{ here: null }], far, statements), ["here"]);
});

Deno.test("other values of a statement that was slow are not tried here", async () => {
  const statements = statementsOf();
  await tried([{ here: "rows", there: { page: ROWS_MAX + 1, total: 1 } }], QUERY, statements);
  const other = { ...QUERY, filter: eq("status", "published") };
  assert.deepEqual(await tried([{ here: null }], other, statements), ["there"]);
  const unlike = { ...QUERY, filter: compare("status", "gt", "published") };
  assert.deepEqual(await tried([{ here: null }], unlike, statements), ["here"]);
});
