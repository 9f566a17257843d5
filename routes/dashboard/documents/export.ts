import { type DocumentList, listDocuments } from "@/lib/documents/list_documents.ts";
import { disposition } from "@/lib/http/disposition.ts";
import {
  allColumns,
  csvFormat,
  exportStream,
  JSON_FORMAT,
} from "@/lib/operations/export_documents.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { Handler } from "../../call.ts";
import { type MemberCall, openTarget, pathOf, serverOf } from "./room.ts";
import { listQuery, readView, type View, withParameter } from "./view.ts";

/** Of one page of an export: no more than these are held at once, nor more bytes of them. */
const PAGE = 100;
const PAGE_BYTES_MAX = 1_048_576;

/** Everything that the filters let through, a page at a time. */
export const exportDocuments: Handler<ProjectMember> = async (call) => {
  const wanted = new URLSearchParams(call.queryText).get(".format") ?? "";
  const view = readView(pathOf(call), call.queryText);
  const { collection: { definition } } = await openTarget(call);
  const first = await pageOf(call, view, null); // What is refused is refused before it has begun.
  const format = wanted === "json"
    ? JSON_FORMAT
    : csvFormat(view.columns ?? allColumns(definition, first));
  const name = `${definition.name}.${wanted === "json" ? "json" : "csv"}`;
  const pageAt = (cursor: string) => pageOf(call, view, cursor);
  return {
    status: 200,
    body: call.isHead ? null : exportStream(first, pageAt, format),
    type: format.type,
    headers: [
      ["content-disposition", disposition("attachment", name)],
      ["cache-control", "no-store"],
      ["x-content-type-options", "nosniff"],
    ],
  };
};

async function pageOf(call: MemberCall, view: View, cursor: string | null): Promise<DocumentList> {
  const asked = withParameter(withParameter(view, "limit", String(PAGE)), "total", "none");
  return await listDocuments(call.services, serverOf(call), {
    collectionName: call.param("collectionName"),
    query: listQuery(asked) + (cursor === null ? "" : `&cursor=${cursor}`),
    bytesMax: PAGE_BYTES_MAX,
  });
}
