import { readSessionCookie, sessionCookie } from "@/lib/accounts/account_sessions.ts";
import { endAccountSession, signOutAccount } from "@/lib/accounts/end_account_sessions.ts";
import { listAccountSessions } from "@/lib/accounts/list_account_sessions.ts";
import { getOwnAccount, renameOwnAccount, toAccountDetails } from "@/lib/accounts/own_account.ts";
import { changeOwnPassword, deleteOwnAccount } from "@/lib/accounts/own_password.ts";
import { registerAccount } from "@/lib/accounts/register_account.ts";
import { type OpenedSession, signInAccount, type Visitor } from "@/lib/accounts/sign_in.ts";
import { deviceOf } from "@/lib/auth/device.ts";
import { NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { ACCOUNTS } from "@/openapi/paths/accounts.ts";
import type { HandlersOf, OperationContext } from "../handler.ts";

export const visitor = ({ req, var: { state } }: OperationContext<unknown>): Visitor => ({
  device: deviceOf(req.header("user-agent") ?? null, state.client),
  network: state.network,
  cookies: req.header("cookie") ?? null,
});

const accountText = ({ account }: OpenedSession): string => jsonText(toAccountDetails(account));

/** Adds the cookies of the new session and of the known device to the reply. */
export const signedIn = (
  { var: { services: { cookies, knownDevices } } }: OperationContext<unknown>,
  { account, token, deviceId }: OpenedSession,
  reply: Reply,
): Reply => ({
  ...reply,
  headers: [
    ...reply.headers ?? [],
    NO_STORE,
    sessionCookie(cookies, token),
    knownDevices.write(account._id, deviceId),
  ],
});

export const accounts: HandlersOf<typeof ACCOUNTS> = {
  registerAccount: async (c) => {
    const { name = null, invitation = null, ...credentials } = c.req.valid("json");
    const given = { ...credentials, name, invitation };
    const opened = await registerAccount(c.var.services, given, visitor(c));
    return signedIn(c, opened, ok(201, accountText(opened), "Account registered"));
  },

  signInAccount: async (c) => {
    const opened = await signInAccount(c.var.services, c.req.valid("json"), visitor(c));
    return signedIn(c, opened, ok(200, accountText(opened), "Signed in"));
  },

  signOutAccount: async (c) => {
    const { services } = c.var;
    const token = readSessionCookie(services.cookies, c.req.header("cookie") ?? null);
    if (token !== null) await signOutAccount(services, token);
    return { ...ok(200, "{}", "Signed out"), headers: [sessionCookie(services.cookies, null)] };
  },

  getAccount: async (c) => {
    const { services, principal } = c.var;
    const account = await getOwnAccount(services, principal);
    return ok(200, jsonText(toAccountDetails(account)), "Account found");
  },

  patchAccount: async (c) => {
    const { services, principal } = c.var;
    const account = await renameOwnAccount(services, principal, c.req.valid("json").name);
    return ok(200, jsonText(toAccountDetails(account)), "Account changed");
  },

  changePassword: async (c) => {
    const { services, principal, state } = c.var;
    const given = { ...c.req.valid("json"), network: state.network };
    const ended = await changeOwnPassword(services, principal, given);
    return ok(200, JSON.stringify({ ended }), "Password changed");
  },

  listAccountSessions: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const query = c.req.valid("query");
    const page = await listAccountSessions(services, principal, query);
    return ok(200, JSON.stringify(page), "Sessions listed");
  },

  endAccountSession: async (c) => {
    const { services, principal } = c.var;
    const { id } = c.req.valid("param");
    const ended = await endAccountSession(services, principal, id);
    if (!ended) throw new Problem("SESSION_NOT_FOUND");
    return ok(200, JSON.stringify({ id }), "Session ended");
  },

  deleteAccount: async (c) => {
    const { services, principal, state } = c.var;
    const given = { ...c.req.valid("json"), network: state.network };
    await deleteOwnAccount(services, principal, given);
    const { accountId } = principal;
    return {
      ...ok(200, JSON.stringify({ accountId }), "Account deleted"),
      headers: [sessionCookie(services.cookies, null)],
    };
  },
};
