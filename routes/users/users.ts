import { endSessionsOf } from "@/lib/auth/end_sessions.ts";
import type { UserRecord } from "@/lib/auth/users.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import type { Services } from "@/lib/services.ts";
import { KEY } from "@/lib/store/changes.ts";
import type { Actor, Id } from "@/lib/store/port.ts";
import {
  changeManagedUser,
  createManagedUser,
  deleteUser,
  findUser,
  listUsers,
} from "@/lib/users/manage_users.ts";
import { managedUser } from "@/lib/users/shown_user.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type * as users from "@/openapi/paths/users.ts";
import type { HandlerOf, InProject } from "../handler.ts";

/** Whoever acts on users with the rights of the project's server. */
interface Server extends InProject {
  readonly auth: AuthSettings;
  /** Whoever has the secret key, if left out. */
  readonly actor?: Actor;
}

export const handleCreateUser: HandlerOf<typeof users.createUser, Server> = async (c) => {
  const { services, principal: { projectId, auth, actor = KEY }, state: { network } } = c.var;
  const within = { projectId, auth, network, actor };
  const user = await createManagedUser(services, within, c.req.valid("json"));
  return ok(201, await managedText(services, projectId, user), "User created");
};

export const handleListUsers: HandlerOf<typeof users.listUsers, InProject> = async (c) => {
  const { services, principal: { projectId } } = c.var;
  const { items, nextCursor } = await listUsers(services, projectId, c.req.valid("query"));
  const declared = await services.userFields.of(projectId);
  const shown = items.map((user) => managedUser(declared, user));
  return ok(200, jsonText({ items: shown, nextCursor }), "Users listed");
};

export const handleGetUser: HandlerOf<typeof users.getUser, InProject> = async (c) => {
  const { services, principal: { projectId } } = c.var;
  const user = await findUser(services, projectId, c.req.valid("param").id);
  return ok(200, await managedText(services, projectId, user), "User found");
};

export const handlePatchUser: HandlerOf<typeof users.patchUser, Server> = async (c) => {
  const { services, principal: { projectId, auth, actor = KEY }, state: { network } } = c.var;
  const { id: userId } = c.req.valid("param");
  const within = { projectId, auth, network, actor };
  const change = { userId, changes: c.req.valid("json") };
  const user = await changeManagedUser(services, within, change);
  return ok(200, await managedText(services, projectId, user), "User changed");
};

async function managedText(
  { userFields }: Pick<Services, "userFields">,
  projectId: Id,
  user: UserRecord,
): Promise<string> {
  return jsonText(managedUser(await userFields.of(projectId), user));
}

export const handleDeleteUser: HandlerOf<typeof users.deleteUser, Server> = async (c) => {
  const { services, principal: { projectId, actor = KEY } } = c.var;
  const { id } = c.req.valid("param");
  await deleteUser(services, { projectId, actor }, id);
  return ok(200, JSON.stringify({ id }), "User deleted");
};

export const handleEndUserSessions: HandlerOf<typeof users.endUserSessions, InProject> = async (
  c,
) => {
  const { services, principal: { projectId } } = c.var;
  const { _id } = await findUser(services, projectId, c.req.valid("param").id);
  const ended = await endSessionsOf(services, projectId, _id);
  return ok(200, JSON.stringify({ ended }), "Sessions ended");
};
