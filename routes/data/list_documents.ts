import { namesTag } from "@/lib/http/etags.ts";
import { cachedList } from "@/lib/documents/list_cache.ts";
import { envelope } from "@/lib/http/respond.ts";
import type * as data from "@/openapi/paths/data.ts";
import type { HandlerOf } from "../call.ts";

const BYPASS = /\bno-(?:cache|store)\b/i;

const wrap = (data: string): string => envelope(data, "Documents listed");

export const handleListDocuments: HandlerOf<typeof data.listDocuments> = async (call) => {
  const ifNoneMatch = call.header("if-none-match");
  const list = await cachedList(call.services, call.principal, {
    collectionName: call.params.collectionName,
    query: call.queryText,
    bypassCache: BYPASS.test(call.header("cache-control") ?? ""),
    wrap,
  });
  const { text, etag, isKept } = list;
  const headers = [["etag", etag]] as const;
  return ifNoneMatch !== null && namesTag(ifNoneMatch, etag, true)
    ? { status: 304, body: null, headers }
    : { status: 200, body: text, headers, ...(isKept && { again: list }) };
};
