import { z } from "@hono/zod-openapi";
import { bodySaying, LINE_PATTERN, onlyMembers } from "../inputs.ts";
import { shown } from "@/lib/text/input_text.ts";
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

const SITE_URL = "Where the front end is: an origin with https, or http on localhost, " +
  "127.0.0.1 or [::1], and no path.";
const ALLOWED_ORIGINS =
  "If any are listed, the publishable key works from these origins only. Each is one origin, " +
  "without a path, and no pattern.";

const settings = {
  siteUrl: z.string().nullable().openapi({ description: SITE_URL }),
  allowedOrigins: z.array(z.string()).openapi({ description: ALLOWED_ORIGINS }),
};

const name = z.string().min(1).max(PROJECT_NAME_LENGTH_MAX);

export const plan = z.enum(Object.keys(PLANS) as [keyof typeof PLANS]).openapi({
  description: "The plan of the account that owns it.",
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

/** What owners set. Whether it can be used is for the verbs to say, with a code of its own. */
const given = {
  name: z.string({
    error: ({ input }) => input === undefined ? '"name" is missing.' : '"name" must be text.',
  }).openapi({ minLength: 1, maxLength: PROJECT_NAME_LENGTH_MAX, pattern: LINE_PATTERN }),
  siteUrl: z.string('"siteUrl" must be text.').openapi({ ...ADDRESS }).nullable().optional()
    .openapi({ description: SITE_URL }),
  // An array of texts would have a fault made of each item that is none, of tens of thousands.
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

/** What owners set of how users sign up and in. */
const givenAuth = z.strictObject({
  signUp: z.enum(["open", "closed"], '"auth.signUp" must be open or closed.').optional(),
  password: flag("password"),
  emailCode: flag("emailCode"),
  anonymous: flag("anonymous"),
  requireVerifiedEmail: flag("requireVerifiedEmail"),
  passwordLengthMin: z.int(LENGTH).min(PASSWORD_LENGTH_MIN, LENGTH).max(128, LENGTH).optional(),
}, {
  error: onlyMembers('"auth"', Object.keys(AUTH_DEFAULTS), '"auth" must be an object.'),
}).openapi("AuthSettingsInput", {
  description: "Those that are given are set; the others stay.",
  example: { signUp: "closed" },
});

const auth = z.strictObject({
  signUp: z.enum(["open", "closed"]).openapi({
    description: "Whether new users may come by themselves, in whichever way. The secret key and " +
      "members make users in any case.",
  }),
  password: z.boolean().openapi({ description: "Whether users may sign in with a password." }),
  emailCode: z.boolean().openapi({ description: "Whether a code sent by e-mail signs users in." }),
  anonymous: z.boolean().openapi({
    description: "Whether anybody may become a user without telling anything.",
  }),
  requireVerifiedEmail: z.boolean().openapi({
    description: "Whether a password signs in only where the e-mail is verified. Then signing up " +
      "does not tell who has an address.",
  }),
  passwordLengthMin: z.int().openapi({ description: "Characters." }),
}).openapi("AuthSettings", {
  description: "How users sign up and in.",
  example: AUTH_DEFAULTS,
});

const settingsOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `${shown(issue.keys[0]!)} is no setting: send name, siteUrl, allowedOrigins${
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
    description: "For servers only. Shown this once.",
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
    description: "For browsers; it may be public. Null where only its hash is known.",
  }),
  hasAiKey: z.boolean().openapi({ description: "Whether an AI key is stored for it." }),
  plan,
  role: role.openapi({ description: "Of the account that asks." }),
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

export const ProjectDeletion = bodySaying(DELETION, (error) => ({
  name: z.string({ error }).openapi({ description: "The project's name, as it is." }),
})).openapi("ProjectDeletion", { example: { name: "Blog" } });

export const TRASHED_PROJECT_EXAMPLE = {
  projectId: EXAMPLE_ID,
  restorableUntil: "2026-02-07T12:00:00.000Z",
};

export const TrashedProject = z.strictObject({
  projectId: id,
  restorableUntil: time.openapi({
    description: "Until then an administrator of the server can restore it.",
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
    description: "The address that the invitation was for, which need not be the account's; null " +
      "where nobody invited it.",
  }),
  createdAt: time.openapi({ description: "Since when it is a member." }),
}).openapi("Member", {
  description: "An account that has a part in a project.",
  example: MEMBER_EXAMPLE,
});

export const MemberList = pageOf(Member, "MemberList", MEMBER_EXAMPLE);

/** A role that one member gives another. @param error Of what is no text. */
export const givenRole = (error: string) =>
  z.enum(["viewer", "admin"], {
    error: ({ input }) => typeof input === "string" ? '"role" must be viewer or admin.' : error,
  });

export const RoleChange = bodySaying(
  'Send "role", as text.',
  (error) => ({ role: givenRole(error) }),
)
  .openapi("RoleChange", { example: { role: "viewer" } });

export const RemovedMember = z.strictObject({ accountId: id })
  .openapi("RemovedMember", { example: { accountId: EXAMPLE_ID } });

export const NewOwner = bodySaying('Send "accountId", as text.', (error) => ({
  accountId: z.string({ error })
    .regex(ID_ANY_CASE, '"accountId" must be 24 hexadecimal digits.').toLowerCase(),
}))
  .openapi("NewOwner", { example: { accountId: EXAMPLE_ID } });
