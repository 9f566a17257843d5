import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { ok } from "@/lib/http/respond.ts";
import { importFile } from "@/lib/operations/import_file.ts";
import type * as documents from "@/openapi/paths/project_documents.ts";
import type { HandlerOf } from "../handler.ts";

export const handleImportDocuments: HandlerOf<typeof documents.importDocuments, Caller> = async (
  c,
) => {
  const { services, principal } = c.var;
  const { collectionName } = c.req.valid("param");
  const input = c.req.valid("json");
  const target = await openForWriting(services, principal, collectionName);
  const once = c.req.valid("header")["idempotency-key"];
  const outcome = JSON.stringify(await importFile(services, target, { ...input, once }));
  return input.dryRun
    ? ok(200, outcome, "Documents checked")
    : ok(201, outcome, "Documents imported");
};
