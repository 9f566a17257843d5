import assert from "node:assert/strict";
import { processorMs } from "../attacks/cost.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, refused } from "./test_collection.ts";

const UNSUPPORTED: Record<string, string> = {
  "nothing": "",
  "129 characters": "a".repeat(129),
  "an open group": "(",
  "an open class": "[a",
  "a lone closing parenthesis": "a)",
  "nothing to repeat": "*a",
  "a repeat of a repeat": "a**",
  "a starred group": "(a)*",
  "a group repeated once or more": "(a)+",
  "an optional group": "(a)?",
  "a counted group": "(a){2}",
  "a group with an open count": "(ab){2,}",
  "a nested repeat": "(a+)+$",
  "a repeat of alternatives": "(a|aa)*b",
  "a repeated group without capture": "(?:a)*",
  "a look-ahead": "(?=a)",
  "a negative look-ahead": "(?!a)",
  "a look-behind": "(?<=a)b",
  "a named group": "(?P<x>a)",
  "inline flags": "(?i)a",
  "a back reference": "(a)\\1",
  "an escape at the end": "a\\",
  "a possessive repeat": "a++",
  "reversed counts": "a{2,1}",
  "1001 repeats": "a{1001}",
  "a reversed range": "[z-a]",
  "NUL": "a\u0000",
};

Deno.test("an unsupported pattern is 400 and the parameter is named", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "title", type: "String" }],
  });
  await collection.insertOne({ title: "aaa" });
  for (const [description, pattern] of Object.entries(UNSUPPORTED)) {
    for (const field of ["title", "other"]) {
      const text = encodeURIComponent(pattern);
      const answer = await collection.asSecret({ path: `?${field}_regex=${text}` });
      assert.equal(answer.status, 400, description);
      refused(answer, 400, "INVALID_QUERY", `"${field}_regex"`);
      const where = encodeURIComponent(JSON.stringify({ [field]: { regex: pattern } }));
      refused(
        await collection.asSecret({ path: `?where=${where}` }),
        400,
        "INVALID_QUERY",
        '"where"',
      );
    }
  }
});

/** Letters, among them U+017F and U+212A, which are other cases of s and k. */
const LETTERS = ["k", "K", "\u212a", "s", "S", "\u017f", "a"];
const WORDS = [...LETTERS, "_", "1"];
const OTHERS = ["!", "é", '"', " ", "\n", "\v", "😀"];

/** Patterns with texts that match and texts that do not. */
const MATCHES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["a", ["a", "A", "bab"], ["b", ""]],
  ["^a", ["ab", "AB"], ["ba"]],
  ["b$", ["ab"], ["ba"]],
  ["^a.c$", ["abc", "a-c"], ["ac", "abbc"]],
  ["a|b", ["xa", "B"], ["c"]],
  ["^(ab|cd)$", ["ab", "CD"], ["abcd"]],
  ["^(?:ab|cd)e", ["abe"], ["ae"]],
  ["^[a-c]+$", ["abc", "CBA"], ["abd", ""]],
  ["^[^a-c]+$", ["xyz"], ["xa"]],
  ["^\\d{2,3}$", ["12", "123"], ["1", "1234"]],
  ["\\bcat\\b", ["a cat sat"], ["concatenate"]],
  ["^\\w+\\s\\w+$", ["two words"], ["one"]],
  ["a\\.b", ["a.b"], ["axb"]],
  ["\\$5", ["$5"], ["5"]],
  ["^a*$", ["", "aaa"], ["b"]],
  ["^a+?b", ["aab"], ["b"]],
  ["é", ["café", "CAFÉ"], ["cafe"]],
  ["^.$", ["雪", "😀"], ["ab"]],
  ["^\\w$", WORDS, OTHERS],
  ["^\\W$", OTHERS, WORDS],
  ["^[\\w]$", WORDS, OTHERS],
  ["^[\\W]$", OTHERS, WORDS],
  ["^[^\\w]$", OTHERS, WORDS],
  ["^[^\\W]$", WORDS, OTHERS],
  ["^[\\W_]$", [...OTHERS, "_"], [...LETTERS, "1"]],
  ["^[\\Ws]$", [...OTHERS, "s", "S", "\u017f"], ["k", "K", "\u212a", "a", "_", "1"]],
  ["^[\\D]$", [...OTHERS, ...LETTERS, "_"], ["1"]],
  ["^[^\\D]$", ["1"], [...OTHERS, ...LETTERS, "_"]],
  ["^[\\S]$", [...WORDS, "!", "é", "\v"], [" ", "\n", "\t", "\f", "\r"]],
  ["^[^\\S]$", [" ", "\n", "\t", "\f", "\r"], [...WORDS, "!", "é", "\v"]],
  ["^[a-z]$", LETTERS, [...OTHERS, "_", "1"]],
  ["^[^a-z]$", [...OTHERS, "_", "1"], LETTERS],
  ["^[\\w-.]+$", ["a-b.c"], ["a^b", "a b", "a/b"]],
  ["^[\\s-x]$", [" ", "-", "x", "X"], ["!", "0", "a"]],
  ["^[.,.]$", [".", ","], ["a", ";"]],
  ["^[=a=]$", ["=", "A"], ["b"]],
  ["[:a:]", ["a", "x:"], ["x"]],
  ["^*a$?", ["a", "bab"], ["b", ""]],
  ["\\b+cat\\B{2}", ["a cats"], ["a cat", "scats"]],
  ["a".repeat(128), ["a".repeat(128)], ["a".repeat(127)]],
];

Deno.test("a pattern matches anywhere in a text, ignoring case, on declared and undeclared fields", async () => {
  // The substitute for MongoDB takes seconds for large character classes.
  await using app = await openTestApp({ env: { QUERY_TIME_LIMIT_MS: "25000" } });
  for (const field of ["title", "other"]) {
    const collection = await createTestCollection(app, {
      fields: [{ key: "title", type: "String" }],
    });
    const texts = new Set(MATCHES.flatMap(([, matching, others]) => [...matching, ...others]));
    await collection.insert(...[...texts].map((text) => ({ n: text, [field]: text })));
    await collection.insert({ n: "number", [field === "title" ? "none" : field]: 1 }, {
      n: "missing",
    });
    for (const [pattern, matching, others] of MATCHES) {
      const found = await collection.names(
        `${field}_regex=${encodeURIComponent(pattern)}&limit=1000`,
      );
      for (const text of matching) assert.ok(found.includes(text), `${pattern} misses ${text}`);
      for (const text of others) assert.ok(!found.includes(text), `${pattern} finds ${text}`);
      assert.ok(!found.includes("number") && !found.includes("missing"), pattern);
    }
  }
});

Deno.test("a pattern that provokes backtracking takes linear time", async () => {
  await using app = await openTestApp();
  const collection = await createTestCollection(app, {
    fields: [{ key: "title", type: "String" }],
  });
  await collection.insertOne({ title: "a".repeat(100_000) });
  const startMs = processorMs();
  for (const pattern of ["a*a*a*a*a*a*b", "^[a-z]*[a-z]*[a-z]*[0-9]$", "(a|a|a|a|a)b"]) {
    assert.deepEqual(await collection.names(`title_regex=${encodeURIComponent(pattern)}`), []);
  }
  assert.ok(processorMs() - startMs < 5_000);
});
