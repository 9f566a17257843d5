import { z } from "@hono/zod-openapi";
import { shown, textProblem } from "@/lib/text/input_text.ts";
import { bodySaying, LINE_PATTERN } from "../inputs.ts";
import {
  AVATAR_URL_LENGTH_MAX,
  PERSON_NAME_LENGTH_MAX,
  USERNAME_LENGTH_MAX,
} from "@/lib/limits.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const text = z.string().nullable();

const members = {
  _id: id,
  email: text.openapi({
    description: "Null where no provider verified one, or another user has it or one that looks " +
      "like it. Unique within the project: compared in lower case, in NFKC and without invisible " +
      "characters, shown as given.",
  }),
  emailVerified: z.boolean(),
  name: text,
  username: text,
  avatarUrl: text,
  providers: z.array(
    z.strictObject({ provider: z.string(), providerUserId: z.string(), linkedAt: time }),
  ),
  createdAt: time,
  updatedAt: time,
  lastSignInAt: time.nullable().openapi({
    description: "When a session was opened last, by the command `token issue` too.",
  }),
};

export const USER_EXAMPLE = {
  _id: EXAMPLE_ID,
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada",
  username: "ada",
  avatarUrl: "https://avatars.example.com/ada.png",
  providers: [
    { provider: "github", providerUserId: "1815", linkedAt: "2026-01-31T12:00:00.000Z" },
  ],
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.000Z",
  lastSignInAt: "2026-01-31T12:00:00.000Z",
};

export const MANAGED_USER_EXAMPLE = { ...USER_EXAMPLE, disabled: false };

export const User = z.strictObject(members).openapi("User", {
  description: "A user as they see themselves.",
  example: USER_EXAMPLE,
});

export const ManagedUser = z.strictObject({ ...members, disabled: z.boolean() })
  .openapi("ManagedUser", {
    description: "A user as the project's servers see them.",
    example: MANAGED_USER_EXAMPLE,
  });

export const ManagedUserList = pageOf(ManagedUser, "ManagedUserList", MANAGED_USER_EXAMPLE);

const CHANGEABLE = "name, username or avatarUrl";
const CONTROL = /\p{Cc}/u;

/** Why a text cannot be this member of a user; null if it can. */
function ownProblem(text: string, lengthMax: number): string | null {
  if (text.trim() === "" || text.length > lengthMax) {
    return `must have 1 to ${lengthMax} characters`;
  }
  return textProblem(text) ?? (CONTROL.test(text) ? "contains a control character" : null);
}

const own = (name: string, lengthMax: number) =>
  z.string(`"${name}" must be text or null.`).refine(
    (text) => ownProblem(text, lengthMax) === null,
    {
      error: ({ input }) => `"${name}" ${ownProblem(input as string, lengthMax)}.`,
      abort: true,
    },
  ).openapi({ minLength: 1, maxLength: lengthMax, pattern: LINE_PATTERN });

const WEB_ADDRESS_PATTERN = "^https://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$";
const WEB_ADDRESS = new RegExp(WEB_ADDRESS_PATTERN);

const isWebAddress = (text: string): boolean =>
  WEB_ADDRESS.test(text) && URL.parse(text)?.protocol === "https:";

export const UserChanges = z.strictObject({
  name: own("name", PERSON_NAME_LENGTH_MAX).nullable().optional(),
  username: own("username", USERNAME_LENGTH_MAX).nullable().optional()
    .openapi({ description: "Need not be unique." }),
  avatarUrl: own("avatarUrl", AVATAR_URL_LENGTH_MAX)
    .refine(isWebAddress, '"avatarUrl" must be an https address.').nullable().optional()
    .openapi({ pattern: WEB_ADDRESS_PATTERN, description: "An https address." }),
}, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `${shown(issue.keys[0]!)} cannot be changed: send ${CHANGEABLE}.`
      : "Send one JSON object.",
}).refine((changes) => Object.keys(changes).length > 0, `Send ${CHANGEABLE}.`)
  .openapi("UserChanges", { minProperties: 1, example: { name: "Ada Lovelace" } });

export const Disabling = bodySaying('Send { "disabled": true } or false.', (error) => ({
  disabled: z.boolean({ error }),
}))
  .openapi("Disabling", { example: { disabled: true } });

export const DeletedUser = z.strictObject({ id }).openapi("DeletedUser", {
  example: { id: EXAMPLE_ID },
});

export const EndedSessions = z.strictObject({
  ended: z.int().openapi({ description: "How many sessions stood." }),
}).openapi("EndedSessions", { example: { ended: 2 } });
