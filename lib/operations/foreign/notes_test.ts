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
