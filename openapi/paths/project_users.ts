import { forMembers } from "./for_members.ts";
import { deleteUser, endUserSessions, getUser, listUsers, patchUser } from "./users.ts";

const ofUsers = forMembers("Project users", "/api/projects/{projectId}/users");

export const listProjectUsers = ofUsers(listUsers, {
  operationId: "listProjectUsers",
  summary: "List users for the project's members",
  role: "viewer",
  path: "",
});

export const getProjectUser = ofUsers(getUser, {
  operationId: "getProjectUser",
  summary: "Get a user for the project's members",
  role: "viewer",
  path: "/{id}",
});

export const patchProjectUser = ofUsers(patchUser, {
  operationId: "patchProjectUser",
  summary: "Disable or enable a user for the project's admins",
  role: "admin",
  path: "/{id}",
});

export const deleteProjectUser = ofUsers(deleteUser, {
  operationId: "deleteProjectUser",
  summary: "Delete a user for the project's admins",
  role: "admin",
  path: "/{id}",
});

export const endProjectUserSessions = ofUsers(endUserSessions, {
  operationId: "endProjectUserSessions",
  summary: "End a user's sessions for the project's admins",
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
