import { listDocuments } from "@/lib/documents/list_documents.ts";
import { listJson } from "@/lib/documents/list_json.ts";
import { matchesTag, textTag } from "@/lib/http/etags.ts";
import { envelope } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListDocuments: HandlerOf<typeof data.listDocuments> = async (c) => {
  const { services, principal, state } = c.var;
  const { "if-none-match": ifNoneMatch } = c.req.valid("header");
  const { collectionName } = c.req.valid("param");
  const list = await listDocuments(services, principal, { collectionName, query: state.query });
  const text = envelope(listJson(list), "Documents listed", list.warnings);
  const etag = textTag(text);
  const headers = [["etag", etag]] as const;
  return ifNoneMatch !== null && matchesTag(ifNoneMatch, etag, true)
    ? { status: 304, body: null, headers }
    : { status: 200, body: text, headers };
};
