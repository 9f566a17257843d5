import { endSession } from "@/lib/auth/end_sessions.ts";
import { issueTestToken } from "@/lib/auth/issue_token.ts";
import { listSessions } from "@/lib/auth/list_sessions.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { findUser } from "@/lib/users/manage_users.ts";
import type * as projectUsers from "@/openapi/paths/project_users.ts";
import type { HandlerOf } from "../handler.ts";

type ListHandler = HandlerOf<typeof projectUsers.listProjectUserSessions>;

export const handleListProjectUserSessions: ListHandler = async (c) => {
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const { _id: userId } = await findUser(services, projectId, c.req.valid("param").id);
  const owner = { projectId, userId, sessionId: null };
  const page = await listSessions(services, owner, c.req.valid("query"));
  return ok(200, JSON.stringify(page), "Sessions listed");
};

type EndHandler = HandlerOf<typeof projectUsers.endProjectUserSession>;

export const handleEndProjectUserSession: EndHandler = async (c) => {
  const { services, principal: { project } } = c.var;
  const { id: userId, sessionId } = c.req.valid("param");
  const ended = await endSession(services, project._id, { sessionId, userId });
  if (!ended) throw new Problem("SESSION_NOT_FOUND");
  return ok(200, JSON.stringify({ id: sessionId }), "Session ended");
};

type TestTokenHandler = HandlerOf<typeof projectUsers.createTestToken>;

export const handleCreateTestToken: TestTokenHandler = async (c) => {
  const { services, principal } = c.var;
  const issued = await issueTestToken(services, principal, c.req.valid("param").id);
  return { ...ok(201, JSON.stringify(issued), "Test token created"), headers: [NO_STORE] };
};
