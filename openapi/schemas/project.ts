import { z } from "@hono/zod-openapi";
import { bodyWithMessage, LINE_PATTERN, unexpectedMember } from "../inputs.ts";
import { quoted } from "@/lib/text/input_text.ts";
import { didYouMean } from "@/lib/text/nearest.ts";
import { ID_ANY_CASE } from "@/lib/ids.ts";
import { ALLOWED_ORIGINS_MAX, PASSWORD_LENGTH_MIN, PROJECT_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { AUTH_DEFAULTS } from "@/lib/projects/auth_settings.ts";
import { FILE_DEFAULTS } from "@/lib/projects/file_settings.ts";
import { ROLES } from "@/lib/projects/members.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { ADDRESS_LENGTH_MAX } from "@/lib/projects/settings.ts";
import { fileSettings, givenFiles } from "./file_settings.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const SITE_URL = "The origin of the front end, without a path: https, or http on localhost, " +
  "127.0.0.1 or [::1].";
const ALLOWED_ORIGINS =
  "If origins are listed, the publishable key works only from these. Each is an exact origin " +
  "without a path.";

const settings = {
  siteUrl: z.string().nullable().openapi({ description: SITE_URL }),
  allowedOrigins: z.array(z.string()).openapi({ description: ALLOWED_ORIGINS }),
};

const name = z.string().min(1).max(PROJECT_NAME_LENGTH_MAX);

export const plan = z.enum(Object.keys(PLANS) as [keyof typeof PLANS]).openapi({
  description: "The plan of the project's owner.",
});

export const role = z.enum(ROLES);

export const SETTINGS_EXAMPLE = {
  name: "Blog",
  siteUrl: "https://blog.example.com",
  allowedOrigins: [],
};

const ADDRESS = { maxLength: ADDRESS_LENGTH_MAX, format: "uri" };

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Settings from the owner. The verbs check their values, with codes of their own. */
const given = {
  name: z.string({
    error: ({ input }) => input === undefined ? '"name" is missing.' : '"name" must be text.',
  }).openapi({ minLength: 1, maxLength: PROJECT_NAME_LENGTH_MAX, pattern: LINE_PATTERN }),
  siteUrl: z.string('"siteUrl" must be text.').openapi({ ...ADDRESS }).nullable().optional()
    .openapi({ description: SITE_URL }),
  // A schema of an array would report a fault for each of possibly tens of thousands of items.
  allowedOrigins: z.custom<readonly string[]>(isTexts, {
    error: ({ input }) => `"allowedOrigins" must be ${Array.isArray(input) ? "text" : "a list"}.`,
  }).optional().openapi({
    type: "array",
    items: { type: "string", ...ADDRESS },
    maxItems: ALLOWED_ORIGINS_MAX,
    description: ALLOWED_ORIGINS,
  }),
};

const flag = (name: string) => z.boolean(`"auth.${name}" must be true or false.`).optional();

const LENGTH =
  `"auth.passwordLengthMin" must be a whole number from ${PASSWORD_LENGTH_MIN} to 128.`;

const givenAuth = z.strictObject({
  signUp: z.enum(["open", "closed"], '"auth.signUp" must be open or closed.').optional(),
  password: flag("password"),
  emailCode: flag("emailCode"),
  anonymous: flag("anonymous"),
  requireVerifiedEmail: flag("requireVerifiedEmail"),
  passwordLengthMin: z.int(LENGTH).min(PASSWORD_LENGTH_MIN, LENGTH).max(128, LENGTH).optional(),
}, {
  error: unexpectedMember('"auth"', Object.keys(AUTH_DEFAULTS), '"auth" must be an object.'),
}).openapi("AuthSettingsInput", {
  description: "Settings that are left out stay unchanged.",
  example: { signUp: "closed" },
});

const auth = z.strictObject({
  signUp: z.enum(["open", "closed"]).openapi({
    description:
      "Whether new users may sign up. The secret key and members can always create users.",
  }),
  password: z.boolean().openapi({ description: "Whether users may sign in with a password." }),
  emailCode: z.boolean().openapi({ description: "Whether a code sent by e-mail signs users in." }),
  anonymous: z.boolean().openapi({
    description: "Whether everyone may become an anonymous user.",
  }),
  requireVerifiedEmail: z.boolean().openapi({
    description: "Whether a password signs in only if the e-mail is verified. Signing up then " +
      "does not reveal whether an address has a user.",
  }),
  passwordLengthMin: z.int().openapi({ description: "Minimum length in characters." }),
}).openapi("AuthSettings", {
  description: "Settings for sign-up and sign-in.",
  example: AUTH_DEFAULTS,
});

const settingsOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `${quoted(issue.keys[0]!)} is not a setting: send name, siteUrl, allowedOrigins${
          "auth" in shape ? ", auth, files" : ""
        }.${didYouMean(issue.keys[0]!, Object.keys(shape))}`
        : "Send one JSON object.",
  });

