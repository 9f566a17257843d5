import { exportDocuments } from "@/lib/operations/export_documents.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { exportReply } from "../../project_documents/documents.ts";
import type { PageHandler } from "../../handler.ts";
import { documentsPath, serverCaller } from "./context.ts";
import { exportQuery, readView } from "./view.ts";

export const showExport: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { services, state: { query } } = c.var;
  const view = readView(documentsPath(c), query);
  const format = new URLSearchParams(query).get(".format");
  const file = await exportDocuments(services, serverCaller(c), {
    collectionName: c.req.valid("param").collectionName,
    format: format === "json" ? "json" : "csv",
    bom: format === "excel",
    query: exportQuery(view),
    columns: view.columns,
  });
  return exportReply(file);
};
