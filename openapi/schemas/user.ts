import { z } from "@hono/zod-openapi";
import { exactBytesText } from "@/lib/text/amounts.ts";
import {
  isRoles,
  isWebAddress,
  lineProblem,
  ROLE_PATTERN,
  WEB_ADDRESS_PATTERN,
} from "@/lib/auth/user_rules.ts";
import { USERNAME, USERNAME_PATTERN } from "@/lib/auth/users.ts";
import { FIELD_TYPE_NAMES } from "@/lib/store/field_types.ts";
import { ENTERED_EMAIL_PATTERN, isPlainEmail } from "@/lib/emails.ts";
import { LINE_PATTERN, nonEmptyText as filled } from "../inputs.ts";
import {
  AVATAR_URL_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PERSON_NAME_LENGTH_MAX,
  USER_CLAIMS_BYTES_MAX,
  USER_ROLES_MAX,
  USERNAME_LENGTH_MAX,
  USERNAME_LENGTH_MIN,
} from "@/lib/limits.ts";
import type { Json } from "@/lib/store/port.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const text = z.string().nullable();

const members = {
  _id: id,
  email: text.openapi({
    description: "Null if no provider verified an address, or if another user has it or one that " +
      "looks like it. Unique in the project: compared in lower case, in NFKC and without " +
      "invisible characters, shown as given.",
  }),
  emailVerified: z.boolean(),
  name: text,
  username: text.openapi({
    description: "Unique in the project in any letter case. A provider's username is used only " +
      "if it is valid and free.",
  }),
  avatarUrl: text,
  providers: z.array(
    z.strictObject({ provider: z.string(), providerUserId: z.string(), linkedAt: time }),
  ),
  isAnonymous: z.boolean().openapi({
    description:
      "Whether the user cannot sign in again yet. Signing up with this session ends that.",
  }),
  roles: z.array(z.string()).openapi({ description: "Set with the secret key or by members." }),
  claims: z.record(z.string(), z.unknown()).openapi({
    description: "Set with the secret key or by members.",
  }),
  createdAt: time,
  updatedAt: time,
  lastSignInAt: time.nullable().openapi({
    description:
      "Time at which the last session was opened, including by the command `token issue`.",
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
  isAnonymous: false,
  roles: ["editor"],
  claims: {},
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.000Z",
  lastSignInAt: "2026-01-31T12:00:00.000Z",
};

export const MANAGED_USER_EXAMPLE = { ...USER_EXAMPLE, disabled: false };

const FIELDS_NOTE = " It also has the fields that the project declares for its users.";

export const User = z.looseObject(members).openapi("User", {
  description: `A user's own profile.${FIELDS_NOTE}`,
  example: USER_EXAMPLE,
});

export const ManagedUser = z.looseObject({ ...members, disabled: z.boolean() })
  .openapi("ManagedUser", {
    description: `A user for the project's servers.${FIELDS_NOTE}`,
    example: MANAGED_USER_EXAMPLE,
  });

export const ManagedUserList = pageOf(ManagedUser, "ManagedUserList", MANAGED_USER_EXAMPLE);

const own = (name: string, lengthMax: number) =>
  z.string(`"${name}" must be text or null.`).refine(
    (text) => lineProblem(text, lengthMax) === null,
    {
      error: ({ input }) => `"${name}" ${lineProblem(input as string, lengthMax)}.`,
      abort: true,
    },
  ).openapi({ minLength: 1, maxLength: lengthMax, pattern: LINE_PATTERN });

const profile = {
  name: own("name", PERSON_NAME_LENGTH_MAX).nullable().openapi("PersonName", { example: "Ada" })
    .optional(),
  username: z.string('"username" must be text or null.').regex(
    USERNAME,
    `"username" must have ${USERNAME_LENGTH_MIN} to ${USERNAME_LENGTH_MAX} letters, digits, _, . or -.`,
  ).nullable().openapi("Username", {
    pattern: USERNAME_PATTERN,
    description: "Unique in the project in any letter case.",
  }).optional(),
  avatarUrl: own("avatarUrl", AVATAR_URL_LENGTH_MAX)
    .refine(isWebAddress, '"avatarUrl" must be an https address.').nullable()
    .openapi("AvatarUrl", { pattern: WEB_ADDRESS_PATTERN, description: "An https address." })
    .optional(),
};

/** Declares a body in which further members are fields that the project declares. */
function withFields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.looseObject(shape, { error: "Send one JSON object." }).transform((given) => {
    const known = Object.entries(given).filter(([name]) => names.includes(name));
    const fields = Object.entries(given).filter(([name]) => !names.includes(name));
    return {
      ...Object.fromEntries(known) as z.output<z.ZodObject<Shape>>,
      fields: Object.fromEntries(fields) as { [name: string]: Json }, // The body was JSON.
    };
  });
}

const INPUT_FIELDS_NOTE = "Fields that the project declares for its users can be sent too.";

/** Like {@linkcode withFields}, with at least one member. */
const changesOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  withFields(shape).refine(
    ({ fields, ...known }) => Object.keys(known).length + Object.keys(fields).length > 0,
    `Send ${Object.keys(shape).join(", ")} or a declared field.`,
  );

export const UserChanges = changesOf(profile).openapi("UserChanges", {
  minProperties: 1,
  description: INPUT_FIELDS_NOTE,
  example: { name: "Ada Lovelace" },
});

export const NEW_PASSWORD = {
  maxLength: PASSWORD_LENGTH_MAX,
  description:
    "At least `passwordLengthMin` characters; not the e-mail, its first part or a common password.",
};

export const SIGN_UP_EXAMPLE = {
  email: "ada@example.com",
  password: "a difference engine no. 2",
  name: "Ada",
};

const enteredEmail = () =>
  filled().trim().refine(isPlainEmail, {
    error: ({ path = [] }) => `"${String(path.at(-1))}" must be one plain address.`,
  });

export const plainEmail = () =>
  enteredEmail().openapi("PlainEmail", {
    pattern: ENTERED_EMAIL_PATTERN,
    description: "One plain address, shown as given without white space around it.",
  });

export const SignUp = withFields({
  email: plainEmail(),
  password: filled().openapi(NEW_PASSWORD),
  ...profile,
}).openapi("SignUp", { description: INPUT_FIELDS_NOTE, example: SIGN_UP_EXAMPLE });

const ROLES_RULE =
  `"roles" must be up to ${USER_ROLES_MAX} words of letters, digits, _, ., : or -.`;

const managed = {
  // A reference to `PlainEmail` would not admit null.
  email: enteredEmail().nullable().optional().openapi({ pattern: ENTERED_EMAIL_PATTERN }),
  emailVerified: z.boolean('"emailVerified" must be true or false.').optional(),
  password: filled().optional().openapi(NEW_PASSWORD),
  ...profile,
  disabled: z.boolean('"disabled" must be true or false.').optional().openapi({
    description: "A disabled user cannot sign in, and their sessions end at once.",
  }),
  roles: z.custom<string[]>(isRoles, ROLES_RULE).optional().openapi({
    type: "array",
    maxItems: USER_ROLES_MAX,
    items: { type: "string", pattern: ROLE_PATTERN },
    description: "Roles are included in the user's access tokens.",
  }),
  claims: z.custom<{ [name: string]: Json }>(isPlainObject, '"claims" must be an object.')
    .optional()
    .openapi({
      type: "object",
      additionalProperties: true,
      description: `Up to ${
        exactBytesText(USER_CLAIMS_BYTES_MAX)
      } of JSON, included in access tokens.`,
    }),
};

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const UserInput = withFields(managed).openapi("UserInput", {
  description: INPUT_FIELDS_NOTE,
  example: { email: "ada@example.com", emailVerified: true, roles: ["editor"] },
});

export const ManagedUserChanges = changesOf(managed).openapi("ManagedUserChanges", {
  minProperties: 1,
  description: `${INPUT_FIELDS_NOTE} A new e-mail is not verified unless \`emailVerified\` is ` +
    "sent. A new password, a new e-mail and disabling the user end all their sessions.",
  example: { disabled: true },
});

export const PUBLIC_USER_EXAMPLE = {
  _id: EXAMPLE_ID,
  username: "ada",
  name: "Ada",
  avatarUrl: "https://avatars.example.com/ada.png",
  createdAt: "2026-01-31T12:00:00.000Z",
};

export const PublicUser = z.looseObject({
  _id: id,
  username: text,
  name: text,
  avatarUrl: text,
  createdAt: time,
}).openapi("PublicUser", {
  description: "The public profile of a user, with the declared fields that are `public`.",
  example: PUBLIC_USER_EXAMPLE,
});

export const USER_FIELDS_EXAMPLE = [
  { key: "company", type: "String", public: true },
  { key: "newsletter", type: "Boolean", required: true },
];

const FIELDS_RULE = 'Send { "fields": […] }: a list of field definitions.';

export const UserFieldsInput = z.strictObject({
  fields: z.custom<{ [member: string]: unknown }[]>(
    (value) => Array.isArray(value) && value.every(isPlainObject),
    FIELDS_RULE,
  ).openapi({
    type: "array",
    items: {
      type: "object",
      required: ["key", "type"],
      additionalProperties: true,
      properties: {
        key: { type: "string" },
        type: { type: "string", enum: FIELD_TYPE_NAMES },
        public: {
          type: "boolean",
          default: false,
          description: "Whether every caller can read the field.",
        },
      },
    },
    description: "Definitions as in a collection, without `unique`, `index` and `search`.",
  }),
}, { error: FIELDS_RULE }).openapi("UserFieldsInput", {
  example: { fields: USER_FIELDS_EXAMPLE },
});

export const UserFieldList = z.strictObject({
  fields: z.array(z.looseObject({
    key: z.string(),
    type: z.enum(FIELD_TYPE_NAMES),
    required: z.boolean(),
    public: z.boolean(),
  })),
}).openapi("UserFieldList", {
  example: {
    fields: USER_FIELDS_EXAMPLE.map((field) => ({ required: false, public: false, ...field })),
  },
});

export const DeletedUser = z.strictObject({ id }).openapi("DeletedUser", {
  example: { id: EXAMPLE_ID },
});

export const EndedSessions = z.strictObject({
  ended: z.int().openapi({ description: "Number of ended sessions." }),
}).openapi("EndedSessions", { example: { ended: 2 } });
