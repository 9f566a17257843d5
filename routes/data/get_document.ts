import type { Caller } from "@/lib/auth/principals.ts";
import { getDocument } from "@/lib/documents/get_document.ts";
import { namesTag } from "@/lib/documents/precondition.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import type { Handler } from "../call.ts";

export const handleGetDocument: Handler<Caller> = async (call) => {
  const { json, etag } = await getDocument(call.services, call.principal, {
    collectionName: call.param("collectionName"),
    id: requiredId(call.param("id")),
    query: call.query,
  });
  if (etag === null) return ok(200, json, "Document found");
  const ifNoneMatch = call.header("if-none-match");
  if (ifNoneMatch !== null && namesTag(ifNoneMatch, etag, true)) {
    return { status: 304, body: null, headers: [["etag", etag]] };
  }
  return ok(200, json, "Document found", etag);
};
