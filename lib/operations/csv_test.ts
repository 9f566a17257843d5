import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../store/port.ts";
import { csvText, readCsv } from "./csv.ts";

/** What spreadsheets take for the beginning of a formula. */
const SIGNS = ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"];

/** Lines of a file as a spreadsheet reads them that knows another separator, or no quotes at all. */
const cellsAsReadBy = (text: string, separator: RegExp): string[] => text.split(separator);

const isFormula = (cell: string): boolean => SIGNS.some((sign) => cell.startsWith(sign));

const dangerous = fc.array(
  fc.constantFrom(...SIGNS, "'", ",", ";", "\n", "\r\n", "a", "1", " ", '"', "cmd|' /C calc'!A0"),
  { maxLength: 8 },
).map((parts) => parts.join(""));

const text = fc.oneof(dangerous, fc.string({ unit: "binary", maxLength: 12 }));

Deno.test("texts come back as they were written, whatever they hold, and empty ones are told from null", () => {
  const cell = fc.oneof(text, fc.constant(null), fc.constant(""));
  fc.assert(fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })), (rows) => {
    const written = csvText([["a", "b"], ...rows]);
    assert.deepEqual(readCsv(written).slice(1), rows);
  }));
});

Deno.test("no cell begins like a formula, whichever separator a spreadsheet reads", () => {
  const value: fc.Arbitrary<Json> = fc.oneof(
    text,
    fc.dictionary(dangerous, dangerous, { maxKeys: 2 }),
    fc.array(dangerous, { maxLength: 3 }),
  );
  fc.assert(fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (values) => {
    const line = csvText([values]).slice(0, -2);
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

Deno.test("objects and lists are JSON that reads as they are", () => {
  const value = fc.oneof(
    fc.dictionary(text.filter((name) => name !== "__proto__"), fc.oneof(text, fc.double()), {
      maxKeys: 3,
    }),
    fc.array(fc.oneof(text, fc.integer(), fc.constant(-1)), { maxLength: 4 }),
  );
  fc.assert(fc.property(value, (value) => {
    const plain = JSON.parse(JSON.stringify(value));
    const [[cell] = []] = readCsv(csvText([[plain, "end"]]));
    assert.deepEqual(JSON.parse(cell!), plain);
  }));
  assert.equal(csvText([[[1, -2, -0.5e-7]]]), '"[1,-2,-5e-8]"\r\n');
  assert.equal(csvText([[["a;=1", "b,-x"]]]), '"[""a;\\u003d1"",""b,\\u002dx""]"\r\n');
});

Deno.test("a cell with a separator, a quote or a line end of any system is quoted, and an empty text too", () => {
  assert.equal(
    csvText([["a,b", "a;b", 'a"b', "a\nb", "a\rb", "a\r\nb", "a\tb", " a", ""], [null, 1, true]]),
    '"a,b","a;b","a""b","a\nb","a\rb","a\r\nb","a\tb"," a",""\r\n,1,true\r\n',
  );
});

Deno.test("files are read as spreadsheets of many countries write them", () => {
  const wanted = [["a", "b"], ["1", null], ["x;y", ""]];
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
  for (const [name, file] of Object.entries(files)) assert.deepEqual(readCsv(file), wanted, name);
  assert.deepEqual(readCsv('"a,b,c";d\n1;2'), [["a,b,c", "d"], ["1", "2"]]);
  assert.deepEqual(readCsv("sep=;"), []);
  assert.throws(() => readCsv('sep=;\na;b\n1;x"y"\n'), {
    code: "INVALID_INPUT",
    message: /at line 3/,
  });
});
