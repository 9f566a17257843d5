import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

export const handleCreateDocuments: HandlerOf<typeof data.createDocuments> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.params.collectionName);
  const data = await createDocuments(services, target, {
    body: await call.body(),
    idempotencyKey: call.header("idempotency-key"),
  });
  return ok(201, data, "Documents created");
};
