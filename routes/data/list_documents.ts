import type { Caller } from "@/lib/auth/principals.ts";
import { namesTag } from "@/lib/documents/precondition.ts";
import { cachedList } from "@/lib/documents/list_cache.ts";
import { envelope, type Reply } from "@/lib/http/respond.ts";
import { after } from "@/lib/soon.ts";
import type { Handler } from "../call.ts";

const BYPASS = /\bno-(?:cache|store)\b/i;

const wrap = (data: string): string => envelope(data, "Documents listed");

export const handleListDocuments: Handler<Caller> = (call) => {
  const ifNoneMatch = call.header("if-none-match");
  const answer = cachedList(call.services, call.principal, {
    collectionName: call.param("collectionName"),
    query: call.query,
    bypassCache: BYPASS.test(call.header("cache-control") ?? ""),
    wrap,
  });
  return after(answer, (list): Reply => {
    const { text, etag, isKept } = list;
    const headers = [["etag", etag]] as const;
    return ifNoneMatch !== null && namesTag(ifNoneMatch, etag, true)
      ? { status: 304, body: null, headers }
      : { status: 200, body: text, headers, ...(isKept && { again: list }) };
  });
};
