import { z } from "@hono/zod-openapi";
import { ACCESS_TOKEN_SECONDS, CODE_MS, CODE_TRIES_MAX } from "@/lib/limits.ts";
import { bodyOf, nonEmptyText } from "../inputs.ts";
import { ACCESS_TOKEN_EXAMPLE, REFRESH_TOKEN_EXAMPLE } from "./session.ts";
import { NEW_PASSWORD, plainEmail, User, USER_EXAMPLE } from "./user.ts";
import { EXAMPLE_ID, id } from "./values.ts";

export const USER_SESSION_EXAMPLE = {
  accessToken: ACCESS_TOKEN_EXAMPLE,
  token: ACCESS_TOKEN_EXAMPLE,
  expiresIn: ACCESS_TOKEN_SECONDS,
  userId: EXAMPLE_ID,
  user: { ...USER_EXAMPLE, providers: [] },
  refreshToken: REFRESH_TOKEN_EXAMPLE,
};

const session = {
  accessToken: z.string(),
  token: z.string().openapi({ description: "Repeats `accessToken`." }),
  expiresIn: z.int().openapi({ description: "Seconds until the access token expires." }),
  userId: id,
  user: User,
  refreshToken: z.string().optional().openapi({
    description: "Only with `x-refresh-token-mode: header`; otherwise it is in the cookie.",
  }),
};

export const UserSession = z.strictObject(session)
  .openapi("UserSession", { example: USER_SESSION_EXAMPLE });

export const SignedUp = z.union([
  UserSession,
  z.strictObject({ verificationRequired: z.literal(true) }).openapi("VerificationRequired", {
    example: { verificationRequired: true },
  }),
]).openapi("SignedUp", {
  description: "A session. If the project requires a verified e-mail: a note that a code has " +
    "been sent, whether or not the address has a user.",
  example: USER_SESSION_EXAMPLE,
});

const address = nonEmptyText();
const email = plainEmail();
const password = nonEmptyText();
const newPassword = nonEmptyText().openapi("NewPassword", NEW_PASSWORD);
const otp = nonEmptyText().openapi({
  description: `The six digits that were sent. They can be used once within ${CODE_MS / 60_000} ` +
    `minutes, and expire after ${CODE_TRIES_MAX} wrong tries.`,
});

export const LogIn = bodyOf({ email: address, password }).openapi("LogIn", {
  example: { email: "ada@example.com", password: "a difference engine no. 2" },
});

export const EmailAddress = bodyOf({ email })
  .openapi("EmailAddress", { example: { email: "ada@example.com" } });

export const EmailCode = bodyOf({ email: address, otp })
  .openapi("EmailCode", { example: { email: "ada@example.com", otp: "174503" } });

export const EmailVerification = bodyOf({
  email: address,
  otp,
  password: password.optional().openapi({
    description: "The password from the sign-up. If it is sent, it stays valid; a request with " +
      "the user's session need not send it.",
  }),
}).openapi("EmailVerification", { example: { email: "ada@example.com", otp: "174503" } });

export const EmailVerified = z.strictObject({
  message: z.string(),
  passwordDropped: z.literal(true).optional().openapi({
    description: "Sent if the previous password is no longer valid: let the user choose another " +
      "with a reset code.",
  }),
}).openapi("EmailVerified", { example: { message: "E-mail verified" } });

export const PasswordReset = bodyOf({ email: address, otp, newPassword }).openapi("PasswordReset", {
  example: { email: "ada@example.com", otp: "174503", newPassword: "an analytical engine no. 3" },
});

export const UserPasswordChange = bodyOf({ currentPassword: password, newPassword })
  .openapi("UserPasswordChange", {
    example: {
      currentPassword: "a difference engine no. 2",
      newPassword: "an analytical engine no. 3",
    },
  });

export const EmailChange = bodyOf({
  newEmail: email,
  password: password.optional().openapi({ description: "Required if the user has a password." }),
}).openapi("EmailChange", {
  example: { newEmail: "ada@example.org", password: "a difference engine no. 2" },
});

export const AccountEmailChange = bodyOf({ newEmail: email, password })
  .openapi("AccountEmailChange", {
    example: { newEmail: "ada@example.org", password: "a difference engine no. 2" },
  });

export const EmailChangeCode = bodyOf({ otp })
  .openapi("EmailChangeCode", { example: { otp: "174503" } });

export const MessageOnly = z.strictObject({ message: z.string() })
  .openapi("Told", { example: { message: "Password changed" } });

export const ChangedProfile = User.extend({ message: z.string() }).openapi("ChangedProfile", {
  description: "The user, with the message repeated for clients that read it here.",
  example: { ...USER_EXAMPLE, message: "User changed" },
});
