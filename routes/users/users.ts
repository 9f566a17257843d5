import { endSessionsOf } from "@/lib/auth/end_sessions.ts";
import { deleteUser, findUser, listUsers, setDisabled } from "@/lib/auth/manage_users.ts";
import { managedUser } from "@/lib/auth/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type * as users from "@/openapi/paths/users.ts";
import type { HandlerOf, InProject } from "../call.ts";

export const handleListUsers: HandlerOf<typeof users.listUsers, InProject> = async (
  { services, principal, query },
) => {
  const { items, nextCursor } = await listUsers(services, principal.projectId, query);
  return ok(200, jsonText({ items: items.map(managedUser), nextCursor }), "Users listed");
};

export const handleGetUser: HandlerOf<typeof users.getUser, InProject> = async (
  { services, principal, params },
) => {
  const user = await findUser(services, principal.projectId, params.id);
  return ok(200, jsonText(managedUser(user)), "User found");
};

export const handlePatchUser: HandlerOf<typeof users.patchUser, InProject> = async (
  { services, principal, params: { id: userId }, input },
) => {
  const user = await setDisabled(services, principal.projectId, { userId, ...input });
  return ok(200, jsonText(managedUser(user)), "User changed");
};

export const handleDeleteUser: HandlerOf<typeof users.deleteUser, InProject> = async (
  { services, principal, params: { id } },
) => {
  await deleteUser(services, principal.projectId, id);
  return ok(200, JSON.stringify({ id }), "User deleted");
};

export const handleEndUserSessions: HandlerOf<typeof users.endUserSessions, InProject> = async (
  { services, principal, params },
) => {
  const { _id } = await findUser(services, principal.projectId, params.id);
  const ended = await endSessionsOf(services, principal.projectId, _id);
  return ok(200, JSON.stringify({ ended }), "Sessions ended");
};
