import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting, requireSecretKey } from "@/lib/documents/access.ts";
import { parseDeleteQuery } from "@/lib/documents/query.ts";
import { deleteDocument } from "@/lib/documents/trash.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import type { Handler } from "../call.ts";

export const handleDeleteDocument: Handler<Caller> = async (call) => {
  const { services, principal } = call;
  const { permanent } = parseDeleteQuery(call.query);
  if (permanent) requireSecretKey(principal);
  const target = await openForWriting(services, principal, call.param("collectionName"));
  const id = requiredId(call.param("id"));
  await deleteDocument(services, target, {
    id,
    permanent,
    ifMatch: call.header("if-match"),
  });
  return ok(200, JSON.stringify({ id }), "Document deleted");
};
