import assert from "node:assert/strict";
import { countsOf, failuresOf, secondsOf, sumOf } from "./output.ts";

Deno.test("countsOf reads the last summary, with steps, ignored tests and colours", () => {
  for (
    const [output, passed, failed] of [
      ["ok | 12 passed | 0 failed (3s)\n", 12, 0],
      ["x\nok | 1422 passed (93 steps) | 0 failed | 1 ignored (2m9s)\n", 1422, 0],
      ["\x1b[0m\x1b[31mFAILED\x1b[0m | 3 passed (1 step) | 4 failed (1 step) \x1b[0m(2s)\n", 3, 4],
      ["ok | 1 passed | 0 failed (1s)\nFAILED | 2 passed | 1 failed (1s)\n", 2, 1],
    ] as const
  ) assert.deepEqual(countsOf(output, failed === 0), { passed, failed });
});

Deno.test("countsOf counts a run that failed without a failed test as one failure", () => {
  assert.deepEqual(countsOf("FAILED | 7 passed | 0 failed (1s)\n", false), {
    passed: 7,
    failed: 1,
  });
  assert.equal(countsOf("error: No test modules found\n", false), null);
});

Deno.test("failuresOf returns the errors and names of a failed run without colours", () => {
  const errors =
    "ERRORS \n\na => ./a_test.ts:1:6\nerror: Error: x\n\n FAILURES \n\na => ./a_test.ts:1:6";
  const summary = "FAILED | 1 passed | 1 failed (1s)";
  assert.equal(
    failuresOf(
      `a ... FAILED (1ms)\n\n\x1b[41m ${errors.replace(" \n", " \x1b[0m\n")}\n\n${summary}\n`,
    ),
    `${errors}\n\n${summary}`,
  );
  assert.equal(failuresOf(`b ... \n`), "b ...");
  assert.ok(failuresOf(`\n ERRORS \n${"x".repeat(20_000)}\n${summary}`).endsWith(`x\n${summary}`));
});

Deno.test("sumOf adds up counts", () => {
  const counts = [{ passed: 3, failed: 0 }, { passed: 4, failed: 2 }];
  assert.deepEqual(sumOf(counts), { passed: 7, failed: 2 });
  assert.deepEqual(sumOf([]), { passed: 0, failed: 0 });
});

const testCase = (name: string, file: string, seconds: string) =>
  `<testcase name="${name}" classname="${file}" time="${seconds}" line="1" col="6">\n</testcase>`;

Deno.test("secondsOf sums up the tests of a file, which include their steps", () => {
  const report = [
    testCase("a &gt; b", "./tests/a_test.ts", "2.000"),
    testCase("c", "./tests/a_test.ts", "0.500"),
    testCase("c", "../b_test.ts", "0.000"),
    testCase("a &gt; b &gt; one", "./tests/a_test.ts", "1.500"),
    testCase("c &gt; two &gt; three", "./tests/a_test.ts", "0.250"),
    testCase("d &gt; no step", "../b_test.ts", "3.000"),
  ].join("");
  assert.deepEqual([...secondsOf(report)], [["tests/a_test.ts", 2.5], ["../b_test.ts", 3]]);
});
