import assert from "node:assert/strict";
import { Notes } from "./notes.ts";

Deno.test("toLines lists each note once, in the order of addition, with its count", () => {
  const notes = new Notes();
  notes.count("left out");
  notes.add("is a view");
  notes.count("left out", 2);
  notes.add("is a view");
  assert.deepEqual(notes.toLines(), ["left out: 3", "is a view"]);
});

Deno.test("add keeps a bounded number of different notes", () => {
  const notes = new Notes();
  for (let n = 0; n < 2_000; n++) notes.add(`note ${n}`);
  notes.count("note 0");
  const lines = notes.toLines();
  assert.equal(lines.length, 501);
  assert.deepEqual([lines[0], lines.at(-1)], [
    "note 0: 1",
    "Further notes that are not listed: 1500",
  ]);
});

Deno.test("addRenamed keeps a few examples for each field and counts all renames", () => {
  const notes = new Notes();
  for (let n = 0; n < 10; n++) notes.addRenamed("posts.map", `a.${n}`, `a_${n}`);
  assert.deepEqual(notes.toLines(), [
    'posts.map: names within it that were changed ("a.0" is called "a_0", "a.1" is called "a_1", ' +
    '"a.2" is called "a_2"): 10',
  ]);
  for (let n = 0; n < 600; n++) notes.addRenamed(`field ${n}`, "a.b", "a_b");
  assert.deepEqual([notes.toLines().length, notes.toLines().at(-1)], [
    501,
    "Further notes that are not listed: 101",
  ]);
});
