import { openForWriting } from "@/lib/documents/access.ts";
import { createDocument } from "@/lib/documents/create_document.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleCreateDocument: HandlerOf<typeof data.createDocument> = async (c) => {
  const { services, principal, body } = c.var;
  const target = await openForWriting(services, principal, c.req.valid("param").collectionName);
  const json = await createDocument(services, target, {
    body: await body.json(),
    idempotencyKey: c.req.valid("header")["idempotency-key"],
  });
  return ok(201, json, "Document created", etagOf({ json }));
};
