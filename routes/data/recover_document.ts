import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { etagOf } from "@/lib/documents/document.ts";
import { recoverDocument } from "@/lib/documents/trash.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import type { Handler } from "../call.ts";

export const handleRecoverDocument: Handler<Caller> = async (call) => {
  const { services, principal } = call;
  const target = await openForWriting(services, principal, call.param("collectionName"));
  const stored = await recoverDocument(services, target, requiredId(call.param("id")));
  return ok(200, stored.json, "Document recovered", etagOf(stored));
};
