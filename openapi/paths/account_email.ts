import { answered } from "../answers.ts";
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
import { COUNTED, countedByAddress, dashboardSession, ownPages } from "../security.ts";
import { EMAIL_VERIFIED, SAME_ANSWER, told } from "../told.ts";

const TAG = "Accounts";

const { email } = CREDENTIALS_EXAMPLE;

export const verifyAccountEmail = contract({
  operationId: "verifyAccountEmail",
  tag: TAG,
  method: "post",
  path: "/api/auth/verify-email",
  summary: "Verify an account's e-mail with a code",
  description:
    "Takes the code that registering sent, or the newest that was sent since. Send the " +
    "account's session cookie or its password. Without either the code proves the mailbox, but not " +
    "that its owner registered: then the password, sessions and tokens that the account had are " +
    `dropped. ${COUNTED}`,
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
  description: `${SAME_ANSWER} ${COUNTED}`,
  security: countedByAddress(ownPages),
  body: { schema: EmailAddress, example: { email }, description: "The address." },
  success: [
    told(
      "A code is sent, if there is an account to verify.",
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
  description: `${SAME_ANSWER} ${COUNTED}`,
  security: countedByAddress(ownPages),
  body: { schema: EmailAddress, example: { email }, description: "The address." },
  success: [
    told(
      "A code is sent, if an account has the address.",
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
    "All sessions of the account end, and its other codes are good no more. Whoever has " +
    `the code has the mailbox: the address counts as verified. Nobody is signed in. ${COUNTED}`,
  security: countedByAddress(ownPages),
  body: {
    schema: AccountPasswordReset,
    example: { email, otp: "174503", newPassword: "an analytical engine no. 1" },
    description: "The address, its code and the new password.",
  },
  success: [told("The password is set.", "Password reset")],
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "INVALID_PASSWORD", "PASSWORDS_BUSY"],
});

export const changeAccountEmail = contract({
  operationId: "changeAccountEmail",
  tag: TAG,
  method: "post",
  path: "/api/auth/change-email",
  summary: "Send a code to the signed-in account's next e-mail",
  description:
    "Nothing changes before the code is confirmed. The answer is the same where another " +
    `account has that address; then nothing is sent. ${COUNTED}`,
  security: countedByAddress(dashboardSession),
  body: {
    schema: AccountEmailChange,
    example: { newEmail: "ada@example.org", password: CREDENTIALS_EXAMPLE.password },
    description: "The next address, and the account's password.",
  },
  success: [
    told(
      "A code is sent, if no account has the address.",
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
  description: "The account signs in by it from now on. The address before is told, if it was " +
    "verified and mail can be sent. Codes that were sent before are good no more.",
  security: countedByAddress(dashboardSession),
  body: {
    schema: EmailChangeCode,
    example: { otp: "174503" },
    description: "The code that was sent to the next address.",
  },
  success: answered("E-mail changed", "The account, with the address verified.", {
    data: Account,
    example: { ...ACCOUNT_EXAMPLE, email: "ada@example.org", emailVerified: true },
  }),
  problems: ["INVALID_CODE", "SIGN_IN_LOCKED", "ACCOUNT_EXISTS"],
});

/** In the order of the reference. */
export const ACCOUNT_EMAIL = {
  verifyAccountEmail,
  resendAccountVerification,
  requestAccountPasswordReset,
  resetAccountPassword,
  changeAccountEmail,
  confirmAccountEmail,
};
