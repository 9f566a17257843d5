import { endSession } from "@/lib/auth/end_sessions.ts";
import type { SignedInUser } from "@/lib/auth/principals.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../call.ts";

export const handleEndSession: Handler<SignedInUser> = async (call) => {
  const { projectId, userId } = call.principal;
  const id = requiredId(call.param("id"));
  const ended = await endSession(call.services, projectId, { sessionId: id, userId });
  if (!ended) throw new Problem("SESSION_NOT_FOUND");
  return ok(200, JSON.stringify({ id }), "Session ended");
};
