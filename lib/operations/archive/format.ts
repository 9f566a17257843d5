import { z } from "zod";
import { isBcrypt } from "../../credentials/passwords.ts";
import { VIEW_MEMBERS } from "../../documents/views.ts";
import { VIEWS_MAX } from "../../limits.ts";
import type { Stored } from "../../store/port.ts";
import { canonicalEmail } from "../../emails.ts";

/**
 * An archive of a project: a tar, whose entries stand in this order. docs/moving.md has what is in
 * each, for whoever reads or writes one without Corbel.
 */
export const ARCHIVE_FORMAT = "corbel-archive/1";

export const MANIFEST = "manifest.json";
export const CONFIGURATION = "configuration.json";
export const SAVED_VIEWS = "views.json";
export const SECRETS = "secrets.json";
export const END = "end.json";

/** Where records stand: in entries `<folder>/<number>.ndjson`, in the order of their ids. */
export const USERS_FOLDER = "users";
export const IDENTITIES_FOLDER = "identities";
export const collectionFolder = (name: string): string => `collections/${name}`;

/** `files/<uuid>_<sanitized_filename>`, with an entry for the row and one for the bytes. */
export const fileFolder = (name: string): string => `files/${name}`;
export const ROW = "row.json";
export const CONTENT = "content";

/** Of entries with records: those that Corbel writes have hardly more than a quarter of it. */
export const RECORDS_BYTES_MAX = 16 * 1024 * 1024;
/** Of other entries that are read as a whole: a configuration. */
export const ENTRY_BYTES_MAX = 64 * 1024 * 1024;

/** A record as a line of an archive. */
export const lineOf = ({ json, revision }: Pick<Stored, "json" | "revision">): string =>
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

/** What the members of the project have saved, by the names of collections; left out where that is nothing. */
export const SavedViews = z.record(
  z.string(),
  z.array(z.strictObject(VIEW_MEMBERS)).max(VIEWS_MAX),
);
export type SavedViews = z.infer<typeof SavedViews>;

/** Of records: how many, and the hash of their lines. */
const Part = z.object({ count, sha256 });
export type Part = z.infer<typeof Part>;

export const End = z.object({
  /** Between when its documents and users were read, and whether all are as they were at one moment. */
  read: z.object({ from: time, to: time, isOfOneMoment: z.boolean() }),
  users: Part,
  identities: Part,
  collections: z.record(z.string(), Part),
  files: z.object({ ...Part.shape, bytes: count }),
  /** Names of files that were removed while the archive was written. */
  missingFiles: z.array(z.string()),
});
export type End = z.infer<typeof End>;

/** What is put into an archive only under a passphrase. */
export const Secrets = z.object({
  /** Client secrets by provider. */
  providers: z.record(z.string(), z.string()),
  /** Signing secrets by the webhook's name. */
  webhooks: z.record(z.string(), z.string()),
  mail: z.object({
    url: z.string(),
    from: z.string(),
    replyTo: z.string().nullable(),
    mailLanguage: z.string().nullable(),
  }).nullable(),
  aiKey: z.string().nullable(),
  /** Hashes of the API keys. */
  apiKeys: z.object({ publishable: z.string(), secret: z.string() }),
});
export type Secrets = z.infer<typeof Secrets>;

const text = z.string().nullable();
const json = z.record(z.string(), z.json());

/** As it is stored: what Corbel makes of other members must be so in it. */
export const ArchivedUser = z.looseObject({
  _id: id,
  email: text,
  emailLower: text,
  emailVerified: z.boolean(),
  name: text,
  username: text,
  usernameLower: text.optional(),
  avatarUrl: text,
  isAnonymous: z.boolean().optional(),
  disabled: z.boolean(),
  passwordHash: z.string().refine(
    (hash) => hash.startsWith("$argon2id$") || isBcrypt(hash),
    "must be of argon2id or bcrypt, whose cost may be 4 to 14",
  ).nullable(),
  providers: z.array(
    z.strictObject({ provider: z.string(), providerUserId: z.string(), linkedAt: time }),
  ),
  ownMembers: z.array(z.enum(["name", "username", "avatarUrl"])),
  roles: z.array(z.string()).optional(),
  claims: json.optional(),
  fields: json.optional(),
  lastSignInAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
}).refine(
  ({ email, emailLower }) => emailLower === (email === null ? null : canonicalEmail(email)),
  { path: ["emailLower"], error: "must be the e-mail as Corbel compares it" },
);

export const ArchivedIdentity = z.strictObject({
  _id: id,
  identity: z.string(),
  userId: id,
  seen: z.strictObject({ email: text, name: text, username: text, avatarUrl: text }),
});

/** A file of the project, under the name that its path ends with. */
export const ArchivedFile = z.strictObject({
  _id: id,
  filename: z.string(),
  contentType: z.string(),
  bytes: count,
  visibility: z.enum(["public", "private"]),
  ownerId: id.nullable(),
  createdAt: time,
});
export type ArchivedFile = z.infer<typeof ArchivedFile>;

/** What stands for a file where files are hashed together. */
export const fileLine = (name: string, row: ArchivedFile, sha256: string): string =>
  `${JSON.stringify({ name, ...row, sha256 })}\n`;
