import type { WriteAccess } from "../documents/access.ts";
import { bulkRequest, createDocuments, type CreateInput } from "../documents/create_documents.ts";
import { creationProblem } from "../documents/prepare_write.ts";
import {
  performWrite,
  type PreparedRequest,
  writeDocument,
  type WriteServices,
} from "../documents/write_document.ts";
import type { Members } from "../documents/document.ts";
import { fieldAt, type ItemDefinition } from "../documents/fields.ts";
import { isServerField, pathProblem } from "../documents/names.ts";
import { shown } from "../text/input_text.ts";
import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import { InexactInteger, jsonRefusal } from "../store/exact_json.ts";
import { FIELD_TYPES } from "../store/field_types.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { type Cell, readCsv } from "./csv.ts";
import { refuseLargeJson, refuseLongRows, refuseManyRows } from "./import_size.ts";

/** One document of a file, by its place in it, from 1. */
export interface ImportRow {
  readonly number: number;
  readonly document: Json;
}

export interface FailedRow extends ImportRow {
  readonly code: ProblemCode;
  readonly reason: string;
}

export interface Sorted {
  readonly good: readonly ImportRow[];
  readonly failed: readonly FailedRow[];
  /** Members that the server sets, which were left out. */
  readonly leftOut: readonly string[];
}

/** How UTF-16 begins that was decoded as one byte a character. */
const LIKE_UTF16 = /^.{0,3}\0/s;

/** Reads a file and says of each row whether it can be a document. Throws `INVALID_INPUT`. */
export function sortRows(target: WriteAccess, given: string): Sorted {
  const text = given.replace(/^\ufeff/, "");
  if (LIKE_UTF16.test(text)) {
    throw refuse("This is UTF-16 that was read as another encoding: save the file as UTF-8.");
  }
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text) : csvRows(target, text);
  const leftOut = new Set<string>();
  const good: ImportRow[] = [];
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const document = ownMembers(row.document, leftOut);
    const { number, fault } = row;
    const problem = fault ?? creationProblem(target, document);
    if (problem === null) good.push({ number, document });
    else failed.push(failure({ number, document }, problem));
  }
  return { good, failed, leftOut: [...leftOut] };
}

const failure = (row: ImportRow, { code, message: reason }: Problem): FailedRow => ({
  ...row,
  code,
  reason,
});

interface ReadRow extends ImportRow {
  /** Why it could not be read. */
  readonly fault?: Problem;
}

const refuse = (message: string) => new Problem("INVALID_INPUT", { message });

/** What an export has of the server's own would be refused of every row. */
function ownMembers(document: Json, leftOut: Set<string>): Json {
  if (!isObject(document) || !Object.keys(document).some(isServerField)) return document;
  const names = Object.keys(document).filter(isServerField);
  for (const name of names) leftOut.add(name);
  return Object.fromEntries(Object.entries(document).filter(([name]) => !isServerField(name)));
}

function jsonRows(text: string): ReadRow[] {
  refuseLargeJson(text);
  let value: Json;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw refuse(`This ${jsonRefusal(cause, text, "begins like JSON and is not valid")}.`);
  }
  const list = isObject(value) && Array.isArray(value.documents) ? value.documents : value;
  const documents = Array.isArray(list) ? list : [list];
  refuseManyRows(documents);
  return documents.map((document, i) => ({ number: i + 1, document }));
}

/** Rows without a value are left out: spreadsheets write lines of nothing but separators. */
function csvRows(target: WriteAccess, text: string): ReadRow[] {
  const [header, ...lines] = readCsv(text);
  if (header === undefined) throw refuse("There is nothing in it: send a header and rows.");
  const columns = columnsOf(target, header);
  let length = 0;
  return lines.flatMap((cells, i) => {
    if (cells.every((cell) => cell === null)) return [];
    const { row, length: added } = rowOf(columns, cells);
    refuseLongRows(length += added);
    return [{ ...row, number: i + 1 }];
  });
}

/** A column of a CSV: a member of documents, or one of an object within them. */
interface Column {
  readonly name: string;
  readonly path: readonly string[];
  /** Null where nothing is declared. */
  readonly field: ItemDefinition | null;
}

/** Throws `INVALID_INPUT`. */
function columnsOf(target: WriteAccess, header: readonly Cell[]): Column[] {
  const names = header.map((name) => name?.trim() ?? "");
  // A separator at the end of each line begins a column of nothing.
  while (names.at(-1) === "") names.pop();
  const nameless = names.indexOf("");
  if (nameless >= 0) throw refuse(`Column ${nameless + 1} has no name in the first line.`);
  const all = new Set(names);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i) throw refuse(`The first line names ${shown(name)} twice.`);
    if (!name.includes(".")) continue;
    const problem = pathProblem(name);
    if (problem !== null) throw refuse(`The first line names ${shown(name)}: ${problem}.`);
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const outer = name.slice(0, dot);
      if (!all.has(outer)) continue;
      throw refuse(`The first line names ${shown(outer)}, and ${shown(name)} in it: keep one.`);
    }
  }
  const { fields } = target.collection.definition;
  return names.map((name) => {
    const path = name.split(".");
    return { name, path, field: fieldAt(fields, path) };
  });
}

