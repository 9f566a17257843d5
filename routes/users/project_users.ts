import { endSession } from "@/lib/auth/end_sessions.ts";
import { issueTestToken } from "@/lib/auth/issue_token.ts";
import { listSessions } from "@/lib/auth/list_sessions.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { findUser } from "@/lib/users/manage_users.ts";
import { saveUserFields } from "@/lib/users/user_fields.ts";
import type { PROJECT_USERS } from "@/openapi/paths/project_users.ts";
import type { HandlersOf } from "../handler.ts";

export const projectUsers: HandlersOf<typeof PROJECT_USERS> = {
  getUserFields: async (c) => {
    const { services, principal: { project } } = c.var;
    const fields = await services.userFields.ofProject(project._id);
    return ok(200, JSON.stringify({ fields }), "User fields found");
  },

  setUserFields: async (c) => {
    const { services, principal: { project } } = c.var;
    const fields = await saveUserFields(services, project._id, c.req.valid("json").fields);
    return ok(200, JSON.stringify({ fields }), "User fields set");
  },

  listProjectUserSessions: async (c) => {
    const { services, principal: { project: { _id: projectId } } } = c.var;
    const { _id: userId } = await findUser(services, projectId, c.req.valid("param").id);
    const owner = { projectId, userId, sessionId: null };
    const page = await listSessions(services, owner, c.req.valid("query"));
    return ok(200, JSON.stringify(page), "Sessions listed");
  },

  endProjectUserSession: async (c) => {
    const { services, principal: { project } } = c.var;
    const { id: userId, sessionId } = c.req.valid("param");
    const ended = await endSession(services, project._id, { sessionId, userId });
    if (!ended) throw new Problem("SESSION_NOT_FOUND");
    return ok(200, JSON.stringify({ id: sessionId }), "Session ended");
  },

  createTestToken: async (c) => {
    const { services, principal } = c.var;
    const issued = await issueTestToken(services, principal, c.req.valid("param").id);
    return { ...ok(201, JSON.stringify(issued), "Test token created"), headers: [NO_STORE] };
  },
};
