import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { CACHE_MS } from "@/lib/limits.ts";
import { listen } from "../support/live_reader.ts";
import { openTestApp } from "../support/test_app.ts";

/** The interval of the process's timer that checks live lists. */
const CHECK_MS = 1_000;
const CHECKS = 2;

const waitForChecks = (count: number) =>
  new Promise((resolve) => setTimeout(resolve, count * CHECK_MS));

/** Records the SQL statements of this process after `begin`. */
function recordStatements(): Disposable & { readonly asked: string[]; begin(): void } {
  const asked: string[] = [];
  let isBegun = false;
  const { prototype } = StatementSync as unknown as {
    prototype: Record<string, (this: { sourceSQL: string }, ...given: unknown[]) => unknown>;
  };
  const before = ["all", "get", "run", "iterate"].map((name) => [name, prototype[name]!] as const);
  for (const [name, call] of before) {
    prototype[name] = function (...given) {
      if (isBegun) asked.push(this.sourceSQL);
      return call.apply(this, given);
    };
  }
  return {
    asked,
    begin: () => void (isBegun = true),
    [Symbol.dispose]() {
      for (const [name, call] of before) prototype[name] = call;
    },
  };
}

/** Tables that determine a reader's access, with the number of rows behind the open lists. */
const ROWS_BY_TABLE: Readonly<Record<string, number>> = {
  r_apiKeys: 6,
  r_projects: 6,
  r__sessions: 6,
  r__collections: 6,
};

Deno.test("open lists without writes read no documents, and access records once per check", async () => {
  using sql = recordStatements();
  await using app = await openTestApp();
  await using open = new AsyncDisposableStack();
  for (let i = 0; i < 3; i++) {
    const project = await app.project();
    for (const name of ["posts", "notes"]) {
      await project.collection({ name, rls: { mode: "private" } });
      for (const user of [undefined, await project.user()]) {
        const reader = await listen({ app, project, path: `${name}/live`, ...(user && { user }) });
        await reader.expect("list");
        open.use(reader);
      }
    }
  }
  // Entries that were cached when the lists were opened are read once more.
  for (let i = 0; i < 2; i++) {
    app.clock.advance(CACHE_MS);
    await waitForChecks(1.2);
  }
  sql.begin();
  for (let i = 0; i < CHECKS; i++) {
    app.clock.advance(CACHE_MS);
    await waitForChecks(1);
  }
  const reads = sql.asked.filter((statement) => statement !== "pragma data_version");
  const byTable = Map.groupBy(reads, (statement) => / from "(\w+)"/.exec(statement)?.[1] ?? "");
  for (const [table, statements] of byTable) {
    // The recording may begin during a check.
    const atMost = (CHECKS + 1) * (ROWS_BY_TABLE[table] ?? 0);
    assert.ok(statements.length <= atMost, `${table} is read ${statements.length} times`);
  }
});
