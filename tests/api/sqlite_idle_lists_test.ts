/** What open lists cost while nobody writes. */

import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { CACHE_MS } from "@/lib/limits.ts";
import { listen } from "../support/live_reader.ts";
import { openTestApp } from "../support/test_app.ts";

/** Lists are looked at once a second, by the timer of the process. */
const LOOK_MS = 1_000;
const LOOKS = 2;

const looks = (count: number) => new Promise((resolve) => setTimeout(resolve, count * LOOK_MS));

/** Everything that is asked of SQLite in this process, once it is told to begin. */
function statements(): Disposable & { readonly asked: string[]; begin(): void } {
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

/** Tables in which a look finds what a reader may see, and how many rows of each the lists rest on. */
const LOOKED_UP: Readonly<Record<string, number>> = {
  r_apiKeys: 6,
  r_projects: 6,
  r__sessions: 6,
  r__collections: 6,
};

Deno.test("open lists without writes read no documents, and each key, session and definition once a look", async () => {
  using sql = statements();
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
  // What was remembered when they were opened is looked at once more.
  for (let i = 0; i < 2; i++) {
    app.clock.advance(CACHE_MS);
    await looks(1.2);
  }
  sql.begin();
  for (let i = 0; i < LOOKS; i++) {
    app.clock.advance(CACHE_MS);
    await looks(1);
  }
  const reads = sql.asked.filter((statement) => statement !== "pragma data_version");
  const byTable = Map.groupBy(reads, (statement) => / from "(\w+)"/.exec(statement)?.[1] ?? "");
  for (const [table, statements] of byTable) {
    // The first look may fall into the moment of the beginning.
    const atMost = (LOOKS + 1) * (LOOKED_UP[table] ?? 0);
    assert.ok(statements.length <= atMost, `${table} is read ${statements.length} times`);
  }
});
