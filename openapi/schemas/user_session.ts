import { z } from "@hono/zod-openapi";
import { ACCESS_TOKEN_SECONDS, CODE_MS, CODE_TRIES_MAX } from "@/lib/limits.ts";
import { bodyOf, text } from "../inputs.ts";
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
    description: "With `x-refresh-token-mode: header` only; else the cookie holds it.",
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
  description:
    "A session; or, where the project requires a verified e-mail, that a code is on its " +
    "way, whoever has the address.",
  example: USER_SESSION_EXAMPLE,
});

const address = text();
const email = plainEmail();
const password = text();
const newPassword = text().openapi("NewPassword", NEW_PASSWORD);
const otp = text().openapi({
  description: `The six digits that were sent. They are good for ${CODE_MS / 60_000} minutes and ` +
    `once, and dead after ${CODE_TRIES_MAX} wrong tries.`,
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
    description:
      "The password that was chosen at sign-up, which is kept then. A request with the " +
      "user's session keeps it without this.",
  }),
}).openapi("EmailVerification", { example: { email: "ada@example.com", otp: "174503" } });

export const EmailVerified = z.strictObject({
  message: z.string(),
  passwordDropped: z.literal(true).optional().openapi({
    description:
      "Sent if the password that was set before is no longer good: let the user choose " +
      "another one with a code that resets it.",
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
  password: password.optional().openapi({ description: "Of a user who has one." }),
}).openapi("EmailChange", {
  example: { newEmail: "ada@example.org", password: "a difference engine no. 2" },
});

export const AccountEmailChange = bodyOf({ newEmail: email, password })
  .openapi("AccountEmailChange", {
    example: { newEmail: "ada@example.org", password: "a difference engine no. 2" },
  });

export const EmailChangeCode = bodyOf({ otp })
  .openapi("EmailChangeCode", { example: { otp: "174503" } });

/** What clients type as `{ message }`. */
export const Told = z.strictObject({ message: z.string() })
  .openapi("Told", { example: { message: "Password changed" } });

export const ChangedProfile = User.extend({ message: z.string() }).openapi("ChangedProfile", {
  description: "The user, and the message once more for clients that look for it here.",
  example: { ...USER_EXAMPLE, message: "User changed" },
});
