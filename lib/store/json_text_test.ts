import assert from "node:assert/strict";
import { exceedsBytes, jsonText, parseJson } from "./json_text.ts";
import type { Json } from "./port.ts";

Deno.test("jsonText preserves the sign of negative zero at any depth", () => {
  assert.equal(jsonText(-0), "-0");
  assert.equal(jsonText([-0, 0]), "[-0,0]");
  assert.equal(jsonText({ a: { b: [1, { c: -0 }] }, d: 0 }), '{"a":{"b":[1,{"c":-0}]},"d":0}');
});

Deno.test("jsonText equals JSON.stringify for all other values", () => {
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

Deno.test("jsonText round-trips negative zero", () => {
  const text = jsonText({ n: -0, list: [0, -0] });
  const { n, list } = JSON.parse(text);
  assert.ok(Object.is(n, -0));
  assert.ok(Object.is(list[0], 0) && Object.is(list[1], -0));
});

Deno.test("jsonText preserves the order of names if there is a negative zero", () => {
  assert.equal(jsonText({ _id: "a", z: -0, b: 1, a: 2 }), '{"_id":"a","z":-0,"b":1,"a":2}');
});

/** Names of which `JSON.parse` of V8 15.0, in this order, reads most as the previous one. */
const ESCAPED_NAMES = [
  "\\",
  '"',
  "\n",
  "\u0001",
  "x\\",
  'x"',
  "x\t",
  "\\\\",
  '\\"',
  '""',
  "a\\b",
  'a"b',
];

Deno.test("parseJson preserves names with escapes, regardless of earlier parses", () => {
  for (let round = 0; round < 3; round++) {
    for (const first of [...ESCAPED_NAMES, ...ESCAPED_NAMES.toReversed()]) {
      JSON.parse(JSON.stringify({ b: 1, [first]: 2 })); // A previous parse by another caller.
      for (const name of ESCAPED_NAMES) {
        const text = JSON.stringify({ b: 1, [name]: { b: 1, [name]: [name] } });
        assert.equal(JSON.stringify(parseJson(text)), text, `${name} after ${first}`);
      }
    }
  }
});

Deno.test("parseJson treats all spellings of a name as equal and keeps the last value", () => {
  const table: readonly (readonly [string, string])[] = [
    ['{"\\u0061":1,"a":2}', '{"a":2}'],
    ['{"\\u0022":1,"z":0,"\\"":2}', '{"\\"":2,"z":0}'],
    ['{"\\u005c" : 1 , "\\\\"\n:2}', '{"\\\\":2}'],
    ['{"\\/":"\\/"}', '{"/":"/"}'],
    ['{"\\ud83d\\ude00":1}', '{"😀":1}'],
    ['{"\\ud800":1}', '{"\\ud800":1}'],
    ['{"9":1,"\\"":2,"1":3}', '{"1":3,"9":1,"\\"":2}'],
    ['["\\"",{"k":"\\\\\\":"}]', '["\\"",{"k":"\\\\\\":"}]'],
  ];
  for (const [text, wanted] of table) assert.equal(JSON.stringify(parseJson(text)), wanted, text);
});

Deno.test("parseJson keeps __proto__ as an own member in every spelling", () => {
  for (const text of ['{"\\u005f_proto__":{"a":1}}', '{"__proto__":{"a":1},"\\"":1}']) {
    const value = parseJson(text) as Record<string, Json>;
    assert.deepEqual(Object.getOwnPropertyDescriptor(value, "__proto__")?.value, { a: 1 });
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

Deno.test("parseJson rejects malformed JSON with any number of escapes", () => {
  const table = [
    ...['{"a\\"b:1}', '{"\\x":1}', '{"\\u12":1}', '{"\\":1}', "\\", '"\\', '{"a\nb\\n":1}'],
    ...['{"\\"":1', '{"\\"" 1}', "{'\\'':1}", '{"\\"":1,}', '{"a: "\\"":1}', '["\\"":1]'],
    '{"' + '\\"'.repeat(500_000) + "\\",
  ];
  for (const text of table) {
    assert.throws(() => JSON.parse(text), SyntaxError, text.slice(0, 40));
    assert.throws(() => parseJson(text), SyntaxError, text.slice(0, 40));
  }
});

Deno.test("parseJson accepts escapes at any depth and in names of any length", () => {
  const deep = "[".repeat(200_000) + '{"\\"":1}' + "]".repeat(200_000);
  let inner = parseJson(deep);
  while (Array.isArray(inner)) inner = inner[0]!;
  assert.deepEqual(inner, { '"': 1 });
  const long = JSON.stringify({ ['"'.repeat(500_000)]: "\\".repeat(500_000) });
  assert.equal(JSON.stringify(parseJson(long)), long);
});

Deno.test("exceedsBytes is false for a text of exactly the allowed size", () => {
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

Deno.test("jsonText indents and preserves negative zero", () => {
  assert.equal(jsonText({ a: [-0] }, 2), '{\n  "a": [\n    -0\n  ]\n}');
});
