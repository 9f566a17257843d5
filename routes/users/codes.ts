import { told, toldVerified } from "@/lib/http/respond.ts";
import { Problem } from "@/lib/problems.ts";
import { changeEmail, changePassword, confirmEmailChange } from "@/lib/users/change_credentials.ts";
import { resetPassword, verifyEmail } from "@/lib/users/prove_email.ts";
import { requestCode } from "@/lib/users/send_code.ts";
import type * as email from "@/openapi/paths/user_email.ts";
import type { HandlerOf, OperationContext } from "../handler.ts";
import { visitor } from "./visitor.ts";

export const handleVerifyEmail: HandlerOf<typeof email.verifyEmail> = async (c) => {
  const { services, principal: { holder, userId }, state: { network } } = c.var;
  const entered = c.req.valid("json");
  return toldVerified(
    await verifyEmail(services, holder.projectId, entered, { userId, network }),
  );
};

export const handleResendVerification: HandlerOf<typeof email.resendVerification> = async (c) => {
  const request = { purpose: "verify", ...asked(c) } as const;
  await requestCode(c.var.services, c.var.principal.projectId, request);
  return told("If it can be verified, a code is on its way");
};

export const handleRequestPasswordReset: HandlerOf<typeof email.requestPasswordReset> = async (
  c,
) => {
  const request = { purpose: "resetPassword", ...asked(c) } as const;
  await requestCode(c.var.services, c.var.principal.projectId, request);
  return told("If a user has this e-mail, a code is on its way");
};

export const handleRequestCode: HandlerOf<typeof email.requestCode> = async (c) => {
  const { services, principal: { projectId, auth } } = c.var;
  if (!auth.emailCode) throw new Problem("SIGN_IN_METHOD_OFF");
  await requestCode(services, projectId, { purpose: "code", ...asked(c) });
  return told("If it can sign in here, a code is on its way");
};

export const handleResetPassword: HandlerOf<typeof email.resetPassword> = async (c) => {
  const { services, principal } = c.var;
  await resetPassword(services, principal, c.req.valid("json"), visitor(c));
  return told("Password reset");
};

export const handleChangeUserPassword: HandlerOf<typeof email.changeUserPassword> = async (c) => {
  const { services, principal } = c.var;
  await changePassword(services, principal, c.req.valid("json"), visitor(c));
  return told("Password changed");
};

export const handleChangeEmail: HandlerOf<typeof email.changeEmail> = async (c) => {
  const { services, principal } = c.var;
  await changeEmail(services, principal, c.req.valid("json"), visitor(c));
  return told("If nobody has this e-mail, a code is on its way");
};

export const handleConfirmEmailChange: HandlerOf<typeof email.confirmEmailChange> = async (c) => {
  const { services, principal } = c.var;
  await confirmEmailChange(services, principal, c.req.valid("json").otp, visitor(c));
  return told("E-mail changed");
};

type AskingContext = OperationContext<unknown, {
  json: { readonly email: string };
  header: { readonly "accept-language": string | null };
}>;

const asked = ({ req }: AskingContext) => ({
  email: req.valid("json").email,
  language: req.valid("header")["accept-language"],
});
