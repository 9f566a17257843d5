import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";
import { SLOW_PATTERN, slowText } from "../support/slow_pattern.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "rank", type: "Number" },
  { key: "status", type: "String", index: true },
];

/** A filter that takes many milliseconds for each title and matches none. */
const SLOW_FILTER = `title_regex=${encodeURIComponent(SLOW_PATTERN)}`;

const TITLE = "listDocuments that takes too long is 503 with Retry-After and advises an index";

/** Whether the pattern is known to be slow: its time on MongoDB is not known. */
const isKnownToBeSlow = database === "sqlite";

Deno.test({
  name: TITLE + (isKnownToBeSlow ? "" : " (SQLite only)"),
  ignore: !isKnownToBeSlow,
  fn: testTooSlow,
});

async function testTooSlow(): Promise<void> {
  await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "300" } });
  const collection = await createTestCollection(app, { fields: FIELDS });
  const documents = times(100, (n) => ({ n, title: slowText(n), rank: n, status: `s${n}` }));
  ok(await collection.asSecret({ path: "/bulk", body: documents }), 201);

  const advised: Record<string, string> = {
    [`${SLOW_FILTER}&sort=rank`]: '"rank"',
    [`${SLOW_FILTER}&rank_gt=-1`]: '"rank"',
  };
  for (const [query, field] of Object.entries(advised)) {
    const answer = await collection.asSecret({ path: `?${query}` });
    refused(answer, 503, "QUERY_TOO_SLOW", `an index on ${field} would help`);
    assert.equal(answer.headers.get("retry-after"), "1");
  }
  for (const query of [SLOW_FILTER, `${SLOW_FILTER}&count=true`, `${SLOW_FILTER}&total=none`]) {
    refused(
      await collection.asSecret({ path: `?${query}` }),
      503,
      "QUERY_TOO_SLOW",
      "has an index",
    );
  }

  assert.deepEqual(
    await collection.names(`${SLOW_FILTER}&status=s5`),
    [],
    "the indexed condition makes it fast",
  );
  await collection.insertOne({ n: 100 });
  assert.deepEqual(await collection.names("limit=1"), [100]);
}
