import type { Caller } from "@/lib/auth/principals.ts";
import { disposition } from "@/lib/http/disposition.ts";
import { NO_STORE, type Reply } from "@/lib/http/respond.ts";
import { type Export, exportDocuments } from "@/lib/operations/export_documents.ts";
import type * as documents from "@/openapi/paths/project_documents.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";

/** A file to save. */
export const exportReply = (c: OperationContext<unknown>, { name, type, body }: Export): Reply => ({
  status: 200,
  body: c.req.method === "HEAD" ? null : body,
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
> = async (c) => {
  const { services, principal, state } = c.var;
  const query = new URLSearchParams(state.query);
  query.delete("columns");
  const file = await exportDocuments(services, principal, {
    collectionName: c.req.valid("param").collectionName,
    format: "csv",
    query: query.toString(),
    columns: c.req.valid("query").columns ?? null,
  });
  return exportReply(c, file);
};

export const handleExportDocumentsAsJson: HandlerOf<
  typeof documents.exportDocumentsAsJson,
  Caller
> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const { collectionName } = c.req.valid("param");
  const file = await exportDocuments(services, principal, {
    collectionName,
    format: "json",
    query,
    columns: null,
  });
  return exportReply(c, file);
};
