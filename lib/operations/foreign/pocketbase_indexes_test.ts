import assert from "node:assert/strict";
import { processorMs } from "@/tests/attacks/cost.ts";
import { parseIndex } from "./pocketbase_indexes.ts";

Deno.test("an index of PocketBase is read however its SQL is written", () => {
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

Deno.test("an index that would be another one here is none, and says why", () => {
  const cases: [string, RegExp][] = [
    ["CREATE INDEX i ON posts (lower(title))", /expression/],
    ["CREATE INDEX i ON posts (json_extract(a, '$.b'), c)", /expression/],
    ["CREATE UNIQUE INDEX i ON posts (title COLLATE NOCASE)", /whatever the case/],
    ["CREATE UNIQUE INDEX i ON posts (title) WHERE draft = 0", /some records alone/],
    ["CREATE UNIQUE INDEX i ON posts (title) WHERE slug != ''", /some records alone/],
    ["DROP TABLE posts", /expression/],
    ["", /expression/],
  ];
  for (const [sql, why] of cases) assert.match(parseIndex(sql) as string, why, sql);
});

Deno.test("a text of SQL that is too long is not read, and the longest takes no time", () => {
  const began = processorMs();
  for (const piece of ["CREATE INDEX ", " ON ", "(", "a, ", "WHERE ", " \n"]) {
    const text = `CREATE UNIQUE INDEX ${piece.repeat(20_000)}`;
    assert.match(parseIndex(text) as string, /longer than/);
    assert.match(parseIndex(text.slice(0, 2_000)) as string, /expression/);
  }
  assert.ok(processorMs() - began < 1_000);
});
