import { z } from "@hono/zod-openapi";
import { ENTERED_EMAIL_PATTERN } from "@/lib/emails.ts";
import {
  CODE_MS,
  CODE_TRIES_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PERSON_NAME_LENGTH_MAX,
} from "@/lib/limits.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { bodyOf, bodyWithMessage, LINE_PATTERN, nonEmptyText } from "../inputs.ts";
import { EXAMPLE_ID, id, time } from "./values.ts";

export const ACCOUNT_EXAMPLE = {
  accountId: EXAMPLE_ID,
  email: "ada@example.com",
  emailVerified: false,
  name: "Ada",
  plan: "free",
  hasAiKey: false,
  createdAt: "2026-01-31T12:00:00.000Z",
};

export const Account = z.strictObject({
  accountId: id,
  email: z.string(),
  emailVerified: z.boolean().openapi({
    description: "Whether a code that was sent to the address has been entered.",
  }),
  name: z.string().nullable(),
  plan: z.enum(Object.keys(PLANS)),
  hasAiKey: z.boolean().openapi({ description: "Whether an AI key is stored for the account." }),
  createdAt: time,
}).openapi("Account", { description: "An account of the dashboard.", example: ACCOUNT_EXAMPLE });

const email = nonEmptyText().openapi({
  description: "One plain address, shown as given. It is compared in lower case, in NFKC, " +
    "without invisible characters and white space around it, and with its domain in ASCII, so " +
    "that addresses that look alike are equal.",
});
const password = nonEmptyText();
// The schema does not check passwords, because a weak one is refused with its own code.
const newPassword = nonEmptyText().openapi({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: PASSWORD_LENGTH_MAX,
  description: "Not the e-mail or its first part, one of about 2,900 well-known words (also with " +
    "a few digits or signs around or in them), or a keyboard sequence.",
});

export const CREDENTIALS_EXAMPLE = {
  email: "ada@example.com",
  password: "a difference engine no. 2",
};

export const Credentials = bodyOf({ email, password })
  .openapi("Credentials", { example: CREDENTIALS_EXAMPLE });

export const Registration = bodyOf({
  email: email.openapi({ pattern: ENTERED_EMAIL_PATTERN }),
  password: newPassword,
  name: nonEmptyText().openapi({ maxLength: PERSON_NAME_LENGTH_MAX, pattern: LINE_PATTERN })
    .nullable().optional(),
  invitation: nonEmptyText().nullable().optional().openapi({
    description: "The end of the link of an invitation.",
  }),
}).openapi("Registration", { example: { ...CREDENTIALS_EXAMPLE, name: "Ada" } });

const NAME =
  `Send { "name": "…" }: one line of 1 to ${PERSON_NAME_LENGTH_MAX} characters, or null.`;

export const AccountChanges = bodyWithMessage(NAME, (error) => ({
  name: z.string({ error }).nullable()
    .openapi({ minLength: 1, maxLength: PERSON_NAME_LENGTH_MAX, pattern: LINE_PATTERN }),
})).openapi("AccountChanges", { example: { name: "Ada" } });

export const SignedOut = z.strictObject({}).openapi("SignedOut", { example: {} });

const NEW_PASSWORD_EXAMPLE = "an analytical engine no. 1";

export const PASSWORD_CHANGE_EXAMPLE = {
  currentPassword: CREDENTIALS_EXAMPLE.password,
  newPassword: NEW_PASSWORD_EXAMPLE,
};

export const PasswordChange = bodyOf({ currentPassword: password, newPassword })
  .openapi("PasswordChange", { example: PASSWORD_CHANGE_EXAMPLE });

const otp = nonEmptyText().openapi({
  description: `The six digits that were sent. They can be used once within ${CODE_MS / 60_000} ` +
    `minutes, and expire after ${CODE_TRIES_MAX} wrong tries.`,
});

export const AccountPasswordReset = bodyOf({ email, otp, newPassword })
  .openapi("AccountPasswordReset", {
    example: { email: CREDENTIALS_EXAMPLE.email, otp: "174503", newPassword: NEW_PASSWORD_EXAMPLE },
  });

export const PasswordInput = bodyOf({ password })
  .openapi("PasswordInput", { example: { password: CREDENTIALS_EXAMPLE.password } });

export const DeletedAccount = z.strictObject({ accountId: id })
  .openapi("DeletedAccount", { example: { accountId: EXAMPLE_ID } });
