import assert from "node:assert/strict";
import { Notes } from "./notes.ts";

Deno.test("notes are told once each, in the order in which they came, with how often they came", () => {
  const notes = new Notes();
  notes.count("left out");
  notes.say("is a view");
  notes.count("left out", 2);
  notes.say("is a view");
  assert.deepEqual(notes.lines(), ["left out: 3", "is a view"]);
});

Deno.test("however many different notes come, a bounded number is kept", () => {
  const notes = new Notes();
  for (let n = 0; n < 2_000; n++) notes.say(`note ${n}`);
  notes.count("note 0");
  const lines = notes.lines();
  assert.equal(lines.length, 501);
  assert.deepEqual([lines[0], lines.at(-1)], ["note 0: 1", "And more that is not listed: 1500"]);
});

Deno.test("of renamed members a few are named for each field, and all are counted", () => {
  const notes = new Notes();
  for (let n = 0; n < 10; n++) notes.renamed("posts.map", `a.${n}`, `a_${n}`);
  assert.deepEqual(notes.lines(), [
    'posts.map: names within it that are others now ("a.0" is called "a_0", "a.1" is called "a_1", ' +
    '"a.2" is called "a_2"): 10',
  ]);
  for (let n = 0; n < 600; n++) notes.renamed(`field ${n}`, "a.b", "a_b");
  assert.deepEqual([notes.lines().length, notes.lines().at(-1)], [
    501,
    "And more that is not listed: 101",
  ]);
});
