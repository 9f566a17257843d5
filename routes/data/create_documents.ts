import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_documents.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleCreateDocuments: HandlerOf<typeof data.createDocuments> = async (c) => {
  const { services, principal, body } = c.var;
  const target = await openForWriting(services, principal, c.req.valid("param").collectionName);
  const data = await createDocuments(services, target, {
    body: await body.json(),
    idempotencyKey: c.req.valid("header")["idempotency-key"],
  });
  return ok(201, data, "Documents created");
};
