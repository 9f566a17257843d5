import { answered, created } from "../answers.ts";
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
  success: answered("User found", "The user.", { data: User, example: USER_EXAMPLE }),
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
    "them with null. What users set or clear themselves is not changed by their provider any more.",
  security: signedInUser,
  body: {
    schema: UserChanges,
    example: { name: "Ada Lovelace" },
    description: "At least one of the members.",
  },
  success: answered("User changed", "The user as they are now.", {
    data: User,
    example: USER_EXAMPLE,
  }),
  problems: ["USERNAME_TAKEN", "DOCUMENT_QUOTA_EXCEEDED"],
});

export const createUser = contract({
  operationId: "createUser",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/users",
  summary: "Create a user from your server",
  description:
    "Makes a user, also where sign-up is closed. Without a password they set one with a " +
    "code, or sign in by a code or a provider that proves their address.",
  security: secretKey,
  body: {
    schema: UserInput,
    example: { email: "ada@example.com", emailVerified: true, roles: ["editor"] },
    description: "The user.",
  },
  success: created("User created", "The user.", {
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
  description: "The project's users, the newest first.",
  security: secretKey,
  query: userQuery,
  success: answered("Users listed", "The users.", {
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
  success: answered("User found", "The user.", {
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
  description:
    "Sets what is given. A disabled user cannot sign in, and their sessions end at once; " +
    "so they do with another password or another e-mail.",
  security: secretKey,
  params: { id: userId },
  body: {
    schema: ManagedUserChanges,
    example: { disabled: true },
    description: "At least one of the members, or a declared field.",
  },
  success: answered("User changed", "The user as they are now.", {
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
  description:
    "Removes the user, their sessions and their links to providers for good; codes and " +
    "refresh tokens that are not used yet lead nowhere. Documents that they own stay under their " +
    "id, and no user can change them any more. Whoever signs in as the same person later is a new " +
    "user.",
  security: secretKey,
  params: { id: userId },
  success: answered("User deleted", "The id of the deleted user.", {
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
  success: answered("Sessions ended", "How many sessions ended.", {
    data: EndedSessions,
    example: { ended: 2 },
  }),
  problems: ["USER_NOT_FOUND"],
});

/** In the order of the reference. */
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