/** A line as a document, or why it is none; and how long it is as JSON. */
function rowOf(
  columns: readonly Column[],
  cells: readonly Cell[],
): { row: Omit<ReadRow, "number">; length: number } {
  const document: Members = {};
  let length = 0;
  let fault = cells.slice(columns.length).some((cell) => cell !== null)
    ? `It has ${cells.length} cells for ${columns.length} columns.`
    : null;
  for (const [at, { name, path, field }] of columns.entries()) {
    const cell = cells[at] ?? null;
    if (cell === null) continue;
    length += name.length + cell.length;
    try {
      const value = cellValue(field, cell);
      if (value !== undefined) put(document, path, value);
    } catch (error) {
      if (!(error instanceof InexactInteger)) throw error;
      put(document, path, cell);
      fault ??= `The field ${shown(name)} has ${error.message}.`;
    }
  }
  const problem = fault === null ? {} : {
    fault: new Problem("INVALID_DOCUMENT", { message: fault }),
  };
  return { row: { document, ...problem }, length };
}

/**
 * Puts a value at a path, of which no other is a part. A name that every object inherits, such as
 * `toString` or `__proto__`, becomes a member of the document like any other.
 */
function put(document: Members, path: readonly string[], value: Json): void {
  let inner = document;
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, name)) define(inner, name, {});
    inner = inner[name] as Members;
  }
  define(inner, path.at(-1)!, value);
}

/** Defines a member where an assignment would reach an inherited one; it is much the slower way. */
function define(members: Members, name: string, value: Json): void {
  if (!(name in Object.prototype)) members[name] = value;
  else Object.defineProperty(members, name, { value, ...PLAIN_MEMBER });
}

const PLAIN_MEMBER = { writable: true, enumerable: true, configurable: true };

/**
 * The value of a cell that is not empty, or that is an empty text in quotes, which only a String
 * can be: undefined for another field. What is of no such type stays a text, for the verb to
 * refuse. Throws {@linkcode InexactInteger}.
 */
function cellValue(field: ItemDefinition | null, cell: string): Json | undefined {
  if (field === null) return cell;
  const type = FIELD_TYPES[field.type];
  if (cell === "" && (!type.isText || field.enum !== undefined)) return undefined;
  try {
    if (type.input === "json") refuseLargeJson(cell);
    return type.enter(cell);
  } catch (error) {
    if (error instanceof InexactInteger) throw error;
    return cell;
  }
}

/** Rows to store, and what they are known by where they are sent again; null for rows sent once. */
export interface Rows {
  readonly rows: readonly ImportRow[];
  readonly once: string | null;
}

/**
 * Stores the rows. Where a whole lot of them is refused, they are tried one by one, so that only
 * those fail which have to. With the same `once` no row is stored twice: throws
 * `IDEMPOTENCY_KEY_REUSED` for other rows, and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export async function importRows(
  services: WriteServices,
  target: WriteAccess,
  { rows, once }: Rows,
): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  for (let at = 0; at < rows.length; at += BULK_DOCUMENTS_MAX) {
    const lot = rows.slice(at, at + BULK_DOCUMENTS_MAX);
    const outcome = await storeLot(services, target, {
      body: lot.map(({ document }) => document),
      idempotencyKey: once && `${once} ${at}`,
    });
    if (outcome === "stored") continue;
    if (outcome === "split") failed.push(...await oneByOne(services, target, { rows: lot, once }));
    else failed.push(...lot.map((row) => failure(row, outcome)));
  }
  return failed;
}

/** Kept in the place of a lot's answer. */
const SPLIT = { data: "split", isNew: false };

/** Stores nothing but the answer. */
const NOTE_SPLIT: PreparedRequest = {
  needsTransaction: true,
  store: () => Promise.resolve(SPLIT),
  explain: (problem) => Promise.resolve({ problem, canRetry: false }),
};

/**
 * Stores a lot, or notes that its rows are tried one by one, whichever comes first: sent again, it
 * is not stored as a whole beside rows that were stored alone. Resolves to the refusal where there
 * is no room for even that note.
 */
async function storeLot(
  services: WriteServices,
  target: WriteAccess,
  lot: CreateInput,
): Promise<"stored" | "split" | Problem> {
  const stored = await attempt(() => createDocuments(services, target, lot));
  if (!(stored instanceof Problem)) return stored === SPLIT.data ? "split" : "stored";
  if (ABOUT_KEYS.includes(stored.code)) throw stored;
  if (lot.idempotencyKey === null) return "split";
  const noted = await attempt(() =>
    performWrite(services, [target], {
      repeatable: bulkRequest(target, lot),
      prepare: () => NOTE_SPLIT,
    })
  );
  if (noted instanceof Problem) return noted;
  return noted.data === SPLIT.data ? "split" : "stored";
}

/** No rows are at fault. */
const ABOUT_KEYS: readonly ProblemCode[] = ["IDEMPOTENCY_KEY_REUSED", "TOO_MANY_IDEMPOTENCY_KEYS"];

async function oneByOne(
  services: WriteServices,
  target: WriteAccess,
  { rows, once }: Rows,
): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const stored = await attempt(() =>
      writeDocument(services, target, {
        action: "create",
        body: row.document,
        idempotencyKey: once && `${once} row ${row.number}`,
      })
    );
    if (stored instanceof Problem) failed.push(failure(row, stored));
  }
  return failed;
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
