import { sessionCookie } from "@/lib/accounts/account_sessions.ts";
import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { endAccountSession, endOtherAccountSessions } from "@/lib/accounts/end_account_sessions.ts";
import { changeOwnPassword, deleteOwnAccount } from "@/lib/accounts/own_password.ts";
import { saveAccountKey } from "@/lib/ai/keys.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { Handler } from "../../call.ts";
import { attempt, seeOther } from "../replies.ts";
import { ACCOUNT, refusedAccount } from "./account.tsx";

/** What the forms of the account's page do. */

export const changePassword: Handler<SignedInAccount> = async (call) => {
  const form = await call.form();
  const given = {
    currentPassword: form.get("currentPassword") ?? "",
    newPassword: form.get("newPassword") ?? "",
    network: call.network(),
  };
  const { services, principal } = call;
  const { problem } = await attempt(() => changeOwnPassword(services, principal, given));
  if (problem !== null) return await refusedAccount(call, { form: "password", problem });
  return seeOther(`${ACCOUNT}?done=password`);
};

export const endSession: Handler<SignedInAccount> = async (call) => {
  const { services, principal, param } = call;
  const { problem } = await attempt(async () => {
    const ended = await endAccountSession(services, principal, requiredId(param("sessionId")));
    if (!ended) throw new Problem("SESSION_NOT_FOUND");
  });
  if (problem !== null) return await refusedAccount(call, { form: "sessions", problem });
  return seeOther(`${ACCOUNT}?done=session`);
};

export const endOtherSessions: Handler<SignedInAccount> = async ({ services, principal }) => {
  await endOtherAccountSessions(services, principal);
  return seeOther(`${ACCOUNT}?done=sessions`);
};

export const saveAiKey: Handler<SignedInAccount> = async (call) => {
  const aiKey = (await call.form()).get("aiKey")?.trim() ?? "";
  const { services, principal } = call;
  const { problem } = await attempt(() => saveAccountKey(services, principal, aiKey));
  if (problem !== null) return await refusedAccount(call, { form: "ai-key", problem });
  return seeOther(`${ACCOUNT}?done=ai-key`);
};

export const clearAiKey: Handler<SignedInAccount> = async ({ services, principal }) => {
  await saveAccountKey(services, principal, null);
  return seeOther(`${ACCOUNT}?done=ai-key-cleared`);
};

export const deleteAccount: Handler<SignedInAccount> = async (call) => {
  const password = (await call.form()).get("password") ?? "";
  const { services, principal } = call;
  const given = { password, network: call.network() };
  const { problem } = await attempt(() => deleteOwnAccount(services, principal, given));
  if (problem !== null) return await refusedAccount(call, { form: "delete", problem });
  const signedOut = sessionCookie(services.cookies, null);
  return seeOther("/dashboard/sign-in?done=deleted", [signedOut]);
};
