import { endSessionsOf } from "@/lib/auth/end_sessions.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import { ok } from "@/lib/http/respond.ts";
import type { Services } from "@/lib/services.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Id } from "@/lib/store/port.ts";
import {
  changeManagedUser,
  createManagedUser,
  deleteUser,
  findUser,
  listUsers,
} from "@/lib/users/manage_users.ts";
import { toManagedUser } from "@/lib/users/user_details.ts";
import type { USERS } from "@/openapi/paths/users.ts";
import type { HandlersOf } from "../handler.ts";
import { handleGetMe, handlePatchMe } from "./me.ts";

export const users: HandlersOf<typeof USERS> = {
  getMe: handleGetMe,

  patchMe: handlePatchMe,

  createUser: async (c) => {
    const { services, principal: { projectId, auth, actor }, state: { network } } = c.var;
    const within = { projectId, auth, network, actor };
    const user = await createManagedUser(services, within, c.req.valid("json"));
    return ok(201, await managedUserText(services, projectId, user), "User created");
  },

  listUsers: async (c) => {
    const { services, principal: { projectId } } = c.var;
    const { items, nextCursor } = await listUsers(services, projectId, c.req.valid("query"));
    const declared = await services.userFields.ofProject(projectId);
    const managed = items.map((user) => toManagedUser(declared, user));
    return ok(200, jsonText({ items: managed, nextCursor }), "Users listed");
  },

  getUser: async (c) => {
    const { services, principal: { projectId } } = c.var;
    const user = await findUser(services, projectId, c.req.valid("param").id);
    return ok(200, await managedUserText(services, projectId, user), "User found");
  },

  patchUser: async (c) => {
    const { services, principal: { projectId, auth, actor }, state: { network } } = c.var;
    const { id: userId } = c.req.valid("param");
    const within = { projectId, auth, network, actor };
    const change = { userId, changes: c.req.valid("json") };
    const user = await changeManagedUser(services, within, change);
    return ok(200, await managedUserText(services, projectId, user), "User changed");
  },

  deleteUser: async (c) => {
    const { services, principal: { projectId, actor } } = c.var;
    const { id } = c.req.valid("param");
    await deleteUser(services, { projectId, actor }, id);
    return ok(200, JSON.stringify({ id }), "User deleted");
  },

  endUserSessions: async (
    c,
  ) => {
    const { services, principal: { projectId } } = c.var;
    const { _id } = await findUser(services, projectId, c.req.valid("param").id);
    const ended = await endSessionsOf(services, projectId, _id);
    return ok(200, JSON.stringify({ ended }), "Sessions ended");
  },
};

async function managedUserText(
  { userFields }: Pick<Services, "userFields">,
  projectId: Id,
  user: UserRecord,
): Promise<string> {
  return jsonText(toManagedUser(await userFields.ofProject(projectId), user));
}
