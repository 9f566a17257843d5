import assert from "node:assert/strict";
import { Pace } from "./pace.ts";

Deno.test("a statement is taken for short until one of its text was slow", () => {
  const pace = new Pace();
  assert.equal(pace.isSlow({ of: {}, text: "a" }), false);
  pace.learn({ of: {}, text: "a" }, true);
  assert.equal(pace.isSlow({ of: {}, text: "a" }), true);
  assert.equal(pace.isSlow({ of: {}, text: "b" }), false);
});

Deno.test("what was seen of the very same values counts more than the text", () => {
  const pace = new Pace();
  const [rare, common] = [{}, {}];
  pace.learn({ of: common, text: "a" }, true);
  pace.learn({ of: rare, text: "a" }, false);
  assert.equal(pace.isSlow({ of: rare, text: "a" }), false);
  assert.equal(pace.isSlow({ of: common, text: "a" }), true);
  pace.learn({ of: common, text: "a" }, false);
  assert.equal(pace.isSlow({ of: common, text: "a" }), false);
});
