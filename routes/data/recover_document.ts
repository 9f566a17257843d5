import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleRecoverDocument: HandlerOf<typeof data.recoverDocument> = async (c) => {
  const { services, principal } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const target = await openForWriting(services, principal, collectionName);
  const { json } = await writeDocument(services, target, { action: "recover", id });
  return ok(200, json, "Document recovered", etagOf({ json }));
};
