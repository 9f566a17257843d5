import { PASSWORD_TRIES_MAX, SIGN_IN_FAILURES_MAX } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
import { contract, type Success } from "../contract.ts";
import { pageQuery, sessionId } from "../parameters.ts";
import {
  Account,
  ACCOUNT_EXAMPLE,
  AccountChanges,
  Credentials,
  CREDENTIALS_EXAMPLE,
  DeletedAccount,
  PASSWORD_CHANGE_EXAMPLE,
  PasswordChange,
  PasswordInput,
  Registration,
  SignedOut,
} from "../schemas/account.ts";
import { EndedSession, SESSION_EXAMPLE, SessionList } from "../schemas/session.ts";
import { EndedSessions } from "../schemas/user.ts";
import {
  countedByAddress,
  DASHBOARD_RATE_NOTE,
  dashboardSession,
  ownPages,
  sessionOrToken,
} from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Accounts";
const SETS_COOKIE = { "set-cookie": "The new session, for browsers." };
const CLEARS_COOKIE = { "set-cookie": "Removes the cookie." };

const PASSWORD_TRIES_NOTE =
  `A session has ${PASSWORD_TRIES_MAX} tries at the current password, and then ` +
  "has to wait as for a sign-in.";

const account = (status: number, message: string): Success => ({
  status,
  description: "The account.",
  data: Account,
  example: ACCOUNT_EXAMPLE,
  message,
});

