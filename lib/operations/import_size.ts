import {
  COLUMNS_MAX,
  DOCUMENT_DEPTH_MAX,
  FORM_TEXT_LENGTH_MAX,
  IMPORT_CELLS_MAX,
  IMPORT_ROWS_MAX,
} from "../limits.ts";
import { Problem } from "../problems.ts";
import { bytesText, countText } from "../text/amounts.ts";

// The functions of this module count the parts of a text before it is parsed.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const invalidInput = (message: string) => new Problem("INVALID_INPUT", { message });

const SPLIT_ADVICE = "split the file, and import one part after the other.";

const tooManyRows = () =>
  invalidInput(`It has more than ${countText(IMPORT_ROWS_MAX)} rows: ${SPLIT_ADVICE}`);

/** Throws `INVALID_INPUT` for too many rows, columns or cells. The header is not a row. */
export function refuseLargeCsv(text: string, delimiter: string): void {
  const mark = delimiter.charCodeAt(0);
  let [lines, all, cells, isEmpty, isQuoted] = [0, 0, 1, true, false];
  const endLine = () => {
    if (isEmpty) return;
    if (++lines > IMPORT_ROWS_MAX + 1) throw tooManyRows();
    if (lines > 1) all += cells;
    if (all > IMPORT_CELLS_MAX) {
      throw invalidInput(`It has more than ${countText(IMPORT_CELLS_MAX)} cells: ${SPLIT_ADVICE}`);
    }
    [cells, isEmpty] = [1, true];
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isQuoted && (code === LINE_FEED || code === CARRIAGE_RETURN)) {
      endLine();
      continue;
    }
    isEmpty = false;
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === mark && !isQuoted && ++cells > COLUMNS_MAX) throw tooManyColumns(lines);
  }
  endLine();
}

const tooManyColumns = (linesBefore: number) =>
  invalidInput(
    linesBefore === 0
      ? `The first line names more than ${COLUMNS_MAX} columns: leave some out, or keep what ` +
        "belongs together in one field, as JSON."
      : `Row ${countText(linesBefore)} has more than ${COLUMNS_MAX} cells.`,
  );

/** Number of levels. The limit of documents is lower and is reported for each row. */
const LEVELS_MAX = 100;

/** Throws `INVALID_INPUT` for too many levels or values, including nested values. */
export function refuseLargeJson(text: string, valuesMax: number = IMPORT_CELLS_MAX): void {
  let [values, level, isQuoted] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) {
      if (code === BACKSLASH) i++;
    } else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      if (++level > LEVELS_MAX) throw tooDeep();
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) level--;
    if (values > valuesMax) {
      throw invalidInput(`It has more than ${countText(valuesMax)} values: ${SPLIT_ADVICE}`);
    }
  }
}

const tooDeep = () =>
  invalidInput(
    `It has more than ${LEVELS_MAX} levels: documents can be stored with up to ` +
      `${DOCUMENT_DEPTH_MAX}.`,
  );

/** Throws `INVALID_INPUT`. */
export function refuseManyRows(rows: readonly unknown[]): void {
  if (rows.length > IMPORT_ROWS_MAX) throw tooManyRows();
}

/** Throws `INVALID_INPUT`. @param length Characters of the rows as JSON. */
export function refuseLongRows(length: number): void {
  if (length <= FORM_TEXT_LENGTH_MAX) return;
  throw invalidInput(
    `Its rows are more than ${bytesText(FORM_TEXT_LENGTH_MAX)} as JSON: ${SPLIT_ADVICE}`,
  );
}
