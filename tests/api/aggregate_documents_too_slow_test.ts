import assert from "node:assert/strict";
import { SLOW_PATTERN, slowText } from "../support/slow_pattern.ts";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "rank", type: "Number" },
  { key: "status", type: "String", index: true },
];

const NAME = "slow groups are refused with 503, Retry-After and the field to index";

/** The slow pattern is only known to be slow on SQLite. */
const isSqlite = database === "sqlite";

Deno.test({
  name: NAME + (isSqlite ? "" : " (left out: on SQLite only)"),
  ignore: !isSqlite,
  fn: async () => {
    await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "300" } });
    const collection = await createTestCollection(app, { fields: FIELDS });
    const documents = times(100, (n) => ({ n, title: slowText(n), rank: n, status: `s${n}` }));
    ok(await collection.asSecret({ path: "/bulk", body: documents }), 201);
    const slow = `title_regex=${encodeURIComponent(SLOW_PATTERN)}&count=true`;
    const ask = (query: string) => collection.asSecret({ path: `/aggregate?${slow}&${query}` });

    const answer = await ask("group=rank");
    refused(answer, 503, "QUERY_TOO_SLOW", 'an index on "rank" would help');
    assert.equal(answer.headers.get("retry-after"), "1");
    refused(await ask("group=status"), 503, "QUERY_TOO_SLOW", "has an index");
    assert.equal(ok(await ask("status=s5")).groups[0].count, 0, "a narrower query is answered");
  },
});
