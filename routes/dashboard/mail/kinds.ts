import type { LoggedMail } from "@/lib/mail/log.ts";

/** What a mail is for. */
export const KINDS: Readonly<Record<LoggedMail["kind"], string>> = {
  verify: "Verify an e-mail",
  resetPassword: "Reset a password",
  code: "Sign in by a code",
  emailChange: "Confirm a new e-mail",
  emailChanged: "An e-mail was changed",
  accountExists: "An account exists already",
  invitation: "Invitation",
  webhookFailed: "A webhook does not get through",
  custom: "Sent by your application",
};
