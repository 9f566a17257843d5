import assert from "node:assert/strict";
import { SlowQueryRegistry } from "./slow_query_registry.ts";

Deno.test("a statement is taken for short until one of its text was slow", () => {
  const registry = new SlowQueryRegistry();
  assert.equal(registry.isSlow({ of: {}, text: "a" }), false);
  registry.learn({ of: {}, text: "a" }, true);
  assert.equal(registry.isSlow({ of: {}, text: "a" }), true);
  assert.equal(registry.isSlow({ of: {}, text: "b" }), false);
});

Deno.test("what was seen of the very same values counts more than the text", () => {
  const registry = new SlowQueryRegistry();
  const [rare, common] = [{}, {}];
  registry.learn({ of: common, text: "a" }, true);
  registry.learn({ of: rare, text: "a" }, false);
  assert.equal(registry.isSlow({ of: rare, text: "a" }), false);
  assert.equal(registry.isSlow({ of: common, text: "a" }), true);
  registry.learn({ of: common, text: "a" }, false);
  assert.equal(registry.isSlow({ of: common, text: "a" }), false);
});

Deno.test("what was slow is tried again after a minute", () => {
  let now = 0;
  const registry = new SlowQueryRegistry(() => now);
  const seen = {};
  registry.learn({ of: seen, text: "a" }, true);
  now = 59_999;
  assert.deepEqual([
    registry.isSlow({ of: seen, text: "a" }),
    registry.isSlow({ of: {}, text: "a" }),
  ], [true, true]);
  now = 60_001;
  assert.deepEqual([
    registry.isSlow({ of: seen, text: "a" }),
    registry.isSlow({ of: {}, text: "a" }),
  ], [false, false]);
});
