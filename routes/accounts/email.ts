import { resetAccountPassword, verifyAccountEmail } from "@/lib/accounts/prove_email.ts";
import { requestAccountCode } from "@/lib/accounts/send_code.ts";
import { told } from "@/lib/http/respond.ts";
import type * as email from "@/openapi/paths/account_email.ts";
import type { HandlerOf } from "../handler.ts";

export const handleVerifyAccountEmail: HandlerOf<typeof email.verifyAccountEmail> = async (c) => {
  await verifyAccountEmail(c.var.services, c.req.valid("json"));
  return told("E-mail verified");
};

export const handleResendAccountVerification: HandlerOf<typeof email.resendAccountVerification> =
  async (c) => {
    const { email } = c.req.valid("json");
    await requestAccountCode(c.var.services, { purpose: "verify", email });
    return told("If it can be verified, a code is on its way");
  };

export const handleRequestAccountPasswordReset: HandlerOf<
  typeof email.requestAccountPasswordReset
> = async (c) => {
  const { email } = c.req.valid("json");
  await requestAccountCode(c.var.services, { purpose: "resetPassword", email });
  return told("If an account has this e-mail, a code is on its way");
};

export const handleResetAccountPassword: HandlerOf<typeof email.resetAccountPassword> = async (
  c,
) => {
  await resetAccountPassword(c.var.services, c.req.valid("json"), c.var.state);
  return told("Password reset");
};
