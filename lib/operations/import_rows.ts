import type { WriteAccess } from "../documents/access.ts";
import { createDocuments } from "../documents/create_documents.ts";
import { creationProblem } from "../documents/prepare_write.ts";
import { writeDocument, type WriteServices } from "../documents/write_document.ts";
import type { ItemDefinition } from "../documents/fields.ts";
import { isServerField } from "../documents/names.ts";
import { shown } from "../text/input_text.ts";
import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { parseJson } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { readCsv } from "./csv.ts";
import { refuseLargeJson, refuseLongRows, refuseManyRows } from "./import_size.ts";

/** One document of a file, by its place in it, from 1. */
export interface ImportRow {
  readonly number: number;
  readonly document: Json;
}

export interface FailedRow extends ImportRow {
  readonly reason: string;
}

export interface Sorted {
  readonly good: readonly ImportRow[];
  readonly failed: readonly FailedRow[];
  /** Members that the server sets, which were left out. */
  readonly leftOut: readonly string[];
}

/** Reads a file and says of each row whether it can be a document. Throws `INVALID_INPUT`. */
export function sortRows(target: WriteAccess, text: string): Sorted {
  const rows = /^\s*[[{]/.test(text) ? jsonRows(text) : csvRows(target, text);
  const leftOut = new Set<string>();
  const good: ImportRow[] = [];
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const document = ownMembers(row.document, leftOut);
    const problem = row.reason ?? creationProblem(target, document)?.message ?? null;
    if (problem === null) good.push({ number: row.number, document });
    else failed.push({ number: row.number, document, reason: problem });
  }
  return { good, failed, leftOut: [...leftOut] };
}

interface ReadRow extends ImportRow {
  /** Why it could not be read. */
  readonly reason?: string;
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
    value = parseJson(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "";
    throw refuse(`This begins like JSON and is not valid: ${why}.`);
  }
  const list = isObject(value) && Array.isArray(value.documents) ? value.documents : value;
  const documents = Array.isArray(list) ? list : [list];
  refuseManyRows(documents);
  return documents.map((document, i) => ({ number: i + 1, document }));
}

function csvRows(target: WriteAccess, text: string): ReadRow[] {
  const [header, ...lines] = readCsv(text);
  if (header === undefined) throw refuse("There is nothing in it: send a header and rows.");
  const names = header.map((name) => name.trim());
  const nameless = names.indexOf("");
  if (nameless >= 0) throw refuse(`Column ${nameless + 1} has no name in the first line.`);
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw refuse(`The first line names ${shown(name)} twice.`);
    seen.add(name);
  }
  const { fields } = target.collection.definition;
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const types = names.map((name) => byKey.get(name) ?? null);
  let length = 0;
  return lines.map((cells, i) => {
    const members = names.flatMap((name, at) => {
      const cell = cells[at] ?? "";
      length += cell === "" ? 0 : name.length + cell.length;
      return cell === "" ? [] : [[name, cellValue(types[at] ?? null, cell)] as const];
    });
    refuseLongRows(length);
    return {
      number: i + 1,
      document: Object.fromEntries(members),
      ...(cells.length > names.length && {
        reason: `It has ${cells.length} cells for ${names.length} columns.`,
      }),
    };
  });
}

/** What is of no such type stays a text, for the verb to refuse. */
function cellValue(field: ItemDefinition | null, cell: string): Json {
  switch (field?.type) {
    case "Number":
      return cell.trim() !== "" && Number.isFinite(Number(cell)) ? Number(cell) : cell;
    case "Boolean":
      return /^true$/i.test(cell) ? true : /^false$/i.test(cell) ? false : cell;
    case "Object":
    case "Array":
      try {
        refuseLargeJson(cell);
        return parseJson(cell);
      } catch {
        return cell;
      }
    default:
      return cell;
  }
}

/**
 * Stores the rows. Where a whole lot of them is refused, they are tried one by one, so that only
 * those fail which have to. With the same `once` no row is stored twice.
 */
export async function importRows(
  services: WriteServices,
  target: WriteAccess,
  { rows, once }: { rows: readonly ImportRow[]; once: string },
): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  for (let at = 0; at < rows.length; at += BULK_DOCUMENTS_MAX) {
    const lot = rows.slice(at, at + BULK_DOCUMENTS_MAX);
    const body = lot.map(({ document }) => document);
    const problem = await refusalOf(() =>
      createDocuments(services, target, { body, idempotencyKey: `${once} ${at}` })
    );
    if (problem !== null) failed.push(...await oneByOne(services, target, { rows: lot, once }));
  }
  return failed;
}

async function oneByOne(
  services: WriteServices,
  target: WriteAccess,
  { rows, once }: { rows: readonly ImportRow[]; once: string },
): Promise<FailedRow[]> {
  const failed: FailedRow[] = [];
  for (const row of rows) {
    const problem = await refusalOf(() =>
      writeDocument(services, target, {
        action: "create",
        body: row.document,
        idempotencyKey: `${once} row ${row.number}`,
      })
    );
    if (problem !== null) failed.push({ ...row, reason: problem.message });
  }
  return failed;
}

async function refusalOf(work: () => Promise<unknown>): Promise<Problem | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
