import { jsonText } from "../store/json_text.ts";
import type { DocumentList } from "./list_documents.ts";

/** Inserts the texts of the documents without parsing them. */
export function listJson(list: DocumentList): string {
  const total = list.total === null ? "" : `,"total":${list.total}`;
  const estimate = list.totalIsEstimate ? ',"totalIsEstimate":true' : "";
  const position = list.page === null
    ? `,"cursor":${JSON.stringify(list.cursor)}`
    : `,"page":${list.page}`;
  const next = JSON.stringify(list.nextCursor);
  const prev = JSON.stringify(list.prevCursor);
  const count = list.count === null ? "" : `,"count":${list.count}`;
  const explain = list.explanation === null ? "" : `,"explain":${jsonText(list.explanation)}`;
  return `{"items":[${list.items}]${total}${estimate}${position}` +
    `,"nextCursor":${next},"prevCursor":${prev},"limit":${list.limit}${count}${explain}}`;
}
