import { forMembers } from "./for_members.ts";
import { deleteUser, endUserSessions, getUser, listUsers, patchUser } from "./users.ts";

const ofUsers = forMembers("Project users", "/api/projects/{projectId}/users");

export const listProjectUsers = ofUsers(listUsers, {
  operationId: "listProjectUsers",
  role: "viewer",
  path: "",
});

export const getProjectUser = ofUsers(getUser, {
  operationId: "getProjectUser",
  role: "viewer",
  path: "/{id}",
});

export const patchProjectUser = ofUsers(patchUser, {
  operationId: "patchProjectUser",
  role: "admin",
  path: "/{id}",
});

export const deleteProjectUser = ofUsers(deleteUser, {
  operationId: "deleteProjectUser",
  role: "admin",
  path: "/{id}",
});

export const endProjectUserSessions = ofUsers(endUserSessions, {
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
