import assert from "node:assert/strict";
import { exceedsBytes, jsonText } from "./json_text.ts";
import type { Json } from "./port.ts";

Deno.test("negative zero keeps its sign at any depth", () => {
  assert.equal(jsonText(-0), "-0");
  assert.equal(jsonText([-0, 0]), "[-0,0]");
  assert.equal(jsonText({ a: { b: [1, { c: -0 }] }, d: 0 }), '{"a":{"b":[1,{"c":-0}]},"d":0}');
});

Deno.test("everything else is written as JSON always is", () => {
  const values: Json[] = [
    null,
    true,
    0,
    -1.5,
    5e-324,
    1.7976931348623157e308,
    'ä\n"\u2028😀',
    [],
    {},
    [1, [2, { a: null }]],
    { "": "", "0": 1, a: [], b: {} },
  ];
  for (const value of values) {
    assert.equal(jsonText(value), JSON.stringify(value));
    assert.deepEqual(JSON.parse(jsonText([value, -0])), [value, -0]);
  }
});

Deno.test("what is read back is the very same, sign included", () => {
  const text = jsonText({ n: -0, list: [0, -0] });
  const { n, list } = JSON.parse(text);
  assert.ok(Object.is(n, -0));
  assert.ok(Object.is(list[0], 0) && Object.is(list[1], -0));
});

Deno.test("names keep their order where a sign is kept", () => {
  assert.equal(jsonText({ _id: "a", z: -0, b: 1, a: 2 }), '{"_id":"a","z":-0,"b":1,"a":2}');
});

Deno.test("a text of exactly as many bytes as allowed does not exceed them", () => {
  const table: readonly (readonly [string, number])[] = [
    ["", 0],
    ["abc", 3],
    ["é", 2],
    ["名", 3],
    ["😀", 4],
    ["aé名😀", 10],
    ["é".repeat(1000), 2000],
    ["名".repeat(1000), 3000],
    ["x".repeat(999) + "é", 1001],
  ];
  for (const [text, bytes] of table) {
    assert.equal(exceedsBytes(text, bytes), false, `${text.slice(0, 5)} in ${bytes}`);
    if (bytes > 0) assert.equal(exceedsBytes(text, bytes - 1), true, text.slice(0, 5));
    assert.equal(exceedsBytes(text, bytes + 1), false, text.slice(0, 5));
  }
});
