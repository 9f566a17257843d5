import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { recoverDocument } from "@/lib/documents/trash.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handleRecoverDocument: HandlerOf<typeof data.recoverDocument> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.params.collectionName);
  const stored = await recoverDocument(services, target, call.params.id);
  return ok(200, stored.json, "Document recovered", etagOf(stored));
};
