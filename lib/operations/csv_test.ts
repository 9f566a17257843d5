import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../store/port.ts";
import { readCsv, toCsv } from "./csv.ts";

/** Characters that begin a formula in spreadsheets. */
const SIGNS = ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"];

/** Splits a file like a spreadsheet that uses another separator or ignores quotes. */
const cellsAsReadBy = (text: string, separator: RegExp): string[] => text.split(separator);

const isFormula = (cell: string): boolean => SIGNS.some((sign) => cell.startsWith(sign));

const dangerous = fc.array(
  fc.constantFrom(...SIGNS, "'", ",", ";", "\n", "\r\n", "a", "1", " ", '"', "cmd|' /C calc'!A0"),
  { maxLength: 8 },
).map((parts) => parts.join(""));

const text = fc.oneof(dangerous, fc.string({ unit: "binary", maxLength: 12 }));

Deno.test("readCsv returns the texts that toCsv wrote and distinguishes empty texts from null", () => {
  const cell = fc.oneof(text, fc.constant(null), fc.constant(""));
  fc.assert(fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })), (rows) => {
    const written = toCsv([["a", "b"], ...rows]);
    assert.deepEqual(readCsv(written).slice(1), rows);
  }));
});

Deno.test("toCsv guards against formulas for every separator of spreadsheets", () => {
  const value: fc.Arbitrary<Json> = fc.oneof(
    text,
    fc.dictionary(dangerous, dangerous, { maxKeys: 2 }),
    fc.array(dangerous, { maxLength: 3 }),
  );
  fc.assert(fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (values) => {
    const line = toCsv([values]).slice(0, -2);
    for (const separator of [/[;\r\n]/, /[\t\r\n]/, /[\r\n]/]) {
      for (const cell of cellsAsReadBy(line, separator)) {
        assert.ok(!isFormula(cell), JSON.stringify({ line, cell }));
      }
    }
    for (const cell of readCells(line)) assert.ok(!isFormula(cell), JSON.stringify({ line, cell }));
  }));
});

/** Cells of a line by RFC 4180, with the apostrophes that a spreadsheet would see. */
const readCells = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
    .map(([, inQuotes, bare]) => inQuotes?.replaceAll('""', '"') ?? bare ?? "");

Deno.test("toCsv writes objects and lists as JSON", () => {
  const value = fc.oneof(
    fc.dictionary(text.filter((name) => name !== "__proto__"), fc.oneof(text, fc.double()), {
      maxKeys: 3,
    }),
    fc.array(fc.oneof(text, fc.integer(), fc.constant(-1)), { maxLength: 4 }),
  );
  fc.assert(fc.property(value, (value) => {
    const plain = JSON.parse(JSON.stringify(value));
    const [[cell] = []] = readCsv(toCsv([[plain, "end"]]));
    assert.deepEqual(JSON.parse(cell!), plain);
  }));
  assert.equal(toCsv([[[1, -2, -0.5e-7]]]), '"[1,-2,-5e-8]"\r\n');
  assert.equal(toCsv([[["a;=1", "b,-x"]]]), '"[""a;\\u003d1"",""b,\\u002dx""]"\r\n');
});

Deno.test("toCsv quotes empty texts and cells with a separator, a quote or a line end", () => {
  assert.equal(
    toCsv([["a,b", "a;b", 'a"b', "a\nb", "a\rb", "a\r\nb", "a\tb", " a", ""], [null, 1, true]]),
    '"a,b","a;b","a""b","a\nb","a\rb","a\r\nb","a\tb"," a",""\r\n,1,true\r\n',
  );
});

Deno.test("readCsv accepts the delimiters and line ends that spreadsheets write", () => {
  const expected = [["a", "b"], ["1", null], ["x;y", ""]];
  const files = {
    commas: 'a,b\r\n1,\r\n"x;y",""\r\n',
    semicolons: 'a;b\n1;\n"x;y";""',
    tabs: 'a\tb\r1\t\r"x;y"\t""\r',
    named: 'sep=;\r\na;b\r\n1;\r\n"x;y";""\r\n',
    "named in quotes": '"sep=;"\na;b\n1;\n"x;y";""\n',
    "named by another sign": 'sep=|\na|b\n1|\n"x;y"|""\n',
    "empty lines": '\r\n\r\na;b\r\n\r\n1;\r\n"x;y";""\r\n\r\n',
    "separators in a quoted name": '"a";"b"\n1;\n"x;y";""\n',
  };
  for (const [name, file] of Object.entries(files)) assert.deepEqual(readCsv(file), expected, name);
  assert.deepEqual(readCsv('"a,b,c";d\n1;2'), [["a,b,c", "d"], ["1", "2"]]);
  assert.deepEqual(readCsv("sep=;"), []);
  assert.throws(() => readCsv('sep=;\na;b\n1;x"y"\n'), {
    code: "INVALID_INPUT",
    message: /at line 3/,
  });
});
