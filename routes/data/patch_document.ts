import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { patchDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handlePatchDocument: HandlerOf<typeof data.patchDocument> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.params.collectionName);
  const stored = await patchDocument(services, target, {
    id: call.params.id,
    body: await call.body(),
    ifMatch: call.header("if-match"),
  });
  return ok(200, stored.json, "Document changed", etagOf(stored));
};
