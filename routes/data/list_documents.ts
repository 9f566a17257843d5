import type { Caller } from "@/lib/auth/principals.ts";
import { type DocumentList, listDocuments } from "@/lib/documents/list_documents.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Handler } from "../call.ts";

export const handleListDocuments: Handler<Caller> = async (
  { services, principal, param, query },
) => {
  const collectionName = param("collectionName");
  const list = await listDocuments(services, principal, { collectionName, query });
  if ("examined" in list) return ok(200, jsonText(list), "List explained");
  const data = "count" in list ? JSON.stringify(list) : listData(list);
  return ok(200, data, "Documents listed");
};

/** The documents' texts are put in as they are: a list is never parsed. */
function listData(list: DocumentList): string {
  const total = list.total === null ? "" : `,"total":${list.total}`;
  const estimate = list.totalIsEstimate ? ',"totalIsEstimate":true' : "";
  const place = list.page === null
    ? `,"cursor":${JSON.stringify(list.cursor)}`
    : `,"page":${list.page}`;
  const next = JSON.stringify(list.nextCursor);
  const prev = JSON.stringify(list.prevCursor);
  return `{"items":[${list.items}]${total}${estimate}${place}` +
    `,"nextCursor":${next},"prevCursor":${prev},"limit":${list.limit}}`;
}
