import { z } from "@hono/zod-openapi";
import { isMediaType, MEDIA_TYPE } from "@/lib/files/media_type.ts";
import { nonEmptyText, openBodyOf, WITHOUT_NUL_PATTERN } from "../inputs.ts";
import {
  CONTENT_TYPE_LENGTH_MAX,
  FILENAME_LENGTH_MAX,
  SIGNED_SECONDS_DEFAULT,
  SIGNED_SECONDS_MAX,
  STORED_FILENAME_LENGTH_MAX,
} from "@/lib/limits.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { id, pageOf, time } from "./values.ts";

export const PATH_EXAMPLE = "66f1a0c2e4b0a1b2c3d4e5f6/0b6f2c1e-5f0b-4c0e-9a55-6a3f2f1f7c11_cat.png";
const URL_EXAMPLE = `http://localhost:8000/files/${PATH_EXAMPLE}`;

const path = z.string().openapi({
  description: "`<project id>/<uuid>_<file name>`: identifies the file from the upload request on.",
});
const bytes = z.int().min(0).openapi({ description: "Bytes." });
const provider = z.enum(["internal", "external"]).openapi({
  description: "The storage with the file: the service's, or the project's own.",
});
const url = z.string().nullable().openapi({
  description:
    "The file's public address; null for a private file, or if the storage has no public address.",
});

const VISIBILITIES = ["public", "private"] as const;
const visibility = z.enum(VISIBILITIES);

export const UPLOAD_EXAMPLE = { filename: "cat.png", contentType: "image/png", size: 48_211 };

const filled = () => nonEmptyText("must be text and not empty");

const SIZE = '"size" must be a whole number of bytes, 0 or more.';
// An unsafe integer is accepted here, and refused as too large for a file.
const size = z.number({ error: SIZE })
  .refine((number) => Number.isInteger(number) && number >= 0, SIZE)
  .openapi({ type: "integer", minimum: 0, description: "Bytes." });

export const UploadInput = openBodyOf({
  filename: filled().refine(
    (name) => [...name].length <= FILENAME_LENGTH_MAX,
    `"filename" must have at most ${FILENAME_LENGTH_MAX} characters.`,
  ).refine(
    (name) => !name.includes("\0") && name.isWellFormed(),
    '"filename" must be well-formed text without NUL.',
  ).openapi({
    maxLength: FILENAME_LENGTH_MAX,
    pattern: WITHOUT_NUL_PATTERN,
    description: "Any text without NUL, shown as sent; characters are Unicode code points. The " +
      `path has the last ${STORED_FILENAME_LENGTH_MAX} of them, with \`_\` instead of all but ` +
      "letters, digits, `.`, `_` and `-`.",
  }),
  contentType: filled().refine(
    isMediaType,
    '"contentType" must be type/subtype, with parameters if need be, of at most ' +
      `${CONTENT_TYPE_LENGTH_MAX} characters.`,
  ).openapi({
    maxLength: CONTENT_TYPE_LENGTH_MAX,
    pattern: MEDIA_TYPE.source,
    description: "`type/subtype`, optionally with parameters, in printable ASCII and without " +
      "white space around it; the PUT must send exactly this text. If a parameter contains a " +
      "comma, the file is served without parameters.",
  }),
  size: size.openapi({
    description: "Size in bytes. A file that is too large is refused with 413.",
  }),
  visibility: z.enum(VISIBILITIES, '"visibility" must be public or private.').optional().openapi({
    description: "`public`, the default: everyone who knows its address can read the file. " +
      "`private`: reading needs a signed address.",
  }),
}).openapi("UploadInput", { example: UPLOAD_EXAMPLE });

export const REQUESTED_EXAMPLE = {
  signedUrl: "http://localhost:8000/api/storage/blob/eyJwYXRoIjoi.c2lnbmF0dXJl",
  resumableUrl: "http://localhost:8000/api/storage/resumable/IjY2ZjFhMGMi.c2lnbmF0dXJl",
  filePath: PATH_EXAMPLE,
};

/** Members that the response has at its top level and in `data`. */
export const requestedUpload = {
  signedUrl: z.string().nullable().openapi({
    description: "Accepts one PUT of the raw file with its `Content-Type`, within 10 minutes. " +
      "Null in a project's own bucket for a file of more than 5 GiB, which exceeds a PUT.",
  }),
  resumableUrl: z.string().openapi({
    description: "Accepts the file in parts, by tus 1.0. If the connection breaks, the upload " +
      "continues after the bytes that have arrived.",
  }),
  token: z.string().optional().openapi({ description: "Only for some external providers." }),
  filePath: path,
};

export const CONFIRM_EXAMPLE = { filePath: PATH_EXAMPLE, size: 48_211 };