export const registerAccount = contract({
  operationId: "registerAccount",
  tag: TAG,
  method: "post",
  path: "/api/auth/register",
  summary: "Create an account for the dashboard",
  description: "Creates an account on the free plan and signs it in. If the server can send " +
    "mail, it sends a code to verify the e-mail. If the server requires an invitation, send its " +
    "token: it allows one account with any address, which then still has to accept the " +
    `invitation. The first account of a new server may not need one. ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(ownPages),
  body: {
    schema: Registration,
    example: { ...CREDENTIALS_EXAMPLE, name: "Ada" },
    description: "The account; `name` and `invitation` are optional.",
  },
  success: [{ ...account(201, "Account registered"), headers: SETS_COOKIE }],
  problems: [
    "REGISTRATION_INVITED",
    "REGISTRATION_CLOSED",
    "INVALID_PASSWORD",
    "ACCOUNT_EXISTS",
    "PASSWORDS_BUSY",
  ],
});

export const signInAccount = contract({
  operationId: "signInAccount",
  tag: TAG,
  method: "post",
  path: "/api/auth/login",
  summary: "Sign in to an account",
  description: "Opens a session of the dashboard, which lasts 7 days from its last use. Wrong " +
    "passwords slow guessing down, but do not lock the account:\n\n" +
    `- After ${PASSWORD_TRIES_MAX} wrong passwords for an e-mail, with or without an account, ` +
    "the network that sent them gets one try after a minute, then after 2, 4, 8 and 15 minutes " +
    "each. The right password, or an hour without a try, resets this.\n" +
    "- Each network is counted separately, and so is a browser that was signed in before.\n" +
    `- After ${SIGN_IN_FAILURES_MAX} failures within an hour from all networks, a new network ` +
    "waits a minute before its first try.\n\n" +
    `${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(ownPages),
  body: {
    schema: Credentials,
    example: CREDENTIALS_EXAMPLE,
    description: "The registered e-mail and password.",
  },
  success: [{ ...account(200, "Signed in"), headers: SETS_COOKIE }],
  problems: ["CREDENTIALS_INVALID", "SIGN_IN_LOCKED", "PASSWORDS_BUSY"],
});

export const signOutAccount = contract({
  operationId: "signOutAccount",
  tag: TAG,
  method: "post",
  path: "/api/auth/logout",
  summary: "Sign out of an account",
  description:
    "Ends the session and removes its cookie. Without a session, the answer is the same.",
  security: ownPages,
  success: [{
    status: 200,
    description: "The account is signed out.",
    data: SignedOut,
    example: {},
    message: "Signed out",
    headers: CLEARS_COOKIE,
  }],
  problems: [],
});

export const getAccount = contract({
  operationId: "getAccount",
  tag: TAG,
  method: "get",
  path: "/api/auth/me",
  summary: "Get the signed-in account",
  description: "The account that is signed in.",
  security: sessionOrToken,
  success: [account(200, "Account found")],
  problems: [],
});

export const getUserAccount = {
  ...contract({
    ...getAccount,
    operationId: "getUserAccount",
    path: "/api/user/me",
    summary: "Get the signed-in account, by its other address",
    description: "The same as `/api/auth/me`.",
  }),
  mirrors: getAccount,
};

export const patchAccount = contract({
  operationId: "patchAccount",
  tag: TAG,
  method: "patch",
  path: "/api/auth/me",
  summary: "Change the signed-in account's name",
  description: "Members of its projects see the name. `null` clears it.",
  security: dashboardSession,
  body: {
    schema: AccountChanges,
    example: { name: "Ada" },
    description: "The name.",
  },
  success: [account(200, "Account changed")],
  problems: [],
});

export const changePassword = contract({
  operationId: "changePassword",
  tag: TAG,
  method: "post",
  path: "/api/auth/change-password",
  summary: "Change the signed-in account's password",
  description: "Ends all other sessions of the account and sign-ins in progress with the old " +
    "password, and invalidates codes that were sent. Personal access tokens stay. " +
    `${PASSWORD_TRIES_NOTE} ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(dashboardSession),
  body: {
    schema: PasswordChange,
    example: PASSWORD_CHANGE_EXAMPLE,
    description: "The current password and the new one.",
  },
  success: okAnswer("Password changed", "Number of other sessions that ended.", {
    data: EndedSessions,
    example: { ended: 2 },
  }),
  problems: ["PASSWORD_WRONG", "SIGN_IN_LOCKED", "INVALID_PASSWORD", "PASSWORDS_BUSY"],
});

export const listAccountSessions = contract({
  operationId: "listAccountSessions",
  tag: TAG,
  method: "get",
  path: "/api/auth/sessions",
  summary: "List the signed-in account's sessions",
  description: "The devices on which the account is signed in, newest first.",
  security: dashboardSession,
  query: pageQuery,
  success: okAnswer("Sessions listed", "The open sessions.", {
    data: SessionList,
    example: { items: [SESSION_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const endAccountSession = contract({
  operationId: "endAccountSession",
  tag: TAG,
  method: "delete",
  path: "/api/auth/sessions/{id}",
  summary: "End one of the signed-in account's sessions",
  description: "Signs the account out on that device.",
  security: dashboardSession,
  params: { id: sessionId },
  success: okAnswer("Session ended", "The id of the ended session.", {
    data: EndedSession,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["SESSION_NOT_FOUND"],
});

export const deleteAccount = contract({
  operationId: "deleteAccount",
  tag: TAG,
  method: "delete",
  path: "/api/auth/account",
  summary: "Delete the signed-in account",
  description: "Deletes the account permanently, with its sessions, tokens, memberships and " +
    "invitations. It must not own an active project. Projects in the trash do not prevent this; if " +
    `they are restored, they have no owner. ${PASSWORD_TRIES_NOTE} ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(dashboardSession),
  body: {
    schema: PasswordInput,
    example: { password: CREDENTIALS_EXAMPLE.password },
    description: "The account's password: a session alone is not enough.",
  },
  success: [{
    status: 200,
    description: "The id of the deleted account.",
    data: DeletedAccount,
    example: { accountId: EXAMPLE_ID },
    message: "Account deleted",
    headers: CLEARS_COOKIE,
  }],
  problems: ["PASSWORD_WRONG", "SIGN_IN_LOCKED", "ACCOUNT_OWNS_PROJECTS", "PASSWORDS_BUSY"],
});

export const ACCOUNTS = {
  registerAccount,
  signInAccount,
  signOutAccount,
  getAccount,
  getUserAccount,
  patchAccount,
  changePassword,
  listAccountSessions,
  endAccountSession,
  deleteAccount,
};
