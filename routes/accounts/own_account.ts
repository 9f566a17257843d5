import { sessionCookie } from "@/lib/accounts/account_sessions.ts";
import { ownAccount, renameOwnAccount, shownAccount } from "@/lib/accounts/own_account.ts";
import { changeOwnPassword, deleteOwnAccount } from "@/lib/accounts/own_password.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type {
  changePassword,
  deleteAccount,
  getAccount,
  patchAccount,
} from "@/openapi/paths/accounts.ts";
import type { HandlerOf } from "../handler.ts";

export const handleGetAccount: HandlerOf<typeof getAccount> = async (c) => {
  const { services, principal } = c.var;
  const account = await ownAccount(services, principal);
  return ok(200, jsonText(shownAccount(account)), "Account found");
};

export const handlePatchAccount: HandlerOf<typeof patchAccount> = async (c) => {
  const { services, principal } = c.var;
  const account = await renameOwnAccount(services, principal, c.req.valid("json").name);
  return ok(200, jsonText(shownAccount(account)), "Account changed");
};

export const handleChangePassword: HandlerOf<typeof changePassword> = async (c) => {
  const { services, principal, state } = c.var;
  const given = { ...c.req.valid("json"), network: state.network };
  const ended = await changeOwnPassword(services, principal, given);
  return ok(200, JSON.stringify({ ended }), "Password changed");
};

export const handleDeleteAccount: HandlerOf<typeof deleteAccount> = async (c) => {
  const { services, principal, state } = c.var;
  const given = { ...c.req.valid("json"), network: state.network };
  await deleteOwnAccount(services, principal, given);
  const { accountId } = principal;
  return {
    ...ok(200, JSON.stringify({ accountId }), "Account deleted"),
    headers: [sessionCookie(services.cookies, null)],
  };
};
