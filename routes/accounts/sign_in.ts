import { readSessionCookie, sessionCookie } from "@/lib/accounts/account_sessions.ts";
import { signOutAccount } from "@/lib/accounts/end_account_sessions.ts";
import { shownAccount } from "@/lib/accounts/own_account.ts";
import { registerAccount } from "@/lib/accounts/register_account.ts";
import { type OpenedSession, signInAccount, type Visitor } from "@/lib/accounts/sign_in.ts";
import { deviceOf } from "@/lib/auth/device.ts";
import { NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type * as accounts from "@/openapi/paths/accounts.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";

export const handleRegisterAccount: HandlerOf<typeof accounts.registerAccount> = async (c) => {
  const { name = null, invitation = null, ...credentials } = c.req.valid("json");
  const given = { ...credentials, name, invitation };
  const opened = await registerAccount(c.var.services, given, visitor(c));
  return signedIn(c, opened, ok(201, shown(opened), "Account registered"));
};

export const handleSignInAccount: HandlerOf<typeof accounts.signInAccount> = async (c) => {
  const opened = await signInAccount(c.var.services, c.req.valid("json"), visitor(c));
  return signedIn(c, opened, ok(200, shown(opened), "Signed in"));
};

export const handleSignOutAccount: HandlerOf<typeof accounts.signOutAccount> = async (c) => {
  const { services } = c.var;
  const token = readSessionCookie(services.cookies, c.req.header("cookie") ?? null);
  if (token !== null) await signOutAccount(services, token);
  return { ...ok(200, "{}", "Signed out"), headers: [sessionCookie(services.cookies, null)] };
};

export const visitor = ({ req, var: { state } }: OperationContext<unknown>): Visitor => ({
  device: deviceOf(req.header("user-agent") ?? null, state.client),
  network: state.network,
  cookies: req.header("cookie") ?? null,
});

const shown = ({ account }: OpenedSession): string => jsonText(shownAccount(account));

/** The reply with the session that was opened, and with what makes the device known. */
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
