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
import { quoted } from "../text/input_text.ts";
import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import { InexactInteger, jsonErrorReason } from "../store/exact_json.ts";
import { FIELD_TYPES } from "../store/field_types.ts";
import { parseExactJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { type Cell, readCsv } from "./csv.ts";
import { refuseLargeJson, refuseLongRows, refuseManyRows } from "./import_size.ts";

/** A document with its position, counted from 1. */
export interface ImportRow {
  readonly number: number;
  readonly document: Json;
}

export interface FailedRow extends ImportRow {
  readonly code: ProblemCode;
  readonly reason: string;
}

export interface ValidatedRows {
  readonly good: readonly ImportRow[];
  readonly failed: readonly FailedRow[];
  /** Names of fields that the server sets, which were removed from the rows. */
  readonly leftOut: readonly string[];
}

/** The beginning of a UTF-16 text that was decoded with one byte per character. */
const UTF16_READ_AS_BYTES = /^.{0,3}\0/s;

/** Throws `INVALID_INPUT`. */
export function validateRows(target: WriteAccess, given: string): ValidatedRows {
  const text = given.replace(/^\ufeff/, "");
  if (UTF16_READ_AS_BYTES.test(text)) {
    throw invalidInput("This is UTF-16 that was read as another encoding: save the file as UTF-8.");
  }
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text) : csvRows(target, text);
  const leftOut = new Set<string>();
  const good: ImportRow[] = [];
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const document = withoutServerFields(row.document, leftOut);
    const { number, fault } = row;
    const problem = fault ?? creationProblem(target, document);
    if (problem === null) good.push({ number, document });
    else failed.push(toFailedRow({ number, document }, problem));
  }
  return { good, failed, leftOut: [...leftOut] };
}

const toFailedRow = (row: ImportRow, { code, message: reason }: Problem): FailedRow => ({
  ...row,
  code,
  reason,
});

interface ReadRow extends ImportRow {
  readonly fault?: Problem;
}

const invalidInput = (message: string) => new Problem("INVALID_INPUT", { message });

/** Every row of an export has the fields that the server sets. */
function withoutServerFields(document: Json, leftOut: Set<string>): Json {
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
    const reason = jsonErrorReason(cause, text, "begins like JSON and is not valid");
    throw invalidInput(`This ${reason}.`);
  }
  const list = isObject(value) && Array.isArray(value.documents) ? value.documents : value;
  const documents = Array.isArray(list) ? list : [list];
  refuseManyRows(documents);
  return documents.map((document, i) => ({ number: i + 1, document }));
}

/** Omits rows without a value, because spreadsheets write lines of separators only. */
function csvRows(target: WriteAccess, text: string): ReadRow[] {
  const [header, ...lines] = readCsv(text);
  if (header === undefined) throw invalidInput("The file is empty: send a header and rows.");
  const columns = columnsOf(target, header);
  let length = 0;
  return lines.flatMap((cells, i) => {
    if (cells.every((cell) => cell === null)) return [];
    const { row, length: added } = readRow(columns, cells);
    refuseLongRows(length += added);
    return [{ ...row, number: i + 1 }];
  });
}

interface Column {
  readonly name: string;
  readonly path: readonly string[];
  /** Null if the field is not declared. */
  readonly field: ItemDefinition | null;
}

/** Throws `INVALID_INPUT`. */
function columnsOf(target: WriteAccess, header: readonly Cell[]): Column[] {
  const names = header.map((name) => name?.trim() ?? "");
  // A separator at the end of each line adds an empty column.
  while (names.at(-1) === "") names.pop();
  const nameless = names.indexOf("");
  if (nameless >= 0) throw invalidInput(`Column ${nameless + 1} has no name in the first line.`);
  const all = new Set(names);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i) throw invalidInput(`The first line names ${quoted(name)} twice.`);
    if (!name.includes(".")) continue;
    const problem = pathProblem(name);
    if (problem !== null) throw invalidInput(`The first line names ${quoted(name)}: ${problem}.`);
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const outer = name.slice(0, dot);
      if (!all.has(outer)) continue;
      throw invalidInput(
        `The first line names ${quoted(outer)} and its part ${quoted(name)}: keep one.`,
      );
    }
  }
  const { fields } = target.collection.definition;
  return names.map((name) => {
    const path = name.split(".");
    return { name, path, field: fieldAt(fields, path) };
  });
}

/** Returns a document and its approximate length as JSON, in characters. */
function readRow(
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
      if (value !== undefined) setPath(document, path, value);
    } catch (error) {
      if (!(error instanceof InexactInteger)) throw error;
      setPath(document, path, cell);
      fault ??= `The field ${quoted(name)} has ${error.message}.`;
    }
  }
  const problem = fault === null ? {} : {
    fault: new Problem("INVALID_DOCUMENT", { message: fault }),
  };
  return { row: { document, ...problem }, length };
}

