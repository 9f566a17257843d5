import { endSessionsOf } from "@/lib/auth/end_sessions.ts";
import { deleteUser, findUser, listUsers, setDisabled } from "@/lib/auth/manage_users.ts";
import { managedUser } from "@/lib/auth/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type * as users from "@/openapi/paths/users.ts";
import type { HandlerOf, InProject } from "../handler.ts";

export const handleListUsers: HandlerOf<typeof users.listUsers, InProject> = async (c) => {
  const { services, principal } = c.var;
  const query = c.req.valid("query");
  const { items, nextCursor } = await listUsers(services, principal.projectId, query);
  return ok(200, jsonText({ items: items.map(managedUser), nextCursor }), "Users listed");
};

export const handleGetUser: HandlerOf<typeof users.getUser, InProject> = async (c) => {
  const { services, principal } = c.var;
  const params = c.req.valid("param");
  const user = await findUser(services, principal.projectId, params.id);
  return ok(200, jsonText(managedUser(user)), "User found");
};

export const handlePatchUser: HandlerOf<typeof users.patchUser, InProject> = async (c) => {
  const { services, principal } = c.var;
  const { id: userId } = c.req.valid("param");
  const user = await setDisabled(services, principal.projectId, { userId, ...c.req.valid("json") });
  return ok(200, jsonText(managedUser(user)), "User changed");
};

export const handleDeleteUser: HandlerOf<typeof users.deleteUser, InProject> = async (c) => {
  const { services, principal } = c.var;
  const { id } = c.req.valid("param");
  await deleteUser(services, principal.projectId, id);
  return ok(200, JSON.stringify({ id }), "User deleted");
};

export const handleEndUserSessions: HandlerOf<typeof users.endUserSessions, InProject> = async (
  c,
) => {
  const { services, principal } = c.var;
  const params = c.req.valid("param");
  const { _id } = await findUser(services, principal.projectId, params.id);
  const ended = await endSessionsOf(services, principal.projectId, _id);
  return ok(200, JSON.stringify({ ended }), "Sessions ended");
};
