import assert from "node:assert/strict";
import { compare, eq } from "../filter.ts";
import { QueryTooSlow } from "../errors.ts";
import type { Definition, ListQuery } from "../port.ts";
import type { Access } from "./access.ts";
import { BudgetExceeded, type BudgetKind } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { planQuery } from "./plan.ts";
import { FEW_ROWS_MAX, type Rejection, type Scan, type ScanResult } from "./scan.ts";
import { readBounded } from "./slow.ts";

const ROWS_MAX = 20_000;

const QUERY: ListQuery = {
  filter: eq("status", "draft"),
  sort: [{ path: "views", descending: false }],
  limit: 20,
  total: true,
};

interface Attempt {
  /** The limit that is exceeded on the event loop; null if the read succeeds there. */
  readonly here: BudgetKind | null;
  /** The result of the thread. */
  readonly there?: ScanResult["rows"] | Rejection;
}

const SHAPE: Definition = {
  name: "posts",
  fields: { status: { type: "String" }, views: { type: "Number" } },
  indexes: [{ keys: [{ path: "status", descending: false }] }],
  trash: false,
};

/**
 * Reads a query once per attempt. Returns where each read was tried.
 *
 * @param slowTexts The statements that are remembered as slow.
 */
async function tried(
  attempts: readonly Attempt[],
  query = QUERY,
  slowTexts = new Set<string>(),
): Promise<string[]> {
  const results: string[] = [];
  for (const { here, there = { page: 1, total: 1 } } of attempts) {
    const places: string[] = [];
    const db = {
      withBudget<T>(_: unknown, work: () => T): T {
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
        markSlow: (text: string) => slowTexts.add(text),
        scan(scan: Scan) {
          places.push(scan.hasTimedOut ? "there, held up" : "there");
          const found = { texts: [], total: 0 };
          return Promise.resolve(typeof there === "string" ? there : { ...found, rows: there });
        },
      },
    } as unknown as Access;
    const plan = planQuery(SHAPE, query);
    const read = { access, plan, page: query, isCounted: query.total === true };
    const handlers = { onEventLoop: () => null, fromThread: () => null, empty: () => null };
    await readBounded(read, handlers).catch((error) => {
      assert.ok(error instanceof QueryTooSlow, String(error));
      places.push("refused");
    });
    results.push(places.join(", "));
  }
  return results;
}

Deno.test("a read that examines few rows is tried on the event loop again after exceeding a limit", async () => {
  for (const here of ["rows", "text", "time"] as const) {
    const there = { page: FEW_ROWS_MAX, total: FEW_ROWS_MAX };
    const places = await tried([{ here, there }, { here: null }]);
    assert.deepEqual(places, [here === "time" ? "here, there, held up" : "here, there", "here"]);
  }
});

Deno.test("a read that examines many rows goes straight to a thread from then on", async () => {
  for (const here of ["rows", "text", "time"] as const) {
    for (
      const rows of [{ page: FEW_ROWS_MAX + 1, total: 1 }, { page: 1, total: FEW_ROWS_MAX + 1 }]
    ) {
      const places = await tried([{ here, there: rows }, { here: null, there: rows }]);
      assert.ok(places[0]!.startsWith("here, there"));
      assert.equal(places[1], "there");
    }
  }
});

Deno.test("if a thread did not try the usual statement, its failure on the event loop counts", async () => {
  const unknown = { page: null, total: 1 };
  assert.deepEqual(
    await tried([{ here: "rows", there: unknown }, { here: null, there: unknown }, { here: null }]),
    ["here, there", "there", "there"],
  );
});

Deno.test("a late read counts as slow, and a rejected one does not", async () => {
  assert.deepEqual(
    await tried([{ here: "time", there: "late" }, { here: null }]),
    ["here, there, held up, refused", "there"],
  );
  assert.deepEqual(
    await tried([{ here: "time", there: "crowded" }, { here: null }]),
    ["here, there, held up, refused", "here"],
  );
});

Deno.test("a slow count does not prevent trying the page alone", async () => {
  const slowTexts = new Set<string>();
  const slowCount = { page: 3, total: FEW_ROWS_MAX + 1 };
  await tried([{ here: "rows", there: slowCount }], QUERY, slowTexts);
  assert.deepEqual(await tried([{ here: null }], QUERY, slowTexts), ["there"]);
  const alone = { ...QUERY, total: false };
  assert.deepEqual(await tried([{ here: null }], alone, slowTexts), ["here"]);
});

Deno.test("the cost of an offset does not mark a statement as slow", async () => {
  const slowTexts = new Set<string>();
  const far = { ...QUERY, total: false, offset: 50 };
  await tried([{ here: "rows", there: { page: FEW_ROWS_MAX + 1, total: 0 } }], far, slowTexts);
  assert.deepEqual(await tried([{ here: null }], far, slowTexts), ["here"]);
});

Deno.test("a slow statement is not tried on the event loop with other values", async () => {
  const slowTexts = new Set<string>();
  await tried([{ here: "rows", there: { page: FEW_ROWS_MAX + 1, total: 1 } }], QUERY, slowTexts);
  const other = { ...QUERY, filter: eq("status", "published") };
  assert.deepEqual(await tried([{ here: null }], other, slowTexts), ["there"]);
  const unlike = { ...QUERY, filter: compare("status", "gt", "published") };
  assert.deepEqual(await tried([{ here: null }], unlike, slowTexts), ["here"]);
});
