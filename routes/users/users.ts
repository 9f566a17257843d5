import type { z } from "zod";
import type { Disabling } from "@/openapi/schemas/user.ts";
import { endSessionsOf } from "@/lib/auth/end_sessions.ts";
import { deleteUser, findUser, listUsers, setDisabled } from "@/lib/auth/manage_users.ts";
import { managedUser } from "@/lib/auth/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Handler, InProject } from "../call.ts";

export const handleListUsers: Handler<InProject> = async ({ services, principal, query }) => {
  const { items, nextCursor } = await listUsers(services, principal.projectId, query);
  return ok(200, jsonText({ items: items.map(managedUser), nextCursor }), "Users listed");
};

export const handleGetUser: Handler<InProject> = async ({ services, principal, param }) => {
  const user = await findUser(services, principal.projectId, requiredId(param("id")));
  return ok(200, jsonText(managedUser(user)), "User found");
};

export const handlePatchUser: Handler<InProject, z.infer<typeof Disabling>> = async (call) => {
  const userId = requiredId(call.param("id"));
  const { services, principal, input } = call;
  const user = await setDisabled(services, principal.projectId, { userId, ...input });
  return ok(200, jsonText(managedUser(user)), "User changed");
};

export const handleDeleteUser: Handler<InProject> = async ({ services, principal, param }) => {
  const id = requiredId(param("id"));
  await deleteUser(services, principal.projectId, id);
  return ok(200, JSON.stringify({ id }), "User deleted");
};

export const handleEndUserSessions: Handler<InProject> = async ({ services, principal, param }) => {
  const { _id } = await findUser(services, principal.projectId, requiredId(param("id")));
  const ended = await endSessionsOf(services, principal.projectId, _id);
  return ok(200, JSON.stringify({ ended }), "Sessions ended");
};
