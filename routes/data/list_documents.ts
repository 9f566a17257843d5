import type { Caller } from "@/lib/auth/principals.ts";
import { namesTag } from "@/lib/documents/precondition.ts";
import { answerList } from "@/lib/documents/repeated_list.ts";
import { envelope, type Reply } from "@/lib/http/respond.ts";
import { after } from "@/lib/soon.ts";
import type { Handler } from "../call.ts";

const ANEW = /\bno-(?:cache|store)\b/i;

const wrap = (data: string): string => envelope(data, "Documents listed");

export const handleListDocuments: Handler<Caller> = (call) => {
  const ifNoneMatch = call.header("if-none-match");
  const answer = answerList(call.services, call.principal, {
    collectionName: call.param("collectionName"),
    query: call.query,
    anew: ANEW.test(call.header("cache-control") ?? ""),
    holds: ifNoneMatch !== null,
    wrap,
  });
  return after(answer, (list): Reply => {
    const { text, etag, isKept } = list;
    const headers = etag === null ? [] : [["etag", etag]] as const;
    return ifNoneMatch !== null && etag !== null && namesTag(ifNoneMatch, etag, true)
      ? { status: 304, body: null, headers }
      : { status: 200, body: text, headers, ...(isKept && { again: list }) };
  });
};
