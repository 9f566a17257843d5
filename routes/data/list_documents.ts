import type { Caller } from "@/lib/auth/principals.ts";
import { namesTag } from "@/lib/documents/precondition.ts";
import { answerList } from "@/lib/documents/repeated_list.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Handler } from "../call.ts";

const ANEW = /\bno-(?:cache|store)\b/i;

export const handleListDocuments: Handler<Caller> = async (call) => {
  const ifNoneMatch = call.header("if-none-match");
  const { data, etag } = await answerList(call.services, call.principal, {
    collectionName: call.param("collectionName"),
    query: call.query,
    anew: ANEW.test(call.header("cache-control") ?? ""),
    holds: ifNoneMatch !== null,
  });
  if (etag === null) return ok(200, data, "Documents listed");
  if (ifNoneMatch !== null && namesTag(ifNoneMatch, etag, true)) {
    return { status: 304, body: null, headers: [["etag", etag]] };
  }
  return ok(200, data, "Documents listed", etag);
};
