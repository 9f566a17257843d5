import { forMembers } from "./for_members.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { pageQuery, projectId, sessionId, userId } from "../parameters.ts";
import {
  EndedSession,
  SESSION_EXAMPLE,
  SessionList,
  TEST_TOKEN_EXAMPLE,
  TestToken,
} from "../schemas/session.ts";
import { USER_FIELDS_EXAMPLE, UserFieldList, UserFieldsInput } from "../schemas/user.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";
import { projectMember } from "../security.ts";
import { createUser, deleteUser, endUserSessions, getUser, listUsers, patchUser } from "./users.ts";

const { mirror } = forMembers("Project users", "/api/projects/{projectId}/users");

export const createProjectUser = mirror(createUser, {
  operationId: "createProjectUser",
  summary: "Create a user for the project's admins",
  role: "admin",
  path: "",
});

export const listProjectUsers = mirror(listUsers, {
  operationId: "listProjectUsers",
  summary: "List users for the project's members",
  role: "viewer",
  path: "",
});

export const getProjectUser = mirror(getUser, {
  operationId: "getProjectUser",
  summary: "Get a user for the project's members",
  role: "viewer",
  path: "/{id}",
});

export const patchProjectUser = mirror(patchUser, {
  operationId: "patchProjectUser",
  summary: "Update a user for the project's admins",
  role: "admin",
  path: "/{id}",
});

export const deleteProjectUser = mirror(deleteUser, {
  operationId: "deleteProjectUser",
  summary: "Delete a user for the project's admins",
  role: "admin",
  path: "/{id}",
});

export const endProjectUserSessions = mirror(endUserSessions, {
  operationId: "endProjectUserSessions",
  summary: "End a user's sessions for the project's admins",
  role: "admin",
  path: "/{id}/sessions",
});

export const listProjectUserSessions = contract({
  operationId: "listProjectUserSessions",
  tag: "Project users",
  method: "get",
  path: "/api/projects/{projectId}/users/{id}/sessions",
  summary: "List a user's sessions for the project's members",
  description: "The devices on which the user is signed in, newest first. `current` is always " +
    "false, because a member's request does not use a user's session.",
  security: projectMember("viewer"),
  params: { projectId, id: userId },
  query: pageQuery,
  success: okAnswer("Sessions listed", "The open sessions.", {
    data: SessionList,
    example: { items: [{ ...SESSION_EXAMPLE, current: false }], nextCursor: null },
  }),
  problems: ["USER_NOT_FOUND", "INVALID_CURSOR"],
});

export const endProjectUserSession = contract({
  operationId: "endProjectUserSession",
  tag: "Project users",
  method: "delete",
  path: "/api/projects/{projectId}/users/{id}/sessions/{sessionId}",
  summary: "End one of a user's sessions for the project's admins",
  description: "Signs the user out on that device: its access token is refused immediately.",
  security: projectMember("admin"),
  params: { projectId, id: userId, sessionId },
  success: okAnswer("Session ended", "The id of the ended session.", {
    data: EndedSession,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["SESSION_NOT_FOUND"],
});

export const createTestToken = contract({
  operationId: "createTestToken",
  tag: "Project users",
  method: "post",
  path: "/api/projects/{projectId}/users/{id}/test-token",
  summary: "Create a test token of a user for the project's admins",
  description: "An access token of this user, to try requests on their behalf. It opens a " +
    "session that cannot be renewed: it ends when the token expires, or earlier by " +
    "`endProjectUserSession` with its id. A disabled user cannot have one.",
  security: projectMember("admin"),
  params: { projectId, id: userId },
  success: createdAnswer("Test token created", "The token.", {
    data: TestToken,
    example: TEST_TOKEN_EXAMPLE,
  }),
  problems: ["USER_NOT_FOUND"],
});

const FIELDS = {
  tag: "Project users",
  path: "/api/projects/{projectId}/users/fields",
  params: { projectId },
} as const;

const FIELDS_ANSWER = {
  status: 200,
  data: UserFieldList,
  example: {
    fields: USER_FIELDS_EXAMPLE.map((field) => ({ required: false, public: false, ...field })),
  },
} as const;

export const getUserFields = contract({
  ...FIELDS,
  operationId: "getUserFields",
  method: "get",
  summary: "Get a project's user fields for its members",
  description:
    "The fields that the project declares for its users, in addition to built-in members.",
  security: projectMember("viewer"),
  success: [{ ...FIELDS_ANSWER, description: "The fields.", message: "User fields found" }],
  problems: [],
});

export const setUserFields = contract({
  ...FIELDS,
  operationId: "setUserFields",
  method: "put",
  summary: "Set a project's user fields for its admins",
  description: "Replaces all fields. Stored values of a field that is no longer declared stay, " +
    "but are not shown. A required field applies to users who sign up later, and to users that " +
    "are created with the secret key.",
  security: projectMember("admin"),
  body: {
    schema: UserFieldsInput,
    example: { fields: USER_FIELDS_EXAMPLE },
    description: "All fields.",
  },
  success: [{
    ...FIELDS_ANSWER,
    description: "The changed fields.",
    message: "User fields set",
  }],
  problems: ["INVALID_DEFINITION"],
});

export const PROJECT_USERS = {
  getUserFields,
  setUserFields,
  createProjectUser,
  listProjectUsers,
  getProjectUser,
  patchProjectUser,
  deleteProjectUser,
  listProjectUserSessions,
  endProjectUserSession,
  endProjectUserSessions,
  createTestToken,
};
