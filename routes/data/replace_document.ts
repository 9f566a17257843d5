import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { replaceDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handleReplaceDocument: HandlerOf<typeof data.replaceDocument> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.params.collectionName);
  const stored = await replaceDocument(services, target, {
    id: call.params.id,
    body: await call.body(),
    ifMatch: call.header("if-match"),
  });
  return ok(200, stored.json, "Document replaced", etagOf(stored));
};
