import { endSession } from "@/lib/auth/end_sessions.ts";
import { ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import type { endSession as contract } from "@/openapi/paths/sessions.ts";
import type { HandlerOf } from "../handler.ts";

export const handleEndSession: HandlerOf<typeof contract> = async (c) => {
  const { services, principal: { projectId, userId } } = c.var;
  const { id } = c.req.valid("param");
  const ended = await endSession(services, projectId, { sessionId: id, userId });
  if (!ended) throw new Problem("SESSION_NOT_FOUND");
  return ok(200, JSON.stringify({ id }), "Session ended");
};
