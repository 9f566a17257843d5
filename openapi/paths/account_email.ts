import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import {
  Account,
  ACCOUNT_EXAMPLE,
  AccountPasswordReset,
  CREDENTIALS_EXAMPLE,
} from "../schemas/account.ts";
import {
  AccountEmailChange,
  EmailAddress,
  EmailChangeCode,
  EmailVerification,
} from "../schemas/user_session.ts";
import { countedByAddress, DASHBOARD_RATE_NOTE, dashboardSession, ownPages } from "../security.ts";
import { EMAIL_VERIFIED, messageAnswer, SAME_ANSWER } from "../message_answers.ts";

const TAG = "Accounts";

const { email } = CREDENTIALS_EXAMPLE;

export const verifyAccountEmail = contract({
  operationId: "verifyAccountEmail",
  tag: TAG,
  method: "post",
  path: "/api/auth/verify-email",
  summary: "Verify an account's e-mail with a code",
  description:
    "Accepts the code of the registration, or the newest one since. Send the account's " +
    "session cookie or its password. Without either, the code proves access to the mailbox, but not " +
    "that its owner registered, so the account's password, sessions and tokens are removed. " +
    DASHBOARD_RATE_NOTE,
  security: countedByAddress(ownPages),
  body: {
    schema: EmailVerification,
    example: { email, otp: "174503" },
    description: "The address and its code, and the password if there is no session.",
  },
  success: [EMAIL_VERIFIED],
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "PASSWORD_WRONG", "PASSWORDS_BUSY"],
});

export const resendAccountVerification = contract({
  operationId: "resendAccountVerification",
  tag: TAG,
  method: "post",
  path: "/api/auth/resend-verification",
  summary: "Send an account another code to verify its e-mail",
  description: `${SAME_ANSWER} ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(ownPages),
  body: { schema: EmailAddress, example: { email }, description: "The address." },
  success: [
    messageAnswer(
      "A code is sent if the address can be verified.",
      "If it can be verified, a code is on its way",
    ),
  ],
  problems: ["MAIL_NOT_CONFIGURED"],
});

export const requestAccountPasswordReset = contract({
  operationId: "requestAccountPasswordReset",
  tag: TAG,
  method: "post",
  path: "/api/auth/request-password-reset",
  summary: "Send an account a code to reset its password",
  description: `${SAME_ANSWER} ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(ownPages),
  body: { schema: EmailAddress, example: { email }, description: "The address." },
  success: [
    messageAnswer(
      "A code is sent if an account has the address.",
      "If an account has this e-mail, a code is on its way",
    ),
  ],
  problems: ["MAIL_NOT_CONFIGURED"],
});

export const resetAccountPassword = contract({
  operationId: "resetAccountPassword",
  tag: TAG,
  method: "post",
  path: "/api/auth/reset-password",
  summary: "Reset an account's password with a code",
  description:
    "Ends all sessions of the account and invalidates its other codes. The code proves " +
    "access to the mailbox, so the address is verified. It does not open a session. " +
    DASHBOARD_RATE_NOTE,
  security: countedByAddress(ownPages),
  body: {
    schema: AccountPasswordReset,
    example: { email, otp: "174503", newPassword: "an analytical engine no. 1" },
    description: "The address, its code and the new password.",
  },
  success: [messageAnswer("The password is set.", "Password reset")],
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "INVALID_PASSWORD", "PASSWORDS_BUSY"],
});

export const changeAccountEmail = contract({
  operationId: "changeAccountEmail",
  tag: TAG,
  method: "post",
  path: "/api/auth/change-email",
  summary: "Send a code to the signed-in account's next e-mail",
  description: "Nothing changes before the code is confirmed. If another account has the " +
    `address, the answer is the same, but no code is sent. ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(dashboardSession),
  body: {
    schema: AccountEmailChange,
    example: { newEmail: "ada@example.org", password: CREDENTIALS_EXAMPLE.password },
    description: "The new address, and the account's password.",
  },
  success: [
    messageAnswer(
      "A code is sent if the address is free.",
      "If no account has this e-mail, a code is on its way",
    ),
  ],
  problems: ["PASSWORD_WRONG", "SIGN_IN_LOCKED", "PASSWORDS_BUSY", "MAIL_NOT_CONFIGURED"],
});

export const confirmAccountEmail = contract({
  operationId: "confirmAccountEmail",
  tag: TAG,
  method: "post",
  path: "/api/auth/confirm-email-change",
  summary: "Give the signed-in account its next e-mail",
  description: "The account then signs in with the new address. The previous address gets a " +
    "mail, if it was verified and mail can be sent. Earlier codes become invalid.",
  security: countedByAddress(dashboardSession),
  body: {
    schema: EmailChangeCode,
    example: { otp: "174503" },
    description: "The code that was sent to the new address.",
  },
  success: okAnswer("E-mail changed", "The account, with the address verified.", {
    data: Account,
    example: { ...ACCOUNT_EXAMPLE, email: "ada@example.org", emailVerified: true },
  }),
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "ACCOUNT_EXISTS"],
});

export const ACCOUNT_EMAIL = {
  verifyAccountEmail,
  resendAccountVerification,
  requestAccountPasswordReset,
  resetAccountPassword,
  changeAccountEmail,
  confirmAccountEmail,
};
