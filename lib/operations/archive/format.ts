import { z } from "zod";
import { isAiKey } from "../../ai/keys.ts";
import { isRoles, isWebAddress, lineProblem } from "../../auth/user_rules.ts";
import { isUsableHash, USABLE_HASH_RULE } from "../../credentials/passwords.ts";
import { validateMembers } from "../../documents/validate.ts";
import { VIEW_MEMBERS } from "../../documents/views.ts";
import { isPlainEmail, storedForms } from "../../emails.ts";
import { isMediaType } from "../../files/media_type.ts";
import {
  AVATAR_URL_LENGTH_MAX,
  FILENAME_LENGTH_MAX,
  PERSON_NAME_LENGTH_MAX,
  USER_CLAIMS_BYTES_MAX,
  USER_FIELDS_BYTES_MAX,
  USERNAME_LENGTH_MAX,
  VIEWS_MAX,
} from "../../limits.ts";
import { SIGN_IN_NAMES } from "../../social/providers.ts";
import { exceedsBytes } from "../../store/json_text.ts";
import type { Json, Stored } from "../../store/port.ts";
import { exactBytesText } from "../../text/amounts.ts";
import { textProblem } from "../../text/input_text.ts";
import { canonicalLanguage } from "../../text/languages.ts";
import { parseMailbox, parseSmtpUrl } from "../../text/mail_addresses.ts";
import { PROFILE_MEMBERS } from "../../users/user_fields.ts";

/** Names a tar file with the entries below in this order, documented in docs/moving.md. */
export const ARCHIVE_FORMAT = "corbel-archive/1";

export const MANIFEST = "manifest.json";
export const CONFIGURATION = "configuration.json";
export const SAVED_VIEWS = "views.json";
export const SECRETS = "secrets.json";
export const END = "end.json";

/** Records are in entries `<folder>/<number>.ndjson`, ordered by id. */
export const USERS_FOLDER = "users";
export const IDENTITIES_FOLDER = "identities";
export const collectionFolder = (name: string): string => `collections/${name}`;

/** Returns `files/<uuid>_<sanitized_filename>`, with an entry for the row and one for the bytes. */
export const fileFolder = (name: string): string => `files/${name}`;
export const FILE_ROW = "row.json";
export const FILE_CONTENT = "content";

/** Limit of an entry with records. Corbel writes at most about a quarter of it. */
export const RECORDS_BYTES_MAX = 16 * 1024 * 1024;
/** Limit of other entries that are read into memory, such as the configuration. */
export const ENTRY_BYTES_MAX = 64 * 1024 * 1024;

export const recordLine = ({ json, revision }: Pick<Stored, "json" | "revision">): string =>
  `{"revision":${revision},"record":${json}}\n`;

const id = z.string().regex(/^[0-9a-f]{24}$/, "must have 24 hexadecimal digits");
const time = z.iso.datetime({ precision: 3, error: "must be a time in UTC with milliseconds" });
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a hash in hexadecimal digits");
const count = z.int("must be a number").min(0);

export const Manifest = z.object({
  format: z.literal(ARCHIVE_FORMAT, {
    error: ({ input }) =>
      `is ${
        JSON.stringify(input)
      }, and this Corbel reads "${ARCHIVE_FORMAT}": use the version that ` +
      "wrote the archive, or a newer one",
  }),
  project: z.object({ id, name: z.string() }),
  createdAt: time,
});
export type Manifest = z.infer<typeof Manifest>;

/** Views by collection. The entry is omitted if there are none. */
export const SavedViews = z.record(
  z.string(),
  z.array(z.strictObject(VIEW_MEMBERS)).max(VIEWS_MAX),
);
export type SavedViews = z.infer<typeof SavedViews>;

/** The number of records of a folder, and the hash of their lines. */
const Part = z.object({ count, sha256 });
export type Part = z.infer<typeof Part>;

export const End = z.object({
  /** Time at which documents and users were read, and whether it was one consistent snapshot. */
  read: z.object({ from: time, to: time, isOfOneMoment: z.boolean() }),
  users: Part,
  identities: Part,
  collections: z.record(z.string(), Part),
  files: z.object({ ...Part.shape, bytes: count }),
  /** Names of files that were removed while the archive was written. */
  missingFiles: z.array(z.string()),
});
export type End = z.infer<typeof End>;

const keyHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be the hash of a key");

