import { type Contract, contract } from "../contract.ts";
import { projectId } from "../parameters.ts";
import { projectMember } from "../security.ts";
import { deleteUser, endUserSessions, getUser, listUsers, patchUser } from "./users.ts";

/** What the project's servers do by its secret key, for its members. */
const forMembers = (
  server: Contract<unknown>,
  { operationId, role, path }: { operationId: string; role: "viewer" | "admin"; path: string },
) =>
  contract({
    ...server,
    operationId,
    tag: "Project users",
    path: `/api/projects/{projectId}/users${path}`,
    security: projectMember(role),
    parameters: [projectId, ...server.parameters],
  });

export const listProjectUsers = forMembers(listUsers, {
  operationId: "listProjectUsers",
  role: "viewer",
  path: "",
});

export const getProjectUser = forMembers(getUser, {
  operationId: "getProjectUser",
  role: "viewer",
  path: "/{id}",
});

export const patchProjectUser = forMembers(patchUser, {
  operationId: "patchProjectUser",
  role: "admin",
  path: "/{id}",
});

export const deleteProjectUser = forMembers(deleteUser, {
  operationId: "deleteProjectUser",
  role: "admin",
  path: "/{id}",
});

export const endProjectUserSessions = forMembers(endUserSessions, {
  operationId: "endProjectUserSessions",
  role: "admin",
  path: "/{id}/sessions",
});

/** In the order of the reference. */
export const PROJECT_USERS = [
  listProjectUsers,
  getProjectUser,
  patchProjectUser,
  deleteProjectUser,
  endProjectUserSessions,
];
