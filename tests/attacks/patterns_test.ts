/** Slow patterns delay neither the process nor scans of other projects. */

import assert from "node:assert/strict";
import { PATTERNS_MAX } from "@/lib/limits.ts";
import { createTestCollection, ok, refused, tally, times } from "../api/test_collection.ts";
import { SLOW_PATTERN, slowText } from "../support/slow_pattern.ts";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { costOf, processorMsOf } from "./cost.ts";

const FIELDS = [{ key: "title", type: "String" }, { key: "n", type: "Number" }];

const like = (...patterns: readonly string[]): string =>
  patterns.map((pattern) => `title_regex=${encodeURIComponent(pattern)}`).join("&");

Deno.test("too complex a pattern, and too many patterns, are refused before they run", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const large = await collection.asSecret({ path: `?${like(".{100}.{100}.{100}")}` });
  refused(large, 400, "INVALID_QUERY", "repeat less often");
  ok(await collection.asSecret({ path: `?${like(...times(PATTERNS_MAX, (n) => `.{${n + 1}}`))}` }));
  const many = like(...times(PATTERNS_MAX + 1, (n) => `.{${n + 1}}`));
  refused(await collection.asSecret({ path: `?${many}` }), 400, "INVALID_QUERY", "10 patterns");
  const tree = { or: times(PATTERNS_MAX + 1, () => ({ not: { title: { regex: "a" } } })) };
  const where = `where=${encodeURIComponent(JSON.stringify(tree))}`;
  refused(await collection.asSecret({ path: `?${where}` }), 400, "INVALID_QUERY", "10 patterns");
});

Deno.test("patterns of wide ranges are refused before they are compiled, each and in total", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, { fields: FIELDS });
  const wide = "[a-\u{10ffff}]".repeat(9);
  const dearest = "[ -\uffff]".repeat(1) + "[一-丁]".repeat(20);
  const where = (pattern: string, count: number) =>
    `?where=${
      encodeURIComponent(JSON.stringify({
        or: times(count, () => ({ title: { regex: pattern } })),
      }))
    }`;
  const refusals: [string, string][] = [
    [`?${like(wide)}`, "ranges of more than 70000"],
    [`?${like(...times(40, () => wide))}`, "10 patterns"],
    [`?${like(...times(40, () => dearest))}`, "10 patterns"],
    [
      `?filter=${
        encodeURIComponent(JSON.stringify(
          Object.fromEntries(times(40, (i) => [`a${i}_regex`, dearest])),
        ))
      }`,
      "10 patterns",
    ],
    [where(dearest.slice(0, 40), 11), "10 patterns"],
  ];
  for (const [path, why] of refusals) {
    const assertPathRefused = async () =>
      refused(await collection.asSecret({ path }), 400, "INVALID_QUERY", why);
    const processorMs = await processorMsOf(assertPathRefused, 100);
    assert.ok(processorMs < 100, `${path.slice(0, 40)}: ${Math.round(processorMs)} ms`);
  }
  const { processorMs } = await costOf(async () =>
    ok(await collection.asSecret({ path: `?${like(...times(PATTERNS_MAX, () => dearest))}` }))
  );
  assert.ok(processorMs < 150, `${Math.round(processorMs)} ms`);
});

/** MongoDB runs patterns in its own process and enforces their time limit. */
const ignore = database !== "sqlite";

Deno.test({
  name: "patterns in a text of a megabyte end with their time" +
    (ignore ? " (left out: on SQLite only)" : ""),
  ignore,
  async fn() {
    await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "3000" } });
    const collection = await createTestCollection(app, { fields: FIELDS });
    const text = times(500, (n) => slowText(n)).join("");
    await collection.insertOne({ title: text });
    const patterns = times(PATTERNS_MAX, (n) => `a[ab]{${100 - n}}c`);
    const { processorMs } = await costOf(async () => {
      const answer = await collection.asSecret({ path: `?${like(...patterns)}` });
      refused(answer, 503, "QUERY_TOO_SLOW");
      // Another project gets its thread at once.
      ok(await collection.asSecret({ path: `?${like("^b?a+[xyz]")}&count=true` }));
    });
    assert.ok(processorMs < 10_000, `${Math.round(processorMs)} ms`);
  },
});

Deno.test({
  name: "slow scans of one project do not get those of another refused" +
    (ignore ? " (left out: on SQLite only)" : ""),
  ignore,
  async fn() {
    await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "15000" } });
    const [attacker, other] = [
      await createTestCollection(app, { fields: FIELDS }),
      await createTestCollection(app, { fields: FIELDS }),
    ];
    const documents = times(100, (n) => ({ title: slowText(n), n }));
    for (let i = 0; i < 5; i++) {
      ok(await attacker.asSecret({ path: "/bulk", body: { documents } }), 201);
    }
    ok(await other.asSecret({ path: "/bulk", body: { documents: documents.slice(0, 10) } }), 201);
    let goesOn = true;
    const attack = async (n: number) => {
      while (goesOn) await attacker.asSecret({ path: `?${like(SLOW_PATTERN)}&n_gt=-${n + 1}` });
    };
    const attacks = times(6, attack);
    const answers = [];
    for (const n of times(4, (n) => n)) {
      answers.push(await other.asSecret({ path: `?${like(SLOW_PATTERN)}&n_gt=-${n + 1}` }));
    }
    goesOn = false;
    await Promise.all(attacks);
    assert.deepEqual(tally(answers), { 200: 4 });
  },
});
