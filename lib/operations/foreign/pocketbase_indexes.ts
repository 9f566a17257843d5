/** An index of PocketBase that Corbel supports. */
export interface PocketbaseIndex {
  readonly unique: boolean;
  /** Names of fields, with a `-` in front of a descending one. */
  readonly fields: readonly string[];
  /** A field whose empty values the index ignores; null if it ignores none. */
  readonly butEmpty: string | null;
}

const INDEX =
  /^\s*CREATE\s+(UNIQUE\s+)?INDEX\s+[^(]*?\sON\s+[^(]+\(([^()]*)\)\s*(?:WHERE\s+(.+?))?\s*;?\s*$/is;
const COLUMN = /^[`"[]?(\w+)[`"\]]?(?:\s+COLLATE\s+[`"[]?(\w+)[`"\]]?)?(?:\s+(ASC|DESC))?$/i;
const NOT_EMPTY = /^\(?\s*[`"[]?(\w+)[`"\]]?\s*(?:!=|<>)\s*(?:''|"")\s*\)?$/;

/** Number of characters. Time grows with the square of the length if matching fails. */
const SQL_LENGTH_MAX = 2_000;

/** Returns a text that says why if the index cannot be carried over. */
export function parseIndex(sql: string): PocketbaseIndex | string {
  if (sql.length > SQL_LENGTH_MAX) return `it is longer than ${SQL_LENGTH_MAX} characters`;
  const [match, uniqueWord, list, condition] = INDEX.exec(sql) ?? [];
  if (match === undefined) return "it is of an expression";
  const columns = list!.split(",").map((column) => COLUMN.exec(column.trim()));
  if (columns.includes(null)) return "it is of an expression";
  const fields = columns.map((column) =>
    `${/desc/i.test(column![3] ?? "") ? "-" : ""}${column![1]}`
  );
  const unique = uniqueWord !== undefined;
  const foldsCase = columns.some((column) => /^nocase$/i.test(column![2] ?? ""));
  if (unique && foldsCase) return "it is unique regardless of case";
  const butEmpty = NOT_EMPTY.exec(condition ?? "")?.[1] ?? null;
  const isOfAll = condition === undefined || (butEmpty !== null && fields.includes(butEmpty));
  if (unique && !isOfAll) return "it is unique only among some records";
  return { unique, fields, butEmpty: unique ? butEmpty : null };
}