export const ConfirmInput = openBodyOf({
  filePath: filled().openapi({ description: "The file's path, as the request answered it." }),
  size,
})
  .openapi("ConfirmInput", { example: CONFIRM_EXAMPLE });

export const CONFIRMED_EXAMPLE = {
  path: PATH_EXAMPLE,
  provider: "internal",
  url: URL_EXAMPLE,
  visibility: "public",
};

/** Members that the response has at its top level and in `data`. */
export const confirmedUpload = {
  path,
  provider,
  url,
  visibility,
  warning: z.string().optional().openapi({
    description: "The reason why there is no public address.",
  }),
};

const WHICH = '"path" must be the path or the address of a file.';

export const DeleteFileInput = openBodyOf({
  path: z.string({ error: WHICH }).min(1, WHICH).openapi({
    description: "The file's path, or the address that confirm answered.",
  }),
})
  .openapi("DeleteFileInput", { example: { path: PATH_EXAMPLE } });

const SECONDS = `"expiresIn" must be a whole number of seconds, from 1 to ${SIGNED_SECONDS_MAX}.`;

export const SignFileInput = openBodyOf({
  path: z.string({ error: WHICH }).min(1, WHICH).openapi({ description: "The file's path." }),
  expiresIn: z.int(SECONDS).min(1, SECONDS).max(SIGNED_SECONDS_MAX, SECONDS).optional().openapi({
    description: `Seconds; ${SIGNED_SECONDS_DEFAULT} if left out.`,
  }),
}).openapi("SignFileInput", { example: { path: PATH_EXAMPLE } });

const sizesUrl = z.string().nullable().openapi({
  description: "Address of a picture to which `w`, `h`, `fit`, `format` and `q` can be appended " +
    "for other sizes. Null for files other than JPEG, PNG, WebP, AVIF and GIF, and for a private " +
    "file without a signed address.",
});

export const SIGNED_EXAMPLE = {
  url: `${URL_EXAMPLE}?expires=1769864400000&signature=9qT0KkIO9l3Y0yqK3T1xWg`,
  sizesUrl: `${URL_EXAMPLE}?expires=1769864400000&signature=9qT0KkIO9l3Y0yqK3T1xWg`,
  expiresAt: "2026-01-31T13:00:00.000Z",
};

export const SignedFile = z.strictObject({
  url: z.string().openapi({
    description: "Allows everyone who has it to read the file until `expiresAt`.",
  }),
  sizesUrl,
  expiresAt: time,
}).openapi("SignedFile", { example: SIGNED_EXAMPLE });

export const FileChanges = openBodyOf({
  path: z.string({ error: WHICH }).min(1, WHICH).openapi({ description: "The file's path." }),
  visibility: z.enum(VISIBILITIES, '"visibility" must be public or private.'),
}).openapi("FileChanges", { example: { path: PATH_EXAMPLE, visibility: "private" } });

export const DeletedFile = z.strictObject({ deleted: z.literal(true) })
  .openapi("DeletedFile", { example: { deleted: true } });

export const FILE_EXAMPLE = {
  path: PATH_EXAMPLE,
  filename: "cat.png",
  contentType: "image/png",
  size: 48_211,
  createdAt: "2026-01-31T12:00:00.000Z",
  url: URL_EXAMPLE,
  sizesUrl: URL_EXAMPLE,
  visibility: "public",
  ownerId: null,
};

export const StoredFile = z.strictObject({
  path,
  filename: z.string().openapi({ description: "Name from the upload request." }),
  contentType: z.string(),
  size: bytes,
  createdAt: time.openapi({ description: "Time of the upload request." }),
  url,
  sizesUrl,
  visibility,
  ownerId: id.nullable().openapi({
    description: "The user who uploaded it; null if a server or a member did.",
  }),
}).openapi("StoredFile", { description: "A confirmed file.", example: FILE_EXAMPLE });

export const FileList = pageOf(StoredFile, "FileList", FILE_EXAMPLE);

export const USAGE_EXAMPLE = {
  used: 48_211,
  reserved: 0,
  limit: PLANS.free.storageBytes,
  fileBytesMax: PLANS.free.fileBytesMax,
  provider: "internal",
};

export const StorageUsage = z.strictObject({
  used: z.int().min(0).openapi({
    description: "Bytes of confirmed files in the service's storage.",
  }),
  reserved: z.int().min(0).openapi({
    description: "Bytes that are reserved for uploads in progress.",
  }),
  limit: z.int().nullable().openapi({
    description: "Maximum sum of `used` and `reserved`; null if the project has its own storage " +
      "or no plan limits it.",
  }),
  fileBytesMax: z.int().openapi({
    description: "Maximum bytes of one file; 80,000 MiB if the project has its own storage.",
  }),
  provider,
}).openapi("StorageUsage", {
  description: "Storage that the project uses, and its limits.",
  example: USAGE_EXAMPLE,
});
