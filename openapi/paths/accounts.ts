import { PASSWORD_TRIES_MAX, SIGN_IN_FAILURES_MAX } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
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
  COUNTED,
  countedByAddress,
  dashboardSession,
  ownPages,
  sessionOrToken,
} from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Accounts";
const SETS_COOKIE = { "set-cookie": "Holds the session, which is a new one, for browsers." };
const CLEARS_COOKIE = { "set-cookie": "Removes the cookie." };

const OF_ONE_SESSION =
  `A session has ${PASSWORD_TRIES_MAX} tries at the present password, and then ` +
  "waits as sign-ins do.";

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
  description:
    "Makes an account on the free plan and signs it in; a code to verify its e-mail is " +
    "sent where this server can send mail. Where the server asks for an " +
    "invitation, its token goes with it: it makes one account, whatever its address, which still " +
    `has to accept. The first account of a new server may need none. ${COUNTED}`,
  security: countedByAddress(ownPages),
  body: {
    schema: Registration,
    example: { ...CREDENTIALS_EXAMPLE, name: "Ada" },
    description: "Who it is; `name` and `invitation` may be left out.",
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
  description:
    "Opens a session of the dashboard. It lasts 7 days from its last use. Wrong passwords " +
    "slow guessing down, and lock nobody out:\n\n" +
    `- After ${PASSWORD_TRIES_MAX} wrong passwords for an e-mail, whether or not it has an account, ` +
    "the network they came from has one more try after a minute, then after 2, 4, 8 and 15 " +
    "minutes each. The right password, or an hour without a try, ends that.\n" +
    "- Networks have tries of their own, and so has a browser that was signed in before.\n" +
    `- After ${SIGN_IN_FAILURES_MAX} failures within an hour, from wherever, a network that comes ` +
    `new waits a minute before its first try.\n\n${COUNTED}`,
  security: countedByAddress(ownPages),
  body: {
    schema: Credentials,
    example: CREDENTIALS_EXAMPLE,
    description: "Both as they were registered.",
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
  description: "Ends the session and removes its cookie. Without one the answer is the same.",
  security: ownPages,
  success: [{
    status: 200,
    description: "Signed out, now or before.",
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
  description: "Who is signed in.",
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
  description: "Ends all other sessions of the account, and sign-ins with the old password that " +
    `are under way; codes that were sent are good no more. Personal access tokens stay. ${OF_ONE_SESSION} ${COUNTED}`,
  security: countedByAddress(dashboardSession),
  body: {
    schema: PasswordChange,
    example: PASSWORD_CHANGE_EXAMPLE,
    description: "The present password and the next one.",
  },
  success: answered("Password changed", "How many other sessions ended.", {
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
  description: "The devices on which the account is signed in, the newest first.",
  security: dashboardSession,
  query: pageQuery,
  success: answered("Sessions listed", "The sessions that stand.", {
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
  success: answered("Session ended", "The id of the ended session.", {
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
  description:
    "Removes the account for good, with its sessions, its tokens, its part in others' projects and the " +
    "invitations it made. " +
    "It may not own a project that is in use. Those in the trash do not hold it; restored, they " +
    `have no owner. ${OF_ONE_SESSION} ${COUNTED}`,
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

/** In the order of the reference. */
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
