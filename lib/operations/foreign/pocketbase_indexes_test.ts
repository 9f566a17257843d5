import assert from "node:assert/strict";
import { processorMs } from "@/tests/attacks/cost.ts";
import { parseIndex } from "./pocketbase_indexes.ts";

Deno.test("parseIndex reads all spellings of an index", () => {
  const cases: [string, { unique: boolean; fields: string[]; butEmpty: string | null }][] = [
    ["CREATE INDEX idx ON posts (title)", { unique: false, fields: ["title"], butEmpty: null }],
    [
      "create unique index if not exists `i` on `posts` (\n  `author`,\n  [title] DESC\n);",
      { unique: true, fields: ["author", "-title"], butEmpty: null },
    ],
    [
      'CREATE UNIQUE INDEX "i" ON "posts" ("email") WHERE `email` != \'\'',
      { unique: true, fields: ["email"], butEmpty: "email" },
    ],
    [
      "CREATE INDEX i ON posts (a ASC) WHERE b > 1",
      { unique: false, fields: ["a"], butEmpty: null },
    ],
    [
      "CREATE INDEX i ON posts (a COLLATE NOCASE, b)",
      { unique: false, fields: ["a", "b"], butEmpty: null },
    ],
  ];
  for (const [sql, index] of cases) assert.deepEqual(parseIndex(sql), index, sql);
});

Deno.test("parseIndex returns a reason for an index that Corbel does not support", () => {
  const cases: [string, RegExp][] = [
    ["CREATE INDEX i ON posts (lower(title))", /expression/],
    ["CREATE INDEX i ON posts (json_extract(a, '$.b'), c)", /expression/],
    ["CREATE UNIQUE INDEX i ON posts (title COLLATE NOCASE)", /regardless of case/],
    ["CREATE UNIQUE INDEX i ON posts (title) WHERE draft = 0", /only among some records/],
    ["CREATE UNIQUE INDEX i ON posts (title) WHERE slug != ''", /only among some records/],
    ["DROP TABLE posts", /expression/],
    ["", /expression/],
  ];
  for (const [sql, why] of cases) assert.match(parseIndex(sql) as string, why, sql);
});

Deno.test("parseIndex refuses long SQL and is fast for the longest SQL that it accepts", () => {
  const began = processorMs();
  for (const piece of ["CREATE INDEX ", " ON ", "(", "a, ", "WHERE ", " \n"]) {
    const text = `CREATE UNIQUE INDEX ${piece.repeat(20_000)}`;
    assert.match(parseIndex(text) as string, /longer than/);
    assert.match(parseIndex(text.slice(0, 2_000)) as string, /expression/);
  }
  assert.ok(processorMs() - began < 1_000);
});
