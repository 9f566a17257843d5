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
import { bodyOf, bodySaying, LINE_PATTERN, text } from "../inputs.ts";
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

const email = text().openapi({
  description:
    "One plain address, shown as given. It is compared in lower case, in NFKC, without invisible " +
    "characters and white space around it, and with its domain in ASCII: what looks like a known " +
    "address is that address.",
});
const password = text();
// What is no password to take is refused with a code of its own, and so not by the schema.
const newPassword = text().openapi({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: PASSWORD_LENGTH_MAX,
  description:
    "Not the e-mail or its first part, nor one of about 2,900 well-known words (also with " +
    "a few digits or signs around or in them) and walks over the keyboard.",
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
  name: text().openapi({ maxLength: PERSON_NAME_LENGTH_MAX, pattern: LINE_PATTERN })
    .nullable().optional(),
  invitation: text().nullable().optional().openapi({
    description: "What the link of an invitation ends with.",
  }),
}).openapi("Registration", { example: { ...CREDENTIALS_EXAMPLE, name: "Ada" } });

const NAME =
  `Send { "name": "…" }: one line of 1 to ${PERSON_NAME_LENGTH_MAX} characters, or null.`;

export const AccountChanges = bodySaying(NAME, (error) => ({
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

const otp = text().openapi({
  description: `The six digits that were sent. They are good for ${CODE_MS / 60_000} minutes and ` +
    `once, and dead after ${CODE_TRIES_MAX} wrong tries.`,
});

export const AccountPasswordReset = bodyOf({ email, otp, newPassword })
  .openapi("AccountPasswordReset", {
    example: { email: CREDENTIALS_EXAMPLE.email, otp: "174503", newPassword: NEW_PASSWORD_EXAMPLE },
  });

export const PasswordInput = bodyOf({ password })
  .openapi("PasswordInput", { example: { password: CREDENTIALS_EXAMPLE.password } });

export const DeletedAccount = z.strictObject({ accountId: id })
  .openapi("DeletedAccount", { example: { accountId: EXAMPLE_ID } });
