import assert from "node:assert/strict";
import { DEAR_PATTERN, dearText } from "../support/dear_pattern.ts";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "rank", type: "Number" },
  { key: "status", type: "String", index: true },
];

const NAME = "groups that take too long are 503 with Retry-After, and name the field to index";

/** How long a pattern takes MongoDB is not ours to know. */
const isOurs = database === "sqlite";

Deno.test({
  name: NAME + (isOurs ? "" : " (left out: on SQLite only)"),
  ignore: !isOurs,
  fn: async () => {
    await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "300" } });
    const collection = await createTestCollection(app, { fields: FIELDS });
    const documents = times(100, (n) => ({ n, title: dearText(n), rank: n, status: `s${n}` }));
    ok(await collection.asSecret({ path: "/bulk", body: documents }), 201);
    const dear = `title_regex=${encodeURIComponent(DEAR_PATTERN)}&count=true`;
    const ask = (query: string) => collection.asSecret({ path: `/aggregate?${dear}&${query}` });

    const answer = await ask("group=rank");
    refused(answer, 503, "QUERY_TOO_SLOW", 'an index on "rank" would help');
    assert.equal(answer.headers.get("retry-after"), "1");
    refused(await ask("group=status"), 503, "QUERY_TOO_SLOW", "has an index");
    assert.equal(ok(await ask("status=s5")).groups[0].count, 0, "narrowed it is answered");
  },
});
