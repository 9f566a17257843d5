import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonFault, jsonFaultSuffix, lineFaultSuffix } from "./json_fault.ts";

Deno.test("jsonFault reports the line, the column and the expected token", () => {
  const cases: [string, number, number, RegExp][] = [
    ["", 1, 1, /ends too soon/],
    ['{"a": 1,\n "b": }', 2, 7, /^a value is expected$/],
    ['{"a": 1,}', 1, 9, /a comma too many before/],
    ["[1, 2,\r\n]", 2, 1, /a comma too many before/],
    ["{'a': 1}", 1, 2, /a name in double quotes/],
    ["{a: 1}", 1, 2, /a name in double quotes/],
    ['{"a" 1}', 1, 6, /a colon/],
    ['{"a": 1 "b": 2}', 1, 9, /a comma, or the end/],
    ['{"a": [1}', 1, 9, /a comma, or the end/],
    ['{"a": 1', 1, 8, /ends too soon/],
    ['{"a": "1', 1, 9, /ends within a string/],
    ['{"a": "1\n"}', 1, 9, /line break/],
    ['{"a": "\\x"}', 1, 8, /unknown escape/],
    ['{"a": "\\u12"}', 1, 8, /unknown escape/],
    ['{"a": undefined}', 1, 7, /a value is expected/],
    ['{"a": True}', 1, 7, /a value is expected/],
    ['{"a": 01}', 1, 7, /a value is expected/],
    ['{"a": 1.}', 1, 7, /a value is expected/],
    ["{}\n{}", 2, 1, /nothing more/],
    ["[,1]", 1, 2, /a value is expected/],
    ["]", 1, 1, /a value is expected/],
    ['\ufeff{"a":1}', 1, 1, /a value is expected/],
  ];
  for (const [text, line, column, why] of cases) {
    const fault = jsonFault(text);
    assert.ok(fault, text);
    assert.deepEqual([fault.line, fault.column], [line, column], text);
    assert.match(fault.reason, why, text);
    assert.throws(() => JSON.parse(text), SyntaxError, text);
  }
  assert.equal(
    jsonFaultSuffix("[1 2]"),
    " (line 1, column 4: a comma, or the end of the list or " +
      "object, is expected)",
  );
  assert.equal(jsonFaultSuffix("[1, 2]"), "");
  assert.equal(lineFaultSuffix('{"a" 1}'), " (column 6: a colon is expected)");
  assert.equal(lineFaultSuffix('{"a":1}'), "");
});

Deno.test("jsonFault finds an error exactly if JSON.parse rejects the text", () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const piece = fc.constantFrom(
    ...'{}[],:"\\ \n0-1.e+atrue',
    '"a"',
    "null",
    "true",
    '{"a":1}',
    "\\u00e4",
  );
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc.tuple(fc.json(), fc.nat(), piece).map(([text, at, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + 1);
    }),
    fc.json(),
  );
  fc.assert(
    fc.property(texts, (text) => assert.equal(jsonFault(text) === null, isJson(text), text)),
    { numRuns: 3_000 },
  );
});

Deno.test("jsonFault takes linear time and checks only the beginning of long texts", () => {
  assert.deepEqual(jsonFault("[".repeat(500_000)), {
    line: 1,
    column: 500_001,
    kind: "cutOff",
    reason: "the text ends too soon",
  });
  assert.equal(jsonFault(`[${"1,".repeat(2_000_000)}]`), null);
});
