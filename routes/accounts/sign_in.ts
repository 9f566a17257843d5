import { readSessionCookie, sessionCookie } from "@/lib/accounts/account_sessions.ts";
import { signOutAccount } from "@/lib/accounts/end_account_sessions.ts";
import { shownAccount } from "@/lib/accounts/own_account.ts";
import { registerAccount } from "@/lib/accounts/register_account.ts";
import { type OpenedSession, signInAccount, type Visitor } from "@/lib/accounts/sign_in.ts";
import { deviceOf } from "@/lib/auth/device.ts";
import { NO_STORE, ok, type Reply } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type * as accounts from "@/openapi/paths/accounts.ts";
import type { Call, HandlerOf } from "../call.ts";

export const handleRegisterAccount: HandlerOf<typeof accounts.registerAccount> = async (call) => {
  const { name = null, invitation = null, ...credentials } = call.input;
  const given = { ...credentials, name, invitation };
  const opened = await registerAccount(call.services, given, visitor(call));
  return signedIn(call, opened, ok(201, shown(opened), "Account registered"));
};

export const handleSignInAccount: HandlerOf<typeof accounts.signInAccount> = async (call) => {
  const opened = await signInAccount(call.services, call.input, visitor(call));
  return signedIn(call, opened, ok(200, shown(opened), "Signed in"));
};

export const handleSignOutAccount: HandlerOf<typeof accounts.signOutAccount> = async (
  { services, header },
) => {
  const token = readSessionCookie(services.cookies, header("cookie"));
  if (token !== null) await signOutAccount(services, token);
  return { ...ok(200, "{}", "Signed out"), headers: [sessionCookie(services.cookies, null)] };
};

export const visitor = (
  { header, client, network }: Pick<Call<null>, "header" | "client" | "network">,
): Visitor => ({
  device: deviceOf(header("user-agent"), client()),
  network: network(),
  cookies: header("cookie"),
});

const shown = ({ account }: OpenedSession): string => jsonText(shownAccount(account));

/** The reply with the session that was opened, and with what makes the device known. */
export const signedIn = (
  { services: { cookies, knownDevices } }: Pick<Call<null>, "services">,
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
