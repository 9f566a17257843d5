import { createdAnswer, okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { userId, userQuery } from "../parameters.ts";
import {
  DeletedUser,
  EndedSessions,
  MANAGED_USER_EXAMPLE,
  ManagedUser,
  ManagedUserChanges,
  ManagedUserList,
  User,
  USER_EXAMPLE,
  UserChanges,
  UserInput,
} from "../schemas/user.ts";
import { secretKey, signedInUser } from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Users";

export const getMe = contract({
  operationId: "getMe",
  tag: "Profile",
  method: "get",
  path: "/api/userAuth/me",
  summary: "Get the signed-in user",
  description: "The user that the access token was issued to.",
  security: signedInUser,
  success: okAnswer("User found", "The user.", { data: User, example: USER_EXAMPLE }),
  problems: [],
});

export const patchMe = contract({
  operationId: "patchMe",
  tag: "Profile",
  method: "patch",
  path: "/api/userAuth/me",
  summary: "Update the signed-in user",
  description:
    "Sets name, username, avatarUrl or a field that the project declares for its users, or clears " +
    "them with null. Sign-in through a provider no longer changes members that the user has set.",
  security: signedInUser,
  body: {
    schema: UserChanges,
    example: { name: "Ada Lovelace" },
    description: "At least one of the members.",
  },
  success: okAnswer("User changed", "The changed user.", { data: User, example: USER_EXAMPLE }),
  problems: ["USERNAME_TAKEN", "DOCUMENT_QUOTA_EXCEEDED"],
});

export const createUser = contract({
  operationId: "createUser",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/users",
  summary: "Create a user from your server",
  description: "Creates a user, even if sign-up is closed. A user without a password sets one " +
    "with a code, or signs in by a code or by a provider that proves their address.",
  security: secretKey,
  body: {
    schema: UserInput,
    example: { email: "ada@example.com", emailVerified: true, roles: ["editor"] },
    description: "The user.",
  },
  success: createdAnswer("User created", "The user.", {
    data: ManagedUser,
    example: MANAGED_USER_EXAMPLE,
  }),
  problems: [
    "INVALID_PASSWORD",
    "EMAIL_TAKEN",
    "USERNAME_TAKEN",
    "PASSWORDS_BUSY",
    "DOCUMENT_QUOTA_EXCEEDED",
  ],
});

export const listUsers = contract({
  operationId: "listUsers",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/users",
  summary: "List users for your server",
  description: "The project's users, newest first.",
  security: secretKey,
  query: userQuery,
  success: okAnswer("Users listed", "The users.", {
    data: ManagedUserList,
    example: { items: [MANAGED_USER_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR", "QUERY_TOO_SLOW"],
});

export const getUser = contract({
  operationId: "getUser",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/users/{id}",
  summary: "Get a user for your server",
  description: "One user of the project.",
  security: secretKey,
  params: { id: userId },
  success: okAnswer("User found", "The user.", {
    data: ManagedUser,
    example: MANAGED_USER_EXAMPLE,
  }),
  problems: ["USER_NOT_FOUND"],
});

export const patchUser = contract({
  operationId: "patchUser",
  tag: TAG,
  method: "patch",
  path: "/api/userAuth/users/{id}",
  summary: "Update a user from your server",
  description: "Sets the members that are sent. Disabling the user, or changing their password " +
    "or e-mail, ends all their sessions. A disabled user cannot sign in.",
  security: secretKey,
  params: { id: userId },
  body: {
    schema: ManagedUserChanges,
    example: { disabled: true },
    description: "At least one of the members, or a declared field.",
  },
  success: okAnswer("User changed", "The changed user.", {
    data: ManagedUser,
    example: MANAGED_USER_EXAMPLE,
  }),
  problems: [
    "USER_NOT_FOUND",
    "INVALID_PASSWORD",
    "EMAIL_TAKEN",
    "USERNAME_TAKEN",
    "PASSWORDS_BUSY",
    "DOCUMENT_QUOTA_EXCEEDED",
  ],
});

export const deleteUser = contract({
  operationId: "deleteUser",
  tag: TAG,
  method: "delete",
  path: "/api/userAuth/users/{id}",
  summary: "Delete a user from your server",
  description: "Deletes the user, their sessions and their links to providers permanently, and " +
    "invalidates their codes and refresh tokens. Their documents stay under their id, and no user " +
    "can change them any more. If the same person signs in later, they are a new user.",
  security: secretKey,
  params: { id: userId },
  success: okAnswer("User deleted", "The id of the deleted user.", {
    data: DeletedUser,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["USER_NOT_FOUND"],
});

export const endUserSessions = contract({
  operationId: "endUserSessions",
  tag: TAG,
  method: "delete",
  path: "/api/userAuth/users/{id}/sessions",
  summary: "End a user's sessions from your server",
  description: "Signs the user out everywhere.",
  security: secretKey,
  params: { id: userId },
  success: okAnswer("Sessions ended", "Number of ended sessions.", {
    data: EndedSessions,
    example: { ended: 2 },
  }),
  problems: ["USER_NOT_FOUND"],
});

export const USERS = {
  getMe,
  patchMe,
  createUser,
  listUsers,
  getUser,
  patchUser,
  deleteUser,
  endUserSessions,
};
