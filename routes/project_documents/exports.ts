import type { Caller } from "@/lib/auth/principals.ts";
import { disposition } from "@/lib/http/disposition.ts";
import { NO_STORE, type Reply } from "@/lib/http/respond.ts";
import {
  type Export,
  exportDocuments,
  type ExportInput,
} from "@/lib/operations/export_documents.ts";
import type * as documents from "@/openapi/paths/project_documents.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";

/** A file to save. */
export const exportReply = ({ name, type, body }: Export): Reply => ({
  status: 200,
  body,
  type,
  headers: [
    ["content-disposition", disposition("attachment", name)],
    ["x-content-type-options", "nosniff"],
    NO_STORE,
  ],
});

export const handleExportDocumentsAsCsv: HandlerOf<
  typeof documents.exportDocumentsAsCsv,
  Caller
> = (c) => {
  const query = new URLSearchParams(c.var.state.query);
  query.delete("columns");
  query.delete("bom");
  const { columns = null, bom } = c.req.valid("query");
  return replyOf(c, { format: "csv", query: query.toString(), columns, bom });
};

export const handleExportDocumentsAsJson: HandlerOf<
  typeof documents.exportDocumentsAsJson,
  Caller
> = (c) => replyOf(c, { format: "json", query: c.var.state.query, columns: null, bom: false });

async function replyOf(
  c: OperationContext<Caller, { param: Pick<ExportInput, "collectionName"> }>,
  asked: Omit<ExportInput, "collectionName">,
): Promise<Reply> {
  const { services, principal } = c.var;
  const { collectionName } = c.req.valid("param");
  return exportReply(await exportDocuments(services, principal, { ...asked, collectionName }));
}
