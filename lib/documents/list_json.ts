import { jsonText } from "../store/json_text.ts";
import type { DocumentList } from "./list_documents.ts";

/** JSON text of what a list answers. The documents' texts are put in as they are, never parsed. */
export function listJson(list: DocumentList): string {
  const total = list.total === null ? "" : `,"total":${list.total}`;
  const estimate = list.totalIsEstimate ? ',"totalIsEstimate":true' : "";
  const place = list.page === null
    ? `,"cursor":${JSON.stringify(list.cursor)}`
    : `,"page":${list.page}`;
  const next = JSON.stringify(list.nextCursor);
  const prev = JSON.stringify(list.prevCursor);
  const count = list.count === null ? "" : `,"count":${list.count}`;
  const explain = list.explanation === null ? "" : `,"explain":${jsonText(list.explanation)}`;
  return `{"items":[${list.items}]${total}${estimate}${place}` +
    `,"nextCursor":${next},"prevCursor":${prev},"limit":${list.limit}${count}${explain}}`;
}
