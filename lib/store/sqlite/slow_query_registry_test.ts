import assert from "node:assert/strict";
import { SlowQueryRegistry } from "./slow_query_registry.ts";

Deno.test("a statement is taken for short until one of its text was slow", () => {
  const registry = new SlowQueryRegistry();
  assert.equal(registry.isSlow({ of: {}, text: "a" }), false);
  registry.learn({ of: {}, text: "a" }, "slow");
  assert.equal(registry.isSlow({ of: {}, text: "a" }), true);
  assert.equal(registry.isSlow({ of: {}, text: "b" }), false);
});

Deno.test("what was seen of the very same values counts more than the text", () => {
  const registry = new SlowQueryRegistry();
  const [rare, common] = [{}, {}];
  registry.learn({ of: common, text: "a" }, "slow");
  registry.learn({ of: rare, text: "a" }, "quick");
  assert.equal(registry.isSlow({ of: rare, text: "a" }), false);
  assert.equal(registry.isSlow({ of: common, text: "a" }), true);
  registry.learn({ of: common, text: "a" }, "quick");
  assert.equal(registry.isSlow({ of: common, text: "a" }), false);
});

Deno.test("what runs out of time is slow if it does so three times in a row", () => {
  const registry = new SlowQueryRegistry();
  const doubt = () => registry.learn({ of: {}, text: "a" }, "doubtful");
  const isSlow = () => registry.isSlow({ of: {}, text: "a" });
  for (
    const forget of [
      () => registry.forgetDoubts({ text: "a" }),
      () => registry.learn({ of: {}, text: "a" }, "quick"),
    ]
  ) {
    doubt();
    doubt();
    forget();
  }
  doubt();
  doubt();
  assert.equal(isSlow(), false);
  doubt();
  assert.equal(isSlow(), true);
});

Deno.test("what was slow is tried again after a minute", () => {
  let now = 0;
  const registry = new SlowQueryRegistry(() => now);
  const seen = {};
  registry.learn({ of: seen, text: "a" }, "slow");
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
