import assert from "node:assert/strict";
import {
  DECLARED_NAME,
  isServerField,
  nameProblem,
  pathProblem,
  pathSizeProblem,
} from "./names.ts";
import { quoted, textProblem } from "../text/input_text.ts";

Deno.test("DECLARED_NAME requires a letter at the beginning and allows up to 64 characters", () => {
  const right = ["a", "Z9", "checked_in", "first-name", "x".repeat(64), "camelCase", "toString"];
  for (const name of right) assert.ok(DECLARED_NAME.test(name), name);
  const wrong = [
    "",
    "_id",
    "9lives",
    "-a",
    "a.b",
    "a b",
    "a\n",
    "ä",
    "straße",
    "a$",
    "x".repeat(65),
    "__proto__",
  ];
  for (const name of wrong) assert.equal(DECLARED_NAME.test(name), false, JSON.stringify(name));
});

Deno.test("isServerField matches the exact names of five fields", () => {
  for (const name of ["_id", "createdAt", "updatedAt", "isDeleted", "deletedAt"]) {
    assert.equal(isServerField(name), true, name);
  }
  for (const name of ["id", "_ID", "createdat", "CreatedAt", "userId", ""]) {
    assert.equal(isServerField(name), false, name);
  }
});

Deno.test("nameProblem rejects names that look like paths or operators, or mislead people", () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["", /is empty/],
    ["$where", /begins with \$/],
    ["$", /begins with \$/],
    ["a.b", /contains a dot/],
    [".", /contains a dot/],
    ["__proto__", /is reserved: JavaScript/],
    ["constructor", /is reserved: JavaScript/],
    ["prototype", /is reserved: JavaScript/],
    [" a", /white space/],
    ["a ", /white space/],
    ["\ta", /white space/],
    ["a\n", /white space/],
    ["\u00a0a", /white space/],
    ["a\u3000", /white space/],
    ["a\0b", /invisible/],
    ["a\u0007b", /invisible/],
    ["a\u007fb", /invisible/],
    ["a\u0085b", /invisible/],
    ["a\u200bb", /invisible/],
    ["a\u202eb", /invisible/],
    ["a\u00adb", /invisible/],
    ["a\ud800b", /broken/],
    ["\udc00", /broken/],
  ];
  for (const [name, problem] of wrong) {
    assert.match(nameProblem(name) ?? "", problem, JSON.stringify(name));
  }
});

Deno.test("nameProblem accepts all other names, in any script", () => {
  const right = [
    "a",
    "a$b",
    "with space",
    "größe",
    "名前",
    "😀",
    "Constructor",
    "__proto",
    "toString",
    "0",
    "a[0]",
    "x".repeat(1000),
    '"',
    "\\",
  ];
  for (const name of right) assert.equal(nameProblem(name), null, name);
});

Deno.test("pathProblem rejects a path with an invalid name", () => {
  for (const path of ["a", "a.b.c", "größe.mit leer"]) assert.equal(pathProblem(path), null, path);
  const wrong = ["", ".", "a.", ".a", "a..b", "a.$b", "$a.b", "a.__proto__.b", "a.b ", "a. b"];
  for (const path of wrong) assert.notEqual(pathProblem(path), null, path);
});

Deno.test("textProblem rejects U+0000 and unpaired surrogates", () => {
  assert.match(textProblem("a\0b") ?? "", /U\+0000/);
  for (const text of ["\ud800", "a\udc00", "\udc00\ud800", "\ud83d x"]) {
    assert.match(textProblem(text) ?? "", /surrogate/);
  }
  for (const text of ["", "plain", "\u0001\u001f", "😀", " spaced ", "line\nline"]) {
    assert.equal(textProblem(text), null);
  }
});

Deno.test("quoted quotes a name and truncates it to 60 characters", () => {
  assert.equal(quoted("a"), '"a"');
  assert.equal(quoted('a"b\n'), '"a\\"b\\n"');
  assert.equal(quoted("x".repeat(60)), `"${"x".repeat(60)}"`);
  assert.equal(quoted("x".repeat(61)), `"${"x".repeat(60)}…"`);
});

Deno.test("pathSizeProblem rejects a path of more than 20 levels or 300 characters", () => {
  const levels = (count: number) => Array(count).fill("a").join(".");
  assert.equal(pathSizeProblem(levels(20)), null);
  assert.match(pathSizeProblem(levels(21))!, /more than 20 levels/);
  assert.equal(pathSizeProblem("ä".repeat(300)), null);
  assert.match(pathSizeProblem("ä".repeat(301))!, /longer than 300 characters/);
  // Only the size of the path is checked.
  assert.match(pathProblem(`$${".".repeat(301)}`)!, /longer than 300 characters/);
});
