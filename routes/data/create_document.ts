import { openForWriting } from "@/lib/documents/access.ts";
import { createDocument } from "@/lib/documents/create_document.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handleCreateDocument: HandlerOf<typeof data.createDocument> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.params.collectionName);
  const json = await createDocument(services, target, {
    body: await call.body(),
    idempotencyKey: call.header("idempotency-key"),
  });
  return ok(201, json, "Document created", etagOf({ json }));
};
