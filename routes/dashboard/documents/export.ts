import { type DocumentList, listDocuments } from "@/lib/documents/list_documents.ts";
import { disposition } from "@/lib/http/disposition.ts";
import {
  allColumns,
  csvFormat,
  exportStream,
  JSON_FORMAT,
} from "@/lib/operations/export_documents.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { type CollectionContext, openTarget, pathOf, serverOf } from "./room.ts";
import { listQuery, readView, type View, withParameter } from "./view.ts";

/** Of one page of an export: no more than these are held at once, nor more bytes of them. */
const PAGE = 100;
const PAGE_BYTES_MAX = 1_048_576;

/** Everything that the filters let through, a page at a time. */
export const exportDocuments: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { query } = c.var.state;
  const wanted = new URLSearchParams(query).get(".format") ?? "";
  const view = readView(pathOf(c), query);
  const { collection: { definition } } = await openTarget(c);
  const first = await pageOf(c, view, null); // What is refused is refused before it has begun.
  const format = wanted === "json"
    ? JSON_FORMAT
    : csvFormat(view.columns ?? allColumns(definition, first));
  const name = `${definition.name}.${wanted === "json" ? "json" : "csv"}`;
  const pageAt = (cursor: string) => pageOf(c, view, cursor);
  return {
    status: 200,
    body: c.req.method === "HEAD" ? null : exportStream(first, pageAt, format),
    type: format.type,
    headers: [
      ["content-disposition", disposition("attachment", name)],
      ["cache-control", "no-store"],
      ["x-content-type-options", "nosniff"],
    ],
  };
};

async function pageOf(
  c: CollectionContext,
  view: View,
  cursor: string | null,
): Promise<DocumentList> {
  const asked = withParameter(withParameter(view, "limit", String(PAGE)), "total", "none");
  return await listDocuments(c.var.services, serverOf(c), {
    collectionName: c.req.valid("param").collectionName,
    query: listQuery(asked) + (cursor === null ? "" : `&cursor=${cursor}`),
    bytesMax: PAGE_BYTES_MAX,
  });
}
