import type { StoredDocument } from "../documents/collection.ts";
import type { CollectionDefinition } from "../documents/fields.ts";
import { type DocumentList, documentsOf } from "../documents/list_documents.ts";
import { SERVER_FIELDS } from "../documents/names.ts";
import { undeclaredIn } from "../documents/undeclared.ts";
import { COLUMNS_MAX } from "../limits.ts";
import { nextTurn } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import { valueAt } from "../store/shape.ts";
import { csvText } from "./csv.ts";

/** Writes the documents of a page, and what stands around all of them. */
export interface ExportFormat {
  readonly type: string;
  readonly begin: string;
  /** @param items Their JSON texts, joined by commas. */
  page(documents: readonly StoredDocument[], items: string, isFirst: boolean): string;
  readonly end: string;
}

export const JSON_FORMAT: ExportFormat = {
  type: "application/json; charset=utf-8",
  begin: "[",
  page: (_, items, isFirst) => `${isFirst ? "\n" : ",\n"}${items}`,
  end: "\n]\n",
};

export const csvFormat = (columns: readonly string[]): ExportFormat => ({
  type: "text/csv; charset=utf-8; header=present",
  begin: csvText([columns]),
  page: (documents) => csvText(documents.map((one) => columns.map((path) => valueAt(one, path)))),
  end: "",
});

/** All that is declared, and what else the first documents hold. Throws `INVALID_QUERY`. */
export function allColumns(
  { fields }: CollectionDefinition,
  first: DocumentList,
): readonly string[] {
  const declared = fields.map(({ key }) => key);
  const [id, ...rest] = SERVER_FIELDS;
  const columns = [id, ...declared, ...undeclaredIn(documentsOf(first), declared), ...rest];
  if (columns.length <= COLUMNS_MAX) return columns;
  throw new Problem("INVALID_QUERY", {
    message: `These documents have more than ${COLUMNS_MAX} fields: ` +
      "choose columns first, or export JSON.",
  });
}

/**
 * The bytes of an export, from its first page on: one page ahead of the reader, and no more. Who
 * leaves ends the walk; a failure breaks the stream off.
 */
export function exportStream(
  first: DocumentList,
  pageAt: (cursor: string) => Promise<DocumentList>,
  format: ExportFormat,
): ReadableStream<Uint8Array> {
  const texts = walk(first, pageAt, format);
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
  format: ExportFormat,
): AsyncGenerator<string> {
  yield format.begin;
  for (let list = first;;) {
    const documents = documentsOf(list);
    if (documents.length > 0) yield format.page(documents, list.items, list === first);
    if (list.nextCursor === null) break;
    await nextTurn(); // A reader that is as fast as the store leaves others no gap.
    list = await pageAt(list.nextCursor);
  }
  yield format.end;
}
