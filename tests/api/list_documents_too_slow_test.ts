import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { createTestCollection, ok, refused, times } from "./test_collection.ts";
import { DEAR_PATTERN, dearText } from "../support/dear_pattern.ts";

const FIELDS = [
  { key: "title", type: "String" },
  { key: "rank", type: "Number" },
  { key: "status", type: "String", index: true },
];

/** Looked for in one of the titles below it takes many milliseconds; nothing matches. */
const DEAR = `title_regex=${encodeURIComponent(DEAR_PATTERN)}`;

const NAME =
  "a list that takes too long is 503 with Retry-After, and names the index that would help";

/** How long a pattern takes MongoDB is not ours to know; faults make it slow elsewhere. */
const isOurs = database === "sqlite";

Deno.test({
  name: NAME + (isOurs ? "" : " (left out: on SQLite only)"),
  ignore: !isOurs,
  fn: tooSlow,
});

async function tooSlow(): Promise<void> {
  await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "300" } });
  const collection = await createTestCollection(app, { fields: FIELDS });
  const documents = times(100, (n) => ({ n, title: dearText(n), rank: n, status: `s${n}` }));
  ok(await collection.asSecret({ path: "/bulk", body: documents }), 201);

  const named: Record<string, string> = {
    [`${DEAR}&sort=rank`]: '"rank"',
    [`${DEAR}&rank_gt=-1`]: '"rank"',
  };
  for (const [query, field] of Object.entries(named)) {
    const answer = await collection.asSecret({ path: `?${query}` });
    refused(answer, 503, "QUERY_TOO_SLOW", `an index on ${field} would help`);
    assert.equal(answer.headers.get("retry-after"), "1");
  }
  for (const query of [DEAR, `${DEAR}&count=true`, `${DEAR}&total=none`]) {
    refused(
      await collection.asSecret({ path: `?${query}` }),
      503,
      "QUERY_TOO_SLOW",
      "has an index",
    );
  }

  assert.deepEqual(await collection.names(`${DEAR}&status=s5`), [], "narrowed it is answered");
  await collection.insertOne({ n: 100 });
  assert.deepEqual(await collection.names("limit=1"), [100]);
}
