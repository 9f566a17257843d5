import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { recoverDocument } from "@/lib/documents/trash.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleRecoverDocument: HandlerOf<typeof data.recoverDocument> = async (c) => {
  const { services, principal } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const target = await openForWriting(services, principal, collectionName);
  const stored = await recoverDocument(services, target, id);
  return ok(200, stored.json, "Document recovered", etagOf(stored));
};
