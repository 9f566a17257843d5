import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { replaceDocument } from "@/lib/documents/write_document.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import type { Handler } from "../call.ts";

export const handleReplaceDocument: Handler<Caller> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.param("collectionName"));
  const stored = await replaceDocument(services, target, {
    id: requiredId(call.param("id")),
    body: await call.body(),
    ifMatch: call.header("if-match"),
  });
  return ok(200, stored.json, "Document replaced", etagOf(stored));
};