/** Secrets, which an archive contains only encrypted with a passphrase. */
export const Secrets = z.object({
  providers: z.record(z.string(), z.string()),
  /** Signing secrets by the name of the webhook. */
  webhooks: z.record(
    z.string(),
    z.string().regex(/^whsec_[A-Za-z0-9+/]{20,100}={0,2}$/, "must begin with whsec_"),
  ),
  mail: z.object({
    url: z.string().refine((text) => parseSmtpUrl(text) !== null, "must be smtp:// or smtps://"),
    from: z.string().refine((text) => parseMailbox(text) !== null, "must be one e-mail address"),
    replyTo: z.string().refine(isPlainEmail, "must be one plain address").nullable(),
    mailLanguage: z.string()
      .refine((text) => canonicalLanguage(text) === text, "must name a language").nullable(),
  }).nullable(),
  aiKey: z.string().refine(isAiKey, "must be an AI key").nullable(),
  apiKeys: z.object({ publishable: keyHash, secret: keyHash }),
});
export type Secrets = z.infer<typeof Secrets>;

const line = (lengthMax: number) =>
  z.string().refine((text) => lineProblem(text, lengthMax) === null, {
    error: ({ input }) => lineProblem(String(input), lengthMax) ?? "must be text",
  });

const json = (bytesMax: number) =>
  z.record(z.string(), z.json()).refine(
    (value) => !exceedsBytes(JSON.stringify(value), bytesMax),
    `has more than ${exactBytesText(bytesMax)}`,
  );

const PROVIDER_USER_ID_LENGTH_MAX = 255;
const PROVIDERS_MAX = 20;

const email = z.string().refine(isPlainEmail, "must be one plain address").nullable();
const username = line(USERNAME_LENGTH_MAX).nullable();
const avatarUrl = line(AVATAR_URL_LENGTH_MAX)
  .refine(isWebAddress, "must be an https address").nullable();

/** The rules of sign-up apply, and derived fields must have the values that Corbel derives. */
export const ArchivedUser = z.strictObject({
  _id: id,
  email,
  emailLower: z.string().nullable(),
  emailVerified: z.boolean(),
  name: line(PERSON_NAME_LENGTH_MAX).nullable(),
  username,
  usernameLower: z.string().nullable().optional(),
  avatarUrl,
  isAnonymous: z.boolean().optional(),
  disabled: z.boolean(),
  passwordHash: z.string().refine(isUsableHash, USABLE_HASH_RULE).nullable(),
  providers: z.array(
    z.strictObject({
      provider: z.enum(SIGN_IN_NAMES as [string, ...string[]]),
      providerUserId: line(PROVIDER_USER_ID_LENGTH_MAX),
      linkedAt: time,
    }),
  ).max(PROVIDERS_MAX),
  ownMembers: z.array(z.enum(PROFILE_MEMBERS)).max(PROFILE_MEMBERS.length),
  roles: z.custom<string[]>(isRoles, "must be a list of a few words").optional(),
  claims: json(USER_CLAIMS_BYTES_MAX).optional(),
  fields: json(USER_FIELDS_BYTES_MAX).refine(
    (fields) => validateMembers([], fields, false).faults.length === 0,
    {
      error: ({ input }) => {
        const [fault] = validateMembers([], input as { [name: string]: Json }, false).faults;
        return `has ${JSON.stringify(fault?.path)}, which ${fault?.message}`;
      },
    },
  ).optional(),
  lastSignInAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
}).refine(
  ({ email, emailLower }) =>
    email === null ? emailLower === null : storedForms(email).includes(emailLower ?? ""),
  { path: ["emailLower"], error: "must be the e-mail as Corbel compares it" },
);

export const ArchivedIdentity = z.strictObject({
  _id: id,
  identity: line(PROVIDER_USER_ID_LENGTH_MAX + 64),
  userId: id,
  seen: z.strictObject({
    email,
    name: line(PERSON_NAME_LENGTH_MAX).nullable(),
    username,
    avatarUrl,
  }),
});

export const isFilename = (text: string): boolean =>
  text !== "" && [...text].length <= FILENAME_LENGTH_MAX && textProblem(text) === null;

/** A file of the project. Its entry has the name at the end of the file's path. */
export const ArchivedFile = z.strictObject({
  _id: id,
  filename: z.string().refine(isFilename, `must have 1 to ${FILENAME_LENGTH_MAX} characters`),
  contentType: z.string().refine(isMediaType, "must be the type of a file"),
  bytes: count,
  visibility: z.enum(["public", "private"]),
  ownerId: id.nullable(),
  createdAt: time,
});
export type ArchivedFile = z.infer<typeof ArchivedFile>;

/** Represents a file in the hash of all files. */
export const fileLine = (name: string, row: ArchivedFile, sha256: string): string =>
  `${JSON.stringify({ name, ...row, sha256 })}\n`;
