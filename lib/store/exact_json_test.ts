import assert from "node:assert/strict";
import { InexactInteger, isExactNumeral, parseEnteredNumber } from "./exact_json.ts";
import { parseExactJson } from "./json_text.ts";

const INEXACT = [
  ...["9007199254740993", "9007199254740995", "1254071346418286654", "9223372036854775807"],
  ...["1152921504606846977", "72057594037927937", "123456789012345678901234567890"],
  ...["9007199254740993.0", "9007199254740993.000", "9007199254740993e0", "90071992547409930e-1"],
  ...["9.007199254740993e15", "9007199.254740993E+9", "1.254071346418286654e18"],
  ...[`${2n ** 400n + 1n}`, `${2n ** 1000n - 1n}`],
];

const EXACT = [
  ...["0", "1", "100", "9007199254740991", "9007199254740992", "9007199254740994"],
  ...["1152921504606846976", "1180591620717411303424", `${2n ** 400n}`, `${2n ** 1000n}`],
  ...["10000000000000000000000", "1e22", "9007199254740992.0", "9.007199254740992e15"],
  // Notations in which programs write doubles.
  ...["1152921504606847000", "4611686018427388000", "123456789012345680000", "1e21", "1e+23"],
  ...["1.7976931348623157e+308", "1.152921504606847e+18", "9.9999999999999992e+22"],
  ...["6.189700196426902e+26", "1.2379400392853803e+27", "100000000000000000000000"],
  // Fractions are rounded.
  ...["0.1", "0.1000000000000000055511151231257827", "12345678901234567890.5", "4.9e-324"],
  ...["1e-400", "0.0", "1.00000000000000000000", "0.00000000000000000000000001"],
  // The size check rejects them elsewhere.
  ...["1e400", "1".repeat(400)],
];

const inexactIn = (text: string) => (error: unknown) =>
  error instanceof InexactInteger && error.literal === text &&
  error.message.includes(text.slice(0, 40)) && error.message.includes("send it as a String");

Deno.test("isExactNumeral accepts exactly the integers that a double can represent", () => {
  for (const sign of ["", "-"]) {
    for (const text of INEXACT) assert.equal(isExactNumeral(sign + text), false, sign + text);
    for (const text of EXACT) assert.equal(isExactNumeral(sign + text), true, sign + text);
  }
});

Deno.test("isExactNumeral accepts doubles in the notations of JavaScript, Python and C", () => {
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < 20_000; i++) {
    crypto.getRandomValues(new Uint8Array(view.buffer));
    const double = view.getFloat64(0);
    if (!Number.isFinite(double)) continue;
    const texts = [String(double), double.toExponential(), double.toPrecision(17)];
    if (Math.abs(double) > 1 && Math.abs(double) < 1e300) {
      texts.push(`${BigInt(Math.trunc(double))}`);
    }
    for (const text of texts) assert.ok(isExactNumeral(text), text);
  }
});

Deno.test("isExactNumeral rejects the neighbors of large integers that a double can represent", () => {
  for (let bits = 53n; bits < 200n; bits++) {
    const integer = 2n ** bits + 3n ** (bits / 2n);
    const double = BigInt(Number(integer));
    assert.equal(isExactNumeral(`${double}`), true);
    assert.equal(isExactNumeral(`${double + 1n}`), false, `${double + 1n}`);
  }
});

Deno.test("an inexact integer is rejected anywhere in JSON, but not inside strings", () => {
  for (const text of INEXACT) {
    for (const sign of ["", "-"]) {
      const literal = sign + text;
      for (
        const json of [
          literal,
          ` ${literal} `,
          `{"n":${literal}}`,
          `{"a":"9007199254740993","n":[1,{"m":${literal}}]}`,
          `["\\"",${literal},"]"]`,
          `["\\\\",${literal}]`,
          `["${"x".repeat(100)}\\\\\\"", 0.1428571428571428571, ${literal}]`,
        ]
      ) assert.throws(() => parseExactJson(json), inexactIn(literal), json);
      const inStrings = { [`a ${literal}`]: `${literal}`, b: [`"${literal}"`, `\\${literal}\\`] };
      assert.deepEqual(parseExactJson(JSON.stringify(inStrings)), inStrings);
    }
  }
  for (const text of EXACT) assert.deepEqual(parseExactJson(`{"n":[${text}]}`), { n: [+text] });
  assert.throws(() => parseExactJson("9007199254740993]"), SyntaxError);
});

Deno.test("an inexact integer is found at any offset of the text", () => {
  for (let before = 0; before < 40; before++) {
    const json = `["${"x".repeat(before)}",9007199254740993]`;
    assert.throws(() => parseExactJson(json), inexactIn("9007199254740993"), json);
    const text = ["x".repeat(before) + "9007199254740993", 1];
    assert.deepEqual(parseExactJson(JSON.stringify(text)), text);
  }
});

Deno.test("long texts are scanned in linear time", () => {
  const hostile = [
    JSON.stringify("9007199254740993 ".repeat(200_000)),
    JSON.stringify('"9007199254740993'.repeat(200_000)),
    JSON.stringify("\\".repeat(3_000_000)),
    `[1${"0".repeat(1_000_000)}1]`,
    `[1.${"0".repeat(1_000_000)}1]`,
    `[${"0.1428571428571428571,".repeat(100_000)}1]`,
  ];
  const began = performance.now();
  for (const text of hostile) parseExactJson(text);
  assert.ok(performance.now() - began < 5_000);
});

Deno.test("parseEnteredNumber returns an exact number or the text, or throws InexactInteger", () => {
  for (const [text, wanted] of [["12", 12], [" 1.5 ", 1.5], ["+1e3", 1000], [".5", 0.5]] as const) {
    assert.equal(parseEnteredNumber(text), wanted);
  }
  for (const text of ["", " ", "many", "0x20000000000001", "1e400", "Infinity", "1,5", "."]) {
    assert.equal(parseEnteredNumber(text), text);
  }
  assert.throws(() => parseEnteredNumber(" 9007199254740993"), inexactIn("9007199254740993"));
});
