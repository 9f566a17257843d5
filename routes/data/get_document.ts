import { getDocument } from "@/lib/documents/get_document.ts";
import { matchesTag } from "@/lib/http/etags.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetDocument: HandlerOf<typeof data.getDocument> = async (c) => {
  const { services, principal, state } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const { json, etag } = await getDocument(services, principal, {
    collectionName,
    id,
    query: state.query,
  });
  if (etag === null) return ok(200, json, "Document found");
  const { "if-none-match": ifNoneMatch } = c.req.valid("header");
  if (ifNoneMatch !== null && matchesTag(ifNoneMatch, etag, true)) {
    return { status: 304, body: null, headers: [["etag", etag]] };
  }
  return ok(200, json, "Document found", etag);
};
