import assert from "node:assert/strict";
import { contractTests, type Driver } from "./suite.ts";

const CASE = "of 50 concurrent removals of a record exactly one returns it";

const skipping = (skips: Record<string, string>): Driver => ({
  open: () => Promise.reject(new Error("a skipped case must not open a store")),
  skips,
});

Deno.test("a skip leaves out only its case, with the reason", () => {
  const tests = contractTests("some", skipping({ [CASE]: "cannot remove" }));
  const skipped = tests.filter((one) => one.ignore);
  assert.deepEqual(skipped.map((one) => one.name), [`some: ${CASE} (skipped: cannot remove)`]);
  assert.ok(tests.length > 100);
});

Deno.test("a skip that names no case fails the suite", () => {
  assert.throws(
    () => contractTests("some", skipping({ [`${CASE}!`]: "cannot remove" })),
    { message: `some skips "${CASE}!", which is not a case` },
  );
});

Deno.test("a skip without a reason fails the suite", () => {
  assert.throws(
    () => contractTests("some", skipping({ [CASE]: " " })),
    { message: `some skips "${CASE}" without a reason` },
  );
});

Deno.test("each case runs on its own store, which is disposed after it", async () => {
  const closed: boolean[] = [];
  const [first] = contractTests("some", {
    open: () =>
      Promise.resolve({
        address: "none:",
        get engine(): never {
          throw new Error("opened");
        },
        [Symbol.asyncDispose]: () => Promise.resolve(void closed.push(true)),
      }),
  });
  await assert.rejects(
    async () => await first!.fn({} as Deno.TestContext),
    { message: "opened" },
  );
  assert.deepEqual(closed, [true]);
});
