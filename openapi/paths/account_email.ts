import { CODE_PAUSE_MS, CODES_PER_HOUR, SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { AccountPasswordReset, CREDENTIALS_EXAMPLE } from "../schemas/account.ts";
import { EmailAddress, EmailCode, Told } from "../schemas/user_session.ts";
import { COUNTED, countedByAddress, ownPages } from "../security.ts";

const TAG = "Accounts";

const { email } = CREDENTIALS_EXAMPLE;
const small = { bytesMax: SMALL_BODY_BYTES_MAX } as const;

const told = (description: string, message: string) => ({
  status: 200,
  description,
  data: Told,
  example: { message },
  message,
});

const SAME_ANSWER =
  "The answer is the same, and takes the same time, whoever has the address. To one address goes " +
  `one code a purpose within ${
    CODE_PAUSE_MS / 1000
  } seconds and ${CODES_PER_HOUR} within an hour; ` +
  `beyond that nothing is sent. ${COUNTED}`;

export const verifyAccountEmail = contract({
  operationId: "verifyAccountEmail",
  tag: TAG,
  method: "post",
  path: "/api/auth/verify-email",
  summary: "Verify an account's e-mail with a code",
  description:
    `Takes the code that registering sent, or the newest that was sent since. ${COUNTED}`,
  security: countedByAddress(ownPages),
  body: {
    schema: EmailCode,
    example: { email, otp: "174503" },
    description: "The address and its code.",
    ...small,
  },
  success: [told("The address is verified.", "E-mail verified")],
  problems: ["INVALID_CODE"],
});

export const resendAccountVerification = contract({
  operationId: "resendAccountVerification",
  tag: TAG,
  method: "post",
  path: "/api/auth/resend-verification",
  summary: "Send an account another code to verify its e-mail",
  description: SAME_ANSWER,
  security: countedByAddress(ownPages),
  body: { schema: EmailAddress, example: { email }, description: "The address.", ...small },
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
  description: SAME_ANSWER,
  security: countedByAddress(ownPages),
  body: { schema: EmailAddress, example: { email }, description: "The address.", ...small },
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
    ...small,
  },
  success: [told("The password is set.", "Password reset")],
  problems: ["INVALID_CODE", "INVALID_PASSWORD", "PASSWORDS_BUSY"],
});

/** In the order of the reference. */
export const ACCOUNT_EMAIL = [
  verifyAccountEmail,
  resendAccountVerification,
  requestAccountPasswordReset,
  resetAccountPassword,
];
