import assert from "node:assert/strict";
import { nameProblem } from "../../documents/names.ts";
import { DOCUMENT_DEPTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import { toStorableName, toStorableValue } from "./storable_values.ts";
import { Notes } from "./notes.ts";

const WHERE = "posts.extra";

Deno.test("toStorableValue renames invalid members at any depth and keeps all of them", () => {
  const names = ["a.b", "a_b", "a$b", "$a", "__proto__", "constructor", "", " x ", "a\u200bb"];
  const members = () => Object.fromEntries(names.map((name) => [name, name]));
  for (const value of [members(), { in: { lists: [[members()]] } }, [members(), 1]] as Json[]) {
    const notes = new Notes();
    const stored = toStorableValue(null, value, { where: WHERE, notes });
    assert.deepEqual(leavesOf(stored), leavesOf(value));
    for (const name of namesIn(stored)) assert.equal(nameProblem(name), null, name);
    const [line, ...more] = notes.toLines();
    assert.deepEqual(more, []);
    assert.match(line!, /^posts\.extra: names within it that were changed \("a\.b" is called /);
    assert.match(line!, /: 7$/);
  }
});

Deno.test("toStorableValue keeps valid names", () => {
  const value = { "example.com": 1, "example_com": 2, "example_com_": 3, other: null };
  const stored = toStorableValue(null, value, { where: WHERE, notes: new Notes() });
  assert.deepEqual(stored, { example_com__: 1, example_com: 2, example_com_: 3, other: null });
});

Deno.test("toStorableValue omits a value that is nested too deeply without walking it", () => {
  let value: Json = { "a.b": 1 };
  for (let n = 0; n < 100_000; n++) value = [value];
  const notes = new Notes();
  assert.equal(toStorableValue(null, value, { where: WHERE, notes }), null);
  assert.match(notes.toLines().join(), new RegExp(`deeper than ${DOCUMENT_DEPTH_MAX} levels: 1$`));
});

Deno.test("toStorableName never returns a reserved name", () => {
  const reserved = new Set(["createdAt", "source_createdAt"]);
  assert.equal(toStorableName("createdAt", new Set(), reserved), "source_createdAt_");
  assert.equal(toStorableName("a.b", new Set(["a_b"]), reserved), "a_b_");
});

const childrenOf = (value: Json): [string, Json][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];

const leavesOf = (value: Json): Json[] =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leavesOf).sort()
    : [value];

const namesIn = (value: Json): string[] =>
  childrenOf(value).flatMap(([name, one]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...namesIn(one),
  ]);
