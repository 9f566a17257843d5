import { getDocument } from "@/lib/documents/get_document.ts";
import { namesTag } from "@/lib/http/etags.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handleGetDocument: HandlerOf<typeof data.getDocument> = async (call) => {
  const { json, etag } = await getDocument(call.services, call.principal, {
    collectionName: call.params.collectionName,
    id: call.params.id,
    query: call.queryText,
  });
  if (etag === null) return ok(200, json, "Document found");
  const ifNoneMatch = call.header("if-none-match");
  if (ifNoneMatch !== null && namesTag(ifNoneMatch, etag, true)) {
    return { status: 304, body: null, headers: [["etag", etag]] };
  }
  return ok(200, json, "Document found", etag);
};
