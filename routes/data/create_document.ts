import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocument } from "@/lib/documents/create_document.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

export const handleCreateDocument: Handler<Caller> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.param("collectionName"));
  const json = await createDocument(services, target, {
    body: await call.body(),
    idempotencyKey: call.header("idempotency-key"),
  });
  return ok(201, json, "Document created", etagOf({ json }));
};
