import type { Caller } from "../auth/principals.ts";
import { findCollection } from "../documents/access.ts";
import type { StoredDocument } from "../documents/collection.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import {
  type DocumentList,
  listDocuments,
  type ListServices,
  parseDocuments,
} from "../documents/list_documents.ts";
import { SERVER_FIELDS } from "../documents/names.ts";
import { isOffset } from "../documents/query.ts";
import { findUndeclaredMembers } from "../documents/undeclared.ts";
import { COLUMNS_MAX } from "../limits.ts";
import { nextTurn } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { valueAt } from "../store/shape.ts";
import { quoted } from "../text/input_text.ts";
import { toCsv } from "./csv.ts";

const PAGE_DOCUMENTS = 100;
const PAGE_BYTES_MAX = 1_048_576;

export type ExportFormat = "csv" | "json";

export interface ExportInput {
  readonly collectionName: string;
  readonly format: ExportFormat;
  /** Query string of the list operation, without {@linkcode LIST_ONLY_PARAMETERS}. */
  readonly query: string;
  /** Columns of a CSV, as paths; null for the declared fields and those of the first documents. */
  readonly columns: readonly string[] | null;
  /** Whether a CSV begins with a byte order mark, which Excel needs to detect UTF-8. */
  readonly bom: boolean;
}

export interface ExportFile {
  readonly name: string;
  readonly type: string;
  readonly body: ReadableStream<Uint8Array>;
}

/** Throws `COLLECTION_NOT_FOUND` and the problems of a list request before the file begins. */
export async function exportDocuments(
  services: ListServices,
  caller: Caller,
  { collectionName, format, query, columns, bom }: ExportInput,
): Promise<ExportFile> {
  const collection = await findCollection(services, caller, collectionName);
  const { definition } = collection;
  for (const name of new URLSearchParams(query).keys()) {
    if (LIST_ONLY_PARAMETERS.includes(name) || isOffset(collection, name)) {
      throw refusedParameter(name);
    }
  }
  if (columns !== null && columns.length > COLUMNS_MAX) {
    throw tooManyColumns(`There are ${columns.length} columns: choose at most ${COLUMNS_MAX}.`);
  }
  const asked = `${query}${query === "" ? "" : "&"}limit=${PAGE_DOCUMENTS}&total=none`;
  const pageAt = (cursor: string | null) =>
    listDocuments(services, caller, {
      collectionName,
      query: cursor === null ? asked : `${asked}&cursor=${cursor}`,
      bytesMax: PAGE_BYTES_MAX,
    });
  const first = await pageAt(null);
  const writer = format === "json"
    ? JSON_WRITER
    : csvWriter(columns ?? await allColumns(definition, first), bom);
  return {
    name: `${definition.name}.${format}`,
    type: writer.type,
    body: exportStream(first, pageAt, writer),
  };
}

/** Parameters that exports refuse, because an export has all pages and one collection. */
export const LIST_ONLY_PARAMETERS: readonly string[] = [
  ...["page", "limit", "cursor", "total", "count", "explain"],
  ...["populate", "expand"],
];

const refusedParameter = (name: string) =>
  new Problem("INVALID_QUERY", {
    message: `${quoted(name)} is not a parameter of exports, which have all documents that match ` +
      "the filters: leave it out.",
  });

const tooManyColumns = (message: string) => new Problem("INVALID_QUERY", { message });

interface ExportWriter {
  readonly type: string;
  readonly begin: string;
  /** @param items JSON texts of the documents, joined by commas. */
  page(documents: readonly StoredDocument[], items: string, isFirst: boolean): string;
  readonly end: string;
}

const JSON_WRITER: ExportWriter = {
  type: "application/json; charset=utf-8",
  begin: "[",
  page: (_, items, isFirst) => `${isFirst ? "\n" : ",\n"}${items}`,
  end: "\n]\n",
};

const csvWriter = (columns: readonly string[], bom: boolean): ExportWriter => ({
  type: "text/csv; charset=utf-8; header=present",
  begin: (bom ? "\uFEFF" : "") + toCsv([columns]),
  page: (documents) => toCsv(documents.map((one) => columns.map((path) => valueAt(one, path)))),
  end: "",
});

/** Throws `INVALID_QUERY`. */
async function allColumns(
  { fields }: CollectionDefinition,
  first: DocumentList,
): Promise<readonly string[]> {
  const declared = fields.map(({ key }) => key);
  const [id, ...rest] = SERVER_FIELDS;
  const columns = [
    id,
    ...declared,
    ...findUndeclaredMembers(await parseDocuments(first), declared),
    ...rest,
  ];
  if (columns.length <= COLUMNS_MAX) return columns;
  throw tooManyColumns(
    `These documents have more than ${COLUMNS_MAX} fields: choose columns first, or export JSON.`,
  );
}

/** Reads at most one page ahead, and no further page after a cancel. An error aborts the stream. */
function exportStream(
  first: DocumentList,
  pageAt: (cursor: string) => Promise<DocumentList>,
  writer: ExportWriter,
): ReadableStream<Uint8Array> {
  const texts = writePages(first, pageAt, writer);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

async function* writePages(
  first: DocumentList,
  pageAt: (cursor: string) => Promise<DocumentList>,
  writer: ExportWriter,
): AsyncGenerator<string> {
  yield writer.begin;
  for (let list = first;;) {
    const documents = await parseDocuments(list);
    if (documents.length > 0) yield writer.page(documents, list.items, list === first);
    if (list.nextCursor === null) break;
    await nextTurn(); // A fast reader would otherwise occupy the event loop.
    list = await pageAt(list.nextCursor);
  }
  yield writer.end;
}