export const ProjectInput = settingsOf(given).openapi("ProjectInput", {
  example: SETTINGS_EXAMPLE,
});

export const CREATED_PROJECT_EXAMPLE = {
  projectId: EXAMPLE_ID,
  name: "Blog",
  publishableKey: `pk_live_${"A".repeat(43)}`,
  secretKey: `sk_live_${"A".repeat(43)}`,
};

export const CreatedProject = z.strictObject({
  projectId: id,
  name,
  publishableKey: z.string().openapi({ description: "For browsers; it may be public." }),
  secretKey: z.string().openapi({
    description: "For servers only. Shown only once.",
  }),
}).openapi("CreatedProject", { example: CREATED_PROJECT_EXAMPLE });

export const PROJECT_EXAMPLE = {
  projectId: EXAMPLE_ID,
  ...SETTINGS_EXAMPLE,
  auth: AUTH_DEFAULTS,
  files: FILE_DEFAULTS,
  publishableKey: CREATED_PROJECT_EXAMPLE.publishableKey,
  hasAiKey: false,
  plan: "free",
  role: "owner",
  createdAt: "2026-01-31T12:00:00.000Z",
};

export const Project = z.strictObject({
  projectId: id,
  name,
  ...settings,
  auth,
  files: fileSettings,
  publishableKey: z.string().nullable().openapi({
    description: "For browsers; it may be public. Null if only its hash is stored.",
  }),
  hasAiKey: z.boolean().openapi({ description: "Whether an AI key is stored for the project." }),
  plan,
  role: role.openapi({ description: "Role of the caller's account." }),
  createdAt: time,
}).openapi("Project", {
  description: "A project as its members see it.",
  example: PROJECT_EXAMPLE,
});

export const ProjectList = pageOf(Project, "ProjectList", PROJECT_EXAMPLE);

export const ProjectChanges = settingsOf({
  ...given,
  name: given.name.optional(),
  auth: givenAuth.optional(),
  files: givenFiles.optional(),
})
  .refine(
    (one) => Object.keys(one).length > 0,
    "Send name, siteUrl, allowedOrigins, auth or files.",
  )
  .openapi("ProjectChanges", {
    minProperties: 1,
    example: { siteUrl: "https://blog.example.com" },
  });

const DELETION = 'Send { "name": "…" }, the project\'s own.';

export const ProjectDeletion = bodyWithMessage(DELETION, (error) => ({
  name: z.string({ error }).openapi({ description: "The project's current name." }),
})).openapi("ProjectDeletion", { example: { name: "Blog" } });

export const TRASHED_PROJECT_EXAMPLE = {
  projectId: EXAMPLE_ID,
  restorableUntil: "2026-02-07T12:00:00.000Z",
};

export const TrashedProject = z.strictObject({
  projectId: id,
  restorableUntil: time.openapi({
    description: "Time until which an administrator of the server can restore it.",
  }),
}).openapi("TrashedProject", { example: TRASHED_PROJECT_EXAMPLE });

export const MEMBER_EXAMPLE = {
  accountId: EXAMPLE_ID,
  email: "ada@example.com",
  name: "Ada",
  role: "admin",
  invitedAs: "ada@example.com",
  createdAt: "2026-01-31T12:00:00.000Z",
};

export const Member = z.strictObject({
  accountId: id,
  email: z.string(),
  name: z.string().nullable(),
  role,
  invitedAs: z.string().nullable().openapi({
    description: "The address that the invitation was sent to, which may differ from the " +
      "account's; null for a member without an invitation.",
  }),
  createdAt: time.openapi({ description: "Time at which the account became a member." }),
}).openapi("Member", {
  description: "An account that works in a project.",
  example: MEMBER_EXAMPLE,
});

export const MemberList = pageOf(Member, "MemberList", MEMBER_EXAMPLE);

/** A role that a member can assign. @param error Message if the value is not a text. */
export const givenRole = (error: string) =>
  z.enum(["viewer", "admin"], {
    error: ({ input }) => typeof input === "string" ? '"role" must be viewer or admin.' : error,
  });

export const RoleChange = bodyWithMessage(
  'Send "role", as text.',
  (error) => ({ role: givenRole(error) }),
)
  .openapi("RoleChange", { example: { role: "viewer" } });

export const RemovedMember = z.strictObject({ accountId: id })
  .openapi("RemovedMember", { example: { accountId: EXAMPLE_ID } });

export const NewOwner = bodyWithMessage('Send "accountId", as text.', (error) => ({
  accountId: z.string({ error })
    .regex(ID_ANY_CASE, '"accountId" must be 24 hexadecimal digits.').toLowerCase(),
}))
  .openapi("NewOwner", { example: { accountId: EXAMPLE_ID } });
