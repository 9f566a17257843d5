import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { replaceDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleReplaceDocument: HandlerOf<typeof data.replaceDocument> = async (c) => {
  const { services, principal, body } = c.var;
  const { collectionName, id } = c.req.valid("param");
  const target = await openForWriting(services, principal, collectionName);
  const stored = await replaceDocument(services, target, {
    id,
    body: await body.json(),
    ifMatch: c.req.valid("header")["if-match"],
  });
  return ok(200, stored.json, "Document replaced", etagOf(stored));
};
