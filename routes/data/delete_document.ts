import { openForWriting, requireSecretKey } from "@/lib/documents/access.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleDeleteDocument: HandlerOf<typeof data.deleteDocument> = async (c) => {
  const { services, principal } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const { permanent } = c.req.valid("query");
  if (permanent) requireSecretKey(principal);
  const target = await openForWriting(services, principal, collectionName);
  const { json } = await writeDocument(services, target, {
    action: "delete",
    id,
    permanent,
    ifMatch: c.req.valid("header")["if-match"],
  });
  return ok(200, json, "Document deleted");
};
