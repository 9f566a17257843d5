import { findAccountByCookie } from "@/lib/accounts/account_sessions.ts";
import { changeAccountEmail, confirmAccountEmail } from "@/lib/accounts/change_email.ts";
import { toAccountDetails } from "@/lib/accounts/own_account.ts";
import { resetAccountPassword, verifyAccountEmail } from "@/lib/accounts/prove_email.ts";
import { requestAccountCode } from "@/lib/accounts/send_code.ts";
import { emailVerifiedReply, messageReply, ok } from "@/lib/http/respond.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { ACCOUNT_EMAIL } from "@/openapi/paths/account_email.ts";
import type { HandlersOf } from "../handler.ts";

export const accountEmail: HandlersOf<typeof ACCOUNT_EMAIL> = {
  verifyAccountEmail: async (c) => {
    const { services, state: { network } } = c.var;
    const session = await findAccountByCookie(services, c.req.header("cookie") ?? null);
    const verifier = { accountId: session?.accountId ?? null, network };
    return emailVerifiedReply(await verifyAccountEmail(services, c.req.valid("json"), verifier));
  },

  resendAccountVerification: async (c) => {
    const { email } = c.req.valid("json");
    await requestAccountCode(c.var.services, { purpose: "verify", email });
    return messageReply("If it can be verified, a code is on its way");
  },

  requestAccountPasswordReset: async (c) => {
    const { email } = c.req.valid("json");
    await requestAccountCode(c.var.services, { purpose: "resetPassword", email });
    return messageReply("If an account has this e-mail, a code is on its way");
  },

  resetAccountPassword: async (
    c,
  ) => {
    await resetAccountPassword(c.var.services, c.req.valid("json"), c.var.state);
    return messageReply("Password reset");
  },

  changeAccountEmail: async (c) => {
    const { services, principal, state } = c.var;
    const given = { ...c.req.valid("json"), network: state.network };
    await changeAccountEmail(services, principal, given);
    return messageReply("If no account has this e-mail, a code is on its way");
  },

  confirmAccountEmail: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const account = await confirmAccountEmail(services, principal, c.req.valid("json").otp);
    return ok(200, jsonText(toAccountDetails(account)), "E-mail changed");
  },
};
