import { CsvError, parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import type { Json } from "../store/port.ts";
import { jsonText } from "../store/json_text.ts";
import { Problem } from "../problems.ts";
import { refuseLargeCsv } from "./import_size.ts";

/**
 * What a spreadsheet takes for a formula, or has an apostrophe for that already. The wide signs are
 * those of East Asian keyboards.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * A text as a cell that no spreadsheet runs. Numbers need no such care: `-5` is one, and `-5+1` is
 * none.
 */
const guarded = (text: string): string => FORMULA.test(text) ? `'${text}` : text;

/** What {@linkcode guarded} was made of. */
const unguarded = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

const cellOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? guarded(value) : jsonText(value);
};

/** Lines as RFC 4180 has them. */
export const csvText = (rows: readonly (readonly (Json | undefined)[])[]): string =>
  stringify(rows.map((row) => row.map(cellOf)), { record_delimiter: "windows" });

const DELIMITERS = [",", ";", "\t"] as const;

/** The mark that is most frequent in the header: spreadsheets of some countries write semicolons. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  const counts = DELIMITERS.map((mark) => countOf(header, mark));
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

function countOf(text: string, mark: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

/** Cells of each line, with the apostrophes of exports taken away. Throws `INVALID_INPUT`. */
export function readCsv(text: string): string[][] {
  const delimiter = delimiterOf(text);
  refuseLargeCsv(text, delimiter);
  try {
    const rows: string[][] = parse(text, {
      bom: true,
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
    });
    return rows.map((row) => row.map(unguarded));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `This is no CSV: ${error.message}.`;
    throw new Problem("INVALID_INPUT", { message, cause: error });
  }
}
