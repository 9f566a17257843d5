/** An index of PocketBase, as far as one can be here. */
export interface PocketbaseIndex {
  readonly unique: boolean;
  /** Names of fields; a `-` in front of one has it descend. */
  readonly fields: readonly string[];
  /** Field that is unique only where it is not empty; null where emptiness counts. */
  readonly butEmpty: string | null;
}

const INDEX =
  /^\s*CREATE\s+(UNIQUE\s+)?INDEX\s+[^(]*?\sON\s+[^(]+\(([^()]*)\)\s*(?:WHERE\s+(.+?))?\s*;?\s*$/is;
const COLUMN = /^[`"[]?(\w+)[`"\]]?(?:\s+COLLATE\s+[`"[]?(\w+)[`"\]]?)?(?:\s+(ASC|DESC))?$/i;
const NOT_EMPTY = /^\(?\s*[`"[]?(\w+)[`"\]]?\s*(?:!=|<>)\s*(?:''|"")\s*\)?$/;

/** Finding out that a text is no index takes the square of its length. */
const SQL_LENGTH_MAX = 2_000;

/**
 * Reads the SQL of an index. A text says why it cannot be carried over. A unique one of which only
 * some records are part becomes one that is not unique.
 */
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
  if (unique && foldsCase) return "it is unique whatever the case of letters";
  const butEmpty = NOT_EMPTY.exec(condition ?? "")?.[1] ?? null;
  const isOfAll = condition === undefined || (butEmpty !== null && fields.includes(butEmpty));
  if (unique && !isOfAll) return "it is unique among some records alone";
  return { unique, fields, butEmpty: unique ? butEmpty : null };
}
