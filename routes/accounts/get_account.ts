import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { ownAccount, shownAccount } from "@/lib/accounts/own_account.ts";
import { ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Handler } from "../call.ts";

export const handleGetAccount: Handler<SignedInAccount> = async ({ services, principal }) => {
  const account = await ownAccount(services, principal);
  return ok(200, jsonText(shownAccount(account)), "Account found");
};
