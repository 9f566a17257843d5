import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { createDocuments } from "@/lib/documents/create_document.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

export const handleCreateDocuments: Handler<Caller> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.param("collectionName"));
  const data = await createDocuments(services, target, {
    body: await call.body(),
    idempotencyKey: call.header("idempotency-key"),
  });
  return ok(201, data, "Documents created");
};
