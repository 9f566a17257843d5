import assert from "node:assert/strict";
import { compare, eq } from "../filter.ts";
import { QueryTooSlow } from "../errors.ts";
import type { Definition, ListQuery } from "../port.ts";
import type { Access } from "./access.ts";
import { BudgetExceeded, type BudgetKind } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { planQuery } from "./plan.ts";
import { FEW_ROWS, type Scan, type Scanned, type Unread } from "./scan.ts";
import { readBounded } from "./slow.ts";

const ROWS_MAX = 20_000;

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

const SHAPE: Definition = {
  name: "posts",
  fields: { status: { type: "String" }, views: { type: "Number" } },
  indexes: [{ keys: [{ path: "status", descending: false }] }],
  trash: false,
};

/**
 * Reads one query as often as there are meetings. Returns where each read was tried.
 * @param slowTexts The statements that are remembered as slow.
 */
async function tried(
  meetings: readonly Meeting[],
  query = QUERY,
  slowTexts = new Set<string>(),
): Promise<string[]> {
  const told: string[] = [];
  for (const { here, there = { page: 1, total: 1 } } of meetings) {
    const places: string[] = [];
    const db = {
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
        isSlow: (text: string) => slowTexts.has(text),
        noteSlow: (text: string) => slowTexts.add(text),
        scan(scan: Scan) {
          places.push(scan.isHeldUp ? "there, held up" : "there");
          const found = { texts: [], total: 0 };
          return Promise.resolve(typeof there === "string" ? there : { ...found, rows: there });
        },
      },
    } as unknown as Access;
    const plan = planQuery(SHAPE, query);
    const read = { access, plan, page: query, isCounted: query.total === true };
    const ways = { here: () => null, elsewhere: () => null, empty: () => null };
    await readBounded(read, ways).catch((error) => {
      assert.ok(error instanceof QueryTooSlow, String(error));
      places.push("refused");
    });
    told.push(places.join(", "));
  }
  return told;
}

Deno.test("a read that ran out of something and looks at few rows is tried again where it was", async () => {
  for (const here of ["rows", "text", "time"] as const) {
    const there = { page: FEW_ROWS, total: FEW_ROWS };
    const places = await tried([{ here, there }, { here: null }]);
    assert.deepEqual(places, [here === "time" ? "here, there, held up" : "here, there", "here"]);
  }
});

Deno.test("a read that looks at many rows goes elsewhere from then on", async () => {
  for (const here of ["rows", "text", "time"] as const) {
    for (const rows of [{ page: FEW_ROWS + 1, total: 1 }, { page: 1, total: FEW_ROWS + 1 }]) {
      const places = await tried([{ here, there: rows }, { here: null, there: rows }]);
      assert.ok(places[0]!.startsWith("here, there"));
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

Deno.test("what is late is slow; to be turned away among many says nothing", async () => {
  assert.deepEqual(
    await tried([{ here: "time", there: "late" }, { here: null }]),
    ["here, there, held up, refused", "there"],
  );
  assert.deepEqual(
    await tried([{ here: "time", there: "crowded" }, { here: null }]),
    ["here, there, held up, refused", "here"],
  );
});

Deno.test("a slow count does not keep its page from being tried alone", async () => {
  const slowTexts = new Set<string>();
  const slowCount = { page: 3, total: FEW_ROWS + 1 };
  await tried([{ here: "rows", there: slowCount }], QUERY, slowTexts);
  assert.deepEqual(await tried([{ here: null }], QUERY, slowTexts), ["there"]);
  const alone = { ...QUERY, total: false };
  assert.deepEqual(await tried([{ here: null }], alone, slowTexts), ["here"]);
});

Deno.test("what an offset costs says nothing of other pages", async () => {
  const slowTexts = new Set<string>();
  const far = { ...QUERY, total: false, offset: 50 };
  await tried([{ here: "rows", there: { page: FEW_ROWS + 1, total: 0 } }], far, slowTexts);
  assert.deepEqual(await tried([{ here: null }], far, slowTexts), ["here"]);
});

Deno.test("other values of a statement that was slow are not tried here", async () => {
  const slowTexts = new Set<string>();
  await tried([{ here: "rows", there: { page: FEW_ROWS + 1, total: 1 } }], QUERY, slowTexts);
  const other = { ...QUERY, filter: eq("status", "published") };
  assert.deepEqual(await tried([{ here: null }], other, slowTexts), ["there"]);
  const unlike = { ...QUERY, filter: compare("status", "gt", "published") };
  assert.deepEqual(await tried([{ here: null }], unlike, slowTexts), ["here"]);
});