/** A name that every object inherits, such as `__proto__`, becomes a member like any other. */
function setPath(document: Members, path: readonly string[], value: Json): void {
  let inner = document;
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, name)) setMember(inner, name, {});
    inner = inner[name] as Members;
  }
  setMember(inner, path.at(-1)!, value);
}

/** Defines a member that objects inherit, which is slower than an assignment. */
function setMember(members: Members, name: string, value: Json): void {
  if (!(name in Object.prototype)) members[name] = value;
  else Object.defineProperty(members, name, { value, ...PLAIN_MEMBER });
}

const PLAIN_MEMBER = { writable: true, enumerable: true, configurable: true };

/**
 * Keeps texts that are not of the field's type, so that validation refuses them. A quoted empty
 * text is a value only for String fields. Throws {@linkcode InexactInteger}.
 */
function cellValue(field: ItemDefinition | null, cell: string): Json | undefined {
  if (field === null) return cell;
  const type = FIELD_TYPES[field.type];
  if (cell === "" && (!type.isText || field.enum !== undefined)) return undefined;
  try {
    if (type.input === "json") refuseLargeJson(cell);
    return type.parseInput(cell);
  } catch (error) {
    if (error instanceof InexactInteger) throw error;
    return cell;
  }
}

export interface RowsToStore {
  readonly rows: readonly ImportRow[];
  readonly idempotencyKey: string | null;
}

/**
 * Stores rows in batches and, if one is refused, one by one. Returns the rows that failed. Throws
 * `IDEMPOTENCY_KEY_REUSED` for a key of other rows, and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export async function importRows(
  services: WriteServices,
  target: WriteAccess,
  { rows, idempotencyKey }: RowsToStore,
): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  for (let at = 0; at < rows.length; at += BULK_DOCUMENTS_MAX) {
    const batch = rows.slice(at, at + BULK_DOCUMENTS_MAX);
    const outcome = await storeBatch(services, target, {
      body: batch.map(({ document }) => document),
      idempotencyKey: idempotencyKey && `${idempotencyKey} ${at}`,
    });
    if (outcome === "stored") continue;
    if (outcome === "split") {
      failed.push(...await storeOneByOne(services, target, { rows: batch, idempotencyKey }));
    } else failed.push(...batch.map((row) => toFailedRow(row, outcome)));
  }
  return failed;
}

/** Result of a refused batch, whose rows are then stored one by one. */
const SPLIT_RESULT = { data: "split", isNew: false };

/** A write that stores nothing except its result. */
const RECORD_SPLIT: PreparedRequest = {
  needsTransaction: true,
  store: () => Promise.resolve(SPLIT_RESULT),
  explain: (problem) => Promise.resolve({ problem, canRetry: false }),
};

/**
 * Stores a batch, or records that its rows are stored one by one, so that a repeated import does
 * not store the batch, too. Returns a problem if the record could not be stored.
 */
async function storeBatch(
  services: WriteServices,
  target: WriteAccess,
  batch: CreateInput,
): Promise<"stored" | "split" | Problem> {
  const stored = await catchProblem(() => createDocuments(services, target, batch));
  if (!(stored instanceof Problem)) return stored === SPLIT_RESULT.data ? "split" : "stored";
  if (IDEMPOTENCY_PROBLEMS.includes(stored.code)) throw stored;
  if (batch.idempotencyKey === null) return "split";
  const noted = await catchProblem(() =>
    performWrite(services, [target], {
      repeatable: bulkRequest(target, batch),
      prepare: () => RECORD_SPLIT,
    })
  );
  if (noted instanceof Problem) return noted;
  return noted.data === SPLIT_RESULT.data ? "split" : "stored";
}

/** Problems for which the rows are not at fault. */
const IDEMPOTENCY_PROBLEMS: readonly ProblemCode[] = [
  "IDEMPOTENCY_KEY_REUSED",
  "TOO_MANY_IDEMPOTENCY_KEYS",
];

async function storeOneByOne(
  services: WriteServices,
  target: WriteAccess,
  { rows, idempotencyKey }: RowsToStore,
): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const stored = await catchProblem(() =>
      writeDocument(services, target, {
        action: "create",
        body: row.document,
        idempotencyKey: idempotencyKey && `${idempotencyKey} row ${row.number}`,
      })
    );
    if (stored instanceof Problem) failed.push(toFailedRow(row, stored));
  }
  return failed;
}

async function catchProblem<T>(work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
