import { sessionCookie, type SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { ownAccount, shownAccount } from "@/lib/accounts/own_account.ts";
import { changeOwnPassword, deleteOwnAccount } from "@/lib/accounts/own_password.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Handler } from "../call.ts";
import { membersOf, requiredText } from "./input.ts";

export const handleGetAccount: Handler<SignedInAccount> = async ({ services, principal }) => {
  const account = await ownAccount(services, principal);
  return ok(200, jsonText(shownAccount(account)), "Account found");
};

export const handleChangePassword: Handler<SignedInAccount> = async (call) => {
  const members = membersOf(await call.body(), ["currentPassword", "newPassword"]);
  const given = {
    currentPassword: requiredText(members, "currentPassword"),
    newPassword: requiredText(members, "newPassword"),
    network: call.network(),
  };
  const ended = await changeOwnPassword(call.services, call.principal, given);
  return ok(200, JSON.stringify({ ended }), "Password changed");
};

export const handleDeleteAccount: Handler<SignedInAccount> = async (call) => {
  const { services, principal } = call;
  const password = requiredText(membersOf(await call.body(), ["password"]), "password");
  await deleteOwnAccount(services, principal, { password, network: call.network() });
  const { accountId } = principal;
  return {
    ...ok(200, JSON.stringify({ accountId }), "Account deleted"),
    headers: [sessionCookie(services.cookies, null)],
  };
};
