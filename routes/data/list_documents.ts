import { namesTag } from "@/lib/http/etags.ts";
import { cachedList } from "@/lib/documents/list_cache.ts";
import { envelope, type QueryWarning } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../handler.ts";

const wrap = (data: string, warnings: readonly QueryWarning[]): string =>
  envelope(data, "Documents listed", warnings);

export const handleListDocuments: HandlerOf<typeof data.listDocuments> = async (c) => {
  const { services, principal, state } = c.var;
  const { "if-none-match": ifNoneMatch, "cache-control": mayBeKept } = c.req.valid("header");
  const list = await cachedList(services, principal, {
    collectionName: c.req.valid("param").collectionName,
    query: state.query,
    bypassCache: !mayBeKept,
    wrap,
  });
  const { text, etag } = list;
  const headers = [["etag", etag]] as const;
  return ifNoneMatch !== null && namesTag(ifNoneMatch, etag, true)
    ? { status: 304, body: null, headers }
    : { status: 200, body: text, headers };
};
