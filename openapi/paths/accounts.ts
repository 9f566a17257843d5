import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { contract, type Success } from "../contract.ts";
import {
  Account,
  ACCOUNT_EXAMPLE,
  Credentials,
  CREDENTIALS_EXAMPLE,
  Registration,
  SignedOut,
} from "../schemas/account.ts";
import { countedByAddress, dashboardSession, ownPages } from "../security.ts";

const TAG = "Accounts";
const SETS_COOKIE = { "set-cookie": "Holds the session, which is a new one, for browsers." };

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
  summary: "Register",
  description: "Makes an account on the free plan and signs it in.",
  security: countedByAddress(ownPages),
  parameters: [],
  body: {
    schema: Registration,
    example: { ...CREDENTIALS_EXAMPLE, name: "Ada" },
    description: "Who it is; `name` may be left out.",
    bytesMax: SMALL_BODY_BYTES_MAX,
  },
  success: [{ ...account(201, "Account registered"), headers: SETS_COOKIE }],
  problems: ["INVALID_PASSWORD", "ACCOUNT_EXISTS"],
});

export const signInAccount = contract({
  operationId: "signInAccount",
  tag: TAG,
  method: "post",
  path: "/api/auth/login",
  summary: "Sign in",
  description: "Opens a session of the dashboard. It lasts 7 days from its last use.",
  security: countedByAddress(ownPages),
  parameters: [],
  body: {
    schema: Credentials,
    example: CREDENTIALS_EXAMPLE,
    description: "Both as they were registered.",
    bytesMax: SMALL_BODY_BYTES_MAX,
  },
  success: [{ ...account(200, "Signed in"), headers: SETS_COOKIE }],
  problems: ["CREDENTIALS_INVALID"],
});

export const signOutAccount = contract({
  operationId: "signOutAccount",
  tag: TAG,
  method: "post",
  path: "/api/auth/logout",
  summary: "Sign out",
  description: "Ends the session and removes its cookie. Without one the answer is the same.",
  security: ownPages,
  parameters: [],
  body: null,
  success: [{
    status: 200,
    description: "Signed out, now or before.",
    data: SignedOut,
    example: {},
    message: "Signed out",
    headers: { "set-cookie": "Removes the cookie." },
  }],
  problems: [],
});

export const getAccount = contract({
  operationId: "getAccount",
  tag: TAG,
  method: "get",
  path: "/api/auth/me",
  summary: "Read one's account",
  description: "Who is signed in.",
  security: dashboardSession,
  parameters: [],
  body: null,
  success: [account(200, "Account found")],
  problems: [],
});

export const getUserAccount = contract({
  ...getAccount,
  operationId: "getUserAccount",
  path: "/api/user/me",
  summary: "Read one's account, by its other address",
  description: "The same as `/api/auth/me`.",
});

/** In the order of the reference. */
export const ACCOUNTS = [
  registerAccount,
  signInAccount,
  signOutAccount,
  getAccount,
  getUserAccount,
];
