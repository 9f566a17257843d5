import { sessionCookie } from "@/lib/accounts/account_sessions.ts";
import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import { endAccountSession, endOtherAccountSessions } from "@/lib/accounts/end_account_sessions.ts";
import { createAccountToken, deleteAccountToken } from "@/lib/accounts/manage_tokens.ts";
import { changeAccountEmail, confirmAccountEmail } from "@/lib/accounts/change_email.ts";
import { renameOwnAccount } from "@/lib/accounts/own_account.ts";
import { changeOwnPassword, deleteOwnAccount } from "@/lib/accounts/own_password.ts";
import { saveAccountKey } from "@/lib/ai/keys.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { AccountTokenInput } from "@/openapi/schemas/account_token.ts";
import { AccountEmailChange } from "@/openapi/schemas/user_session.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, seeOther } from "../replies.ts";
import { ACCOUNT, newTokenReply, refusedAccountReply } from "./account.tsx";
import { readToken, tokenInput } from "./account_tokens.tsx";

export const renameByForm: PageHandler<SignedInAccount> = async (c) => {
  const name = ((await c.var.body.form()).get("name") ?? "").trim();
  const { services, principal } = c.var;
  const { problem } = await attempt(() =>
    renameOwnAccount(services, principal, name === "" ? null : name)
  );
  if (problem === null) return seeOther(`${ACCOUNT}?done=name`);
  return await refusedAccountReply(c, { form: "name", problem, identity: { name } });
};

export const changeEmailByForm: PageHandler<SignedInAccount> = async (c) => {
  const form = await c.var.body.form();
  const newEmail = (form.get("newEmail") ?? "").trim();
  const { services, principal, state: { network } } = c.var;
  const { problem } = await attempt(async () => {
    const given = parseInput(AccountEmailChange, {
      newEmail,
      password: form.get("password") ?? "",
    });
    await changeAccountEmail(services, principal, { ...given, network });
  });
  if (problem === null) return seeOther(`${ACCOUNT}?done=code`);
  return await refusedAccountReply(c, { form: "email", problem, identity: { newEmail } });
};

export const confirmEmailByForm: PageHandler<SignedInAccount> = async (c) => {
  // Mail programs may show the code in groups, and copying it adds spaces.
  const otp = ((await c.var.body.form()).get("otp") ?? "").replaceAll(/\s/g, "");
  const { services, principal } = c.var;
  const { problem } = await attempt(() => confirmAccountEmail(services, principal, otp));
  if (problem === null) return seeOther(`${ACCOUNT}?done=email`);
  return await refusedAccountReply(c, { form: "code", problem });
};

export const changePassword: PageHandler<SignedInAccount> = async (c) => {
  const form = await c.var.body.form();
  const given = {
    currentPassword: form.get("currentPassword") ?? "",
    newPassword: form.get("newPassword") ?? "",
    network: c.var.state.network,
  };
  const { services, principal } = c.var;
  const { problem } = await attempt(() => changeOwnPassword(services, principal, given));
  if (problem !== null) return await refusedAccountReply(c, { form: "password", problem });
  return seeOther(`${ACCOUNT}?done=password`);
};

export const endSession: PageHandler<SignedInAccount, "sessionId"> = async (c) => {
  const { services, principal } = c.var;
  const { problem } = await attempt(async () => {
    const ended = await endAccountSession(
      services,
      principal,
      requiredId(c.req.valid("param").sessionId),
    );
    if (!ended) throw new Problem("SESSION_NOT_FOUND");
  });
  if (problem !== null) return await refusedAccountReply(c, { form: "sessions", problem });
  return seeOther(`${ACCOUNT}?done=session`);
};

export const endOtherSessions: PageHandler<SignedInAccount> = async (c) => {
  const { services, principal } = c.var;
  await endOtherAccountSessions(services, principal);
  return seeOther(`${ACCOUNT}?done=sessions`);
};

export const createTokenByForm: PageHandler<SignedInAccount> = async (c) => {
  const entered = readToken(await c.var.body.form());
  const { services, principal } = c.var;
  const created = await attempt(() =>
    createAccountToken(services, principal, parseInput(AccountTokenInput, tokenInput(entered)))
  );
  if (created.problem === null) return await newTokenReply(c, created.value);
  return await refusedAccountReply(c, { form: "tokens", problem: created.problem, entered });
};

export const deleteTokenByForm: PageHandler<SignedInAccount, "tokenId"> = async (c) => {
  const { services, principal } = c.var;
  const { problem } = await attempt(async () => {
    const id = requiredId(c.req.valid("param").tokenId);
    const deleted = await deleteAccountToken(services, principal, id);
    if (!deleted) throw new Problem("TOKEN_NOT_FOUND");
  });
  if (problem !== null) return await refusedAccountReply(c, { form: "tokens", problem });
  return seeOther(`${ACCOUNT}?done=token`);
};

export const saveAiKey: PageHandler<SignedInAccount> = async (c) => {
  const aiKey = (await c.var.body.form()).get("aiKey")?.trim() ?? "";
  const { services, principal } = c.var;
  const { problem } = await attempt(() => saveAccountKey(services, principal, aiKey));
  if (problem !== null) return await refusedAccountReply(c, { form: "ai-key", problem });
  return seeOther(`${ACCOUNT}?done=ai-key`);
};

export const clearAiKey: PageHandler<SignedInAccount> = async (c) => {
  const { services, principal } = c.var;
  await saveAccountKey(services, principal, null);
  return seeOther(`${ACCOUNT}?done=ai-key-cleared`);
};

export const deleteAccount: PageHandler<SignedInAccount> = async (c) => {
  const password = (await c.var.body.form()).get("password") ?? "";
  const { services, principal } = c.var;
  const given = { password, network: c.var.state.network };
  const { problem } = await attempt(() => deleteOwnAccount(services, principal, given));
  if (problem !== null) return await refusedAccountReply(c, { form: "delete", problem });
  const signedOut = sessionCookie(services.cookies, null);
  return seeOther("/dashboard/sign-in?done=deleted", [signedOut]);
};
