import { CsvError, parse } from "csv-parse/sync";
import type { Json } from "../store/port.ts";
import { jsonText } from "../store/json_text.ts";
import { Problem } from "../problems.ts";
import { refuseLargeCsv } from "./import_size.ts";

/**
 * Positions before formulas of spreadsheets: at the beginning, and after line ends and separators,
 * where other spreadsheets begin a cell. East Asian keyboards have the wide signs.
 */
const BEFORE_FORMULA = /^(?='*\n)|(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r＝＋－＠])/g;
const GUARD = /^'(?='*\n)|(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r＝＋－＠])/g;

/** Inserts apostrophes so that no spreadsheet evaluates the text. Numbers need no guard. */
const guardFormulas = (text: string): string => text.replace(BEFORE_FORMULA, "'");

const removeGuards = (cell: string): string => cell.replace(GUARD, "");

/** Signs of formulas, and apostrophes, in strings of a JSON text, but not of negative numbers. */
const IN_JSON = /(?<=[,;])(?:['=+@＝＋－＠]|-(?!\d[\d.eE+-]*[,\]}]))/g;

const escapeCharacter = (sign: string): string =>
  `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Quotes empty texts, which distinguishes them from missing values and null. */
function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") {
    return quoteCell(jsonText(value).replace(IN_JSON, escapeCharacter));
  }
  return value === "" ? '""' : quoteCell(guardFormulas(value));
}

/** Quotes a cell if needed. Some spreadsheets use semicolons, and some trim white space. */
const quoteCell = (cell: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Follows RFC 4180. */
export const toCsv = (rows: readonly (readonly (Json | undefined)[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

const DELIMITERS = [",", ";", "\t"] as const;

/** First line that some spreadsheets write. */
const NAMED_DELIMITER = /^"?sep=([,;\t|])"?(?:\r\n?|\n|$)/i;

/** Returns the most frequent delimiter of the header. Some spreadsheets write semicolons. */
function delimiterOf(text: string): string {
  const header = (/[^\r\n]+/.exec(text)?.[0] ?? "").replaceAll(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((mark) => header.split(mark).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Text without the apostrophes of exports; null if it is empty and not quoted. */
export type Cell = string | null;

/** Throws `INVALID_INPUT`. */
export function readCsv(given: string): Cell[][] {
  const [named = "", mark] = NAMED_DELIMITER.exec(given) ?? [];
  // An empty line replaces it, so that line numbers in messages match the file.
  const text = mark === undefined ? given : `\n${given.slice(named.length)}`;
  const delimiter = mark ?? delimiterOf(text);
  refuseLargeCsv(text, delimiter);
  try {
    return parse(text, {
      cast: (cell, { quoting }) => cell === "" && !quoting ? null : removeGuards(cell),
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `This is not a CSV: ${error.message}.`;
    throw new Problem("INVALID_INPUT", { message, cause: error });
  }
}
