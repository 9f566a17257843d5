import { openForWriting, requireSecretKey } from "@/lib/documents/access.ts";
import { deleteDocument } from "@/lib/documents/trash.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleDeleteDocument: HandlerOf<typeof data.deleteDocument> = async (c) => {
  const { services, principal } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const { permanent } = c.req.valid("query");
  if (permanent) requireSecretKey(principal);
  const target = await openForWriting(services, principal, collectionName);
  await deleteDocument(services, target, {
    id,
    permanent,
    ifMatch: c.req.valid("header")["if-match"],
  });
  return ok(200, JSON.stringify({ id }), "Document deleted");
};
