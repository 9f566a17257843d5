import { CsvError, parse } from "csv-parse/sync";
import type { Json } from "../store/port.ts";
import { jsonText } from "../store/json_text.ts";
import { Problem } from "../problems.ts";
import { refuseLargeCsv } from "./import_size.ts";

/**
 * Places before what a spreadsheet takes for a formula, or has an apostrophe for that already: at
 * the beginning, and behind line ends and list separators, where a cell begins for a spreadsheet
 * that reads another separator. The wide signs are those of East Asian keyboards.
 */
const BEFORE_FORMULA = /^(?='*\n)|(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r＝＋－＠])/g;
const GUARD = /^'(?='*\n)|(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r＝＋－＠])/g;

/**
 * A text as a cell that no spreadsheet runs. Numbers need no such care: `-5` is one, and `-5+1` is
 * none.
 */
const guarded = (text: string): string => text.replace(BEFORE_FORMULA, "'");

/** What {@linkcode guarded} was made of. */
const unguarded = (cell: string): string => cell.replace(GUARD, "");

/**
 * Signs of formulas, and apostrophes, within the strings of a JSON text. A negative number of a list
 * is none.
 */
const IN_JSON = /(?<=[,;])(?:['=+@＝＋－＠]|-(?!\d[\d.eE+-]*[,\]}]))/g;

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** An empty text is quoted, which tells it from a value that is missing or null. */
function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return quoted(jsonText(value).replace(IN_JSON, escaped));
  return value === "" ? '""' : quoted(guarded(value));
}

/** Spreadsheets of some countries separate by semicolons, and some take white space away. */
const quoted = (cell: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Lines as RFC 4180 has them. */
export const csvText = (rows: readonly (readonly (Json | undefined)[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

const DELIMITERS = [",", ";", "\t"] as const;

/** The first line of some spreadsheets, which names the delimiter. */
const NAMED_DELIMITER = /^"?sep=([,;\t|])"?(?:\r\n?|\n|$)/i;

/** The mark that is most frequent in the header: spreadsheets of some countries write semicolons. */
function delimiterOf(text: string): string {
  const header = (/[^\r\n]+/.exec(text)?.[0] ?? "").replaceAll(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((mark) => header.split(mark).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** A cell's text, with the apostrophes of exports taken away; null for one that is empty and not quoted. */
export type Cell = string | null;

/** Cells of each line. Throws `INVALID_INPUT`. */
export function readCsv(given: string): Cell[][] {
  const [named = "", mark] = NAMED_DELIMITER.exec(given) ?? [];
  // Lines are counted as they were sent, so this one is left empty.
  const text = mark === undefined ? given : `\n${given.slice(named.length)}`;
  const delimiter = mark ?? delimiterOf(text);
  refuseLargeCsv(text, delimiter);
  try {
    return parse(text, {
      cast: (cell, { quoting }) => cell === "" && !quoting ? null : unguarded(cell),
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `This is no CSV: ${error.message}.`;
    throw new Problem("INVALID_INPUT", { message, cause: error });
  }
}
