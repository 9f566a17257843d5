import assert from "node:assert/strict";
import fc from "fast-check";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { patternSql } from "./pattern_sql.ts";
import { re2 } from "./re2.ts";

const PLAIN = "like ";

function matches(db: Connection, pattern: string, text: string | null): boolean {
  const { sql: condition, values } = patternSql("t", pattern);
  const found = db.get(sql(`select (${condition}) is true from (select ? as t)`, ...values, text));
  return found![0] === 1;
}

const withDb = (work: (db: Connection) => void): void => {
  const db = new Connection(":memory:", "normal");
  try {
    work(db);
  } finally {
    db.close();
  }
};

Deno.test("only plain text patterns are searched by like", () => {
  for (const pattern of ["a", "^draft", "t 55", "a\\.b", "100\\%", "x_y", "\\[1\\]", "it's"]) {
    assert.ok(patternSql("t", pattern).sql.includes(PLAIN), pattern);
  }
  for (const pattern of ["a.b", "a|b", "a$", "[ab]", "a?", "(a)", "\\d", "größe", "a^", "", "^"]) {
    assert.ok(!patternSql("t", pattern).sql.includes(PLAIN), pattern);
  }
});

Deno.test("like and re2 find the same texts, ignoring case, and nothing in null", () =>
  withDb((db) => {
    const kinds = ["k", "K", "\u212a", "s", "S", "\u017f", "a", "A", "i", "İ", "ß", "%", "_", "\\"];
    const text = fc.array(fc.constantFrom(...kinds, ".", " ", "\n", "x"), { maxLength: 8 })
      .map((parts) => parts.join(""));
    const escaped = (literal: string) => literal.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&");
    const literal = fc.array(
      fc.constantFrom("k", "K", "s", "a", "A", "i", "%", "_", "\\", ".", " "),
      {
        minLength: 1,
        maxLength: 3,
      },
    ).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, literal, fc.boolean(), (text, literal, isAnchored) => {
        const pattern = (isAnchored ? "^" : "") + escaped(literal);
        assert.equal(
          matches(db, pattern, text),
          re2(pattern, text) === 1,
          JSON.stringify([pattern, text]),
        );
      }),
      { numRuns: 2_000 },
    );
    assert.equal(matches(db, "a", null), false);
    const long = "b".repeat(5_000);
    assert.equal(matches(db, "bA", `${long}a`), true);
    assert.equal(matches(db, "^a", `${long}a`), false);
  }));
