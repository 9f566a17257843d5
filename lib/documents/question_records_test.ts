import assert from "node:assert/strict";
import { p95Of } from "./question_records.ts";

// Buckets end at 1, 1.4, 2, 2.8, 4 ms and so on.
Deno.test("p95Of returns the end of the bucket of the 95th percentile", () => {
  assert.equal(p95Of({ b0: 1 }), 1);
  assert.equal(p95Of({ b0: 95, b20: 5 }), 1);
  assert.equal(p95Of({ b0: 94, b20: 6 }), 1_024);
  assert.equal(p95Of({ b3: 10, b1: 10 }), 3);
  assert.equal(p95Of({ b2: 19, b31: 1 }), 2);
  assert.equal(p95Of({ b2: 18, b31: 2 }), Math.ceil(2 ** 15.5));
});
