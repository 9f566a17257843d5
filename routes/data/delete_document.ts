import { openForWriting, requireSecretKey } from "@/lib/documents/access.ts";
import { deleteDocument } from "@/lib/documents/trash.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handleDeleteDocument: HandlerOf<typeof data.deleteDocument> = async (call) => {
  const { services, principal } = call;
  const { permanent } = call.query;
  if (permanent) requireSecretKey(principal);
  const target = await openForWriting(services, principal, call.params.collectionName);
  const { id } = call.params;
  await deleteDocument(services, target, {
    id,
    permanent,
    ifMatch: call.header("if-match"),
  });
  return ok(200, JSON.stringify({ id }), "Document deleted");
};
