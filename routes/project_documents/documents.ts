import type { Caller } from "@/lib/auth/principals.ts";
import { openForWriting } from "@/lib/documents/access.ts";
import { contentDisposition } from "@/lib/http/disposition.ts";
import { NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import {
  exportDocuments,
  type ExportFile,
  type ExportInput,
} from "@/lib/operations/export_documents.ts";
import { importFile } from "@/lib/operations/import_file.ts";
import type { PROJECT_DOCUMENTS } from "@/openapi/paths/project_documents.ts";
import type { HandlersOf, OperationContext } from "../handler.ts";

export const exportReply = ({ name, type, body }: ExportFile): Reply => ({
  status: 200,
  body,
  type,
  headers: [
    ["content-disposition", contentDisposition("attachment", name)],
    ["x-content-type-options", "nosniff"],
    NO_STORE,
  ],
});

export const projectDocuments: HandlersOf<typeof PROJECT_DOCUMENTS> = {
  exportDocumentsAsCsv: (c) => {
    const query = new URLSearchParams(c.var.state.query);
    query.delete("columns");
    query.delete("bom");
    const { columns = null, bom } = c.req.valid("query");
    return exportAs(c, { format: "csv", query: query.toString(), columns, bom });
  },

  exportDocumentsAsJson: (c) =>
    exportAs(c, { format: "json", query: c.var.state.query, columns: null, bom: false }),

  importDocuments: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const { collectionName } = c.req.valid("param");
    const input = c.req.valid("json");
    const target = await openForWriting(services, principal, collectionName);
    const once = c.req.valid("header")["idempotency-key"];
    const outcome = JSON.stringify(
      await importFile(services, target, { ...input, idempotencyKey: once }),
    );
    return input.dryRun
      ? ok(200, outcome, "Documents checked")
      : ok(201, outcome, "Documents imported");
  },
};

async function exportAs(
  c: OperationContext<Caller, { param: Pick<ExportInput, "collectionName"> }>,
  asked: Omit<ExportInput, "collectionName">,
): Promise<Reply> {
  const { services, principal } = c.var;
  const { collectionName } = c.req.valid("param");
  return exportReply(await exportDocuments(services, principal, { ...asked, collectionName }));
}
