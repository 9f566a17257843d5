import type { Caller } from "../auth/principals.ts";
import { findCollection } from "../documents/access.ts";
import type { StoredDocument } from "../documents/collection.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import {
  type DocumentList,
  documentsOf,
  listDocuments,
  type ListServices,
} from "../documents/list_documents.ts";
import { SERVER_FIELDS } from "../documents/names.ts";
import { isOffset } from "../documents/query.ts";
import { undeclaredIn } from "../documents/undeclared.ts";
import { COLUMNS_MAX } from "../limits.ts";
import { nextTurn } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { valueAt } from "../store/shape.ts";
import { shown } from "../text/input_text.ts";
import { csvText } from "./csv.ts";

/** Of one page of an export: no more than these are held at once, nor more bytes of them. */
const PAGE = 100;
const PAGE_BYTES_MAX = 1_048_576;

export type ExportFormat = "csv" | "json";

export interface ExportInput {
  readonly collectionName: string;
  readonly format: ExportFormat;
  /** Of the list operation, without {@linkcode NOT_OF_EXPORTS}. */
  readonly query: string;
  /** Of a CSV, as paths; null for all that is declared and what else the first documents hold. */
  readonly columns: readonly string[] | null;
  /** Whether a CSV begins with a byte order mark, by which Excel knows that it is UTF-8. */
  readonly bom: boolean;
}

/** A file of documents. */
export interface Export {
  readonly name: string;
  readonly type: string;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Everything that the query's filters let through, in its order, a page at a time. What is refused
 * is refused before the file has begun. Throws `COLLECTION_NOT_FOUND`, and what a list refuses.
 */
export async function exportDocuments(
  services: ListServices,
  caller: Caller,
  { collectionName, format, query, columns, bom }: ExportInput,
): Promise<Export> {
  const collection = await findCollection(services, caller, collectionName);
  const { definition } = collection;
  for (const name of new URLSearchParams(query).keys()) {
    if (NOT_OF_EXPORTS.includes(name) || isOffset(collection, name)) throw needless(name);
  }
  if (columns !== null && columns.length > COLUMNS_MAX) {
    throw tooManyColumns(`There are ${columns.length} columns: choose at most ${COLUMNS_MAX}.`);
  }
  const asked = `${query}${query === "" ? "" : "&"}limit=${PAGE}&total=none`;
  const pageAt = (cursor: string | null) =>
    listDocuments(services, caller, {
      collectionName,
      query: cursor === null ? asked : `${asked}&cursor=${cursor}`,
      bytesMax: PAGE_BYTES_MAX,
    });
  const first = await pageAt(null);
  const form = format === "json"
    ? JSON_FORM
    : csvForm(columns ?? await allColumns(definition, first), bom);
  return {
    name: `${definition.name}.${format}`,
    type: form.type,
    body: exportStream(first, pageAt, form),
  };
}

/** A file has all pages, and documents of one collection. */
export const NOT_OF_EXPORTS: readonly string[] = [
  ...["page", "limit", "cursor", "total", "count", "explain"],
  ...["populate", "expand"],
];

const needless = (name: string) =>
  new Problem("INVALID_QUERY", {
    message: `${shown(name)} is not a parameter of exports, which have all that the filters let ` +
      "through: leave it out.",
  });

const tooManyColumns = (message: string) => new Problem("INVALID_QUERY", { message });

/** Writes the documents of a page, and what stands around all of them. */
interface Form {
  readonly type: string;
  readonly begin: string;
  /** @param items Their JSON texts, joined by commas. */
  page(documents: readonly StoredDocument[], items: string, isFirst: boolean): string;
  readonly end: string;
}

const JSON_FORM: Form = {
  type: "application/json; charset=utf-8",
  begin: "[",
  page: (_, items, isFirst) => `${isFirst ? "\n" : ",\n"}${items}`,
  end: "\n]\n",
};

const csvForm = (columns: readonly string[], bom: boolean): Form => ({
  type: "text/csv; charset=utf-8; header=present",
  begin: (bom ? "\uFEFF" : "") + csvText([columns]),
  page: (documents) => csvText(documents.map((one) => columns.map((path) => valueAt(one, path)))),
  end: "",
});

/** All that is declared, and what else the first documents hold. Throws `INVALID_QUERY`. */
async function allColumns(
  { fields }: CollectionDefinition,
  first: DocumentList,
): Promise<readonly string[]> {
  const declared = fields.map(({ key }) => key);
  const [id, ...rest] = SERVER_FIELDS;
  const columns = [id, ...declared, ...undeclaredIn(await documentsOf(first), declared), ...rest];
  if (columns.length <= COLUMNS_MAX) return columns;
  throw tooManyColumns(
    `These documents have more than ${COLUMNS_MAX} fields: choose columns first, or export JSON.`,
  );
}

/**
 * The bytes of an export, from its first page on: one page ahead of the reader, and no more. Who
 * leaves ends the walk; a failure breaks the stream off.
 */
function exportStream(
  first: DocumentList,
  pageAt: (cursor: string) => Promise<DocumentList>,
  form: Form,
): ReadableStream<Uint8Array> {
  const texts = walk(first, pageAt, form);
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

async function* walk(
  first: DocumentList,
  pageAt: (cursor: string) => Promise<DocumentList>,
  form: Form,
): AsyncGenerator<string> {
  yield form.begin;
  for (let list = first;;) {
    const documents = await documentsOf(list);
    if (documents.length > 0) yield form.page(documents, list.items, list === first);
    if (list.nextCursor === null) break;
    await nextTurn(); // A reader that is as fast as the store leaves others no gap.
    list = await pageAt(list.nextCursor);
  }
  yield form.end;
}
