import { exactBytesText } from "@/lib/text/amounts.ts";
import { z } from "@hono/zod-openapi";
import { EXTERNAL_FILE_BYTES_MAX, USER_TYPES_MAX } from "@/lib/limits.ts";
import { FILE_DEFAULTS } from "@/lib/projects/file_settings.ts";
import { onlyMembers } from "../inputs.ts";

const UPLOADS = ["off", "signed-in"] as const;

const bytes = (name: keyof typeof FILE_DEFAULTS, most: number) => {
  const says = `"files.${name}" must be a whole number of bytes, from 1 to ${
    exactBytesText(most)
  }.`;
  return z.int(says).min(1, says).max(most, says).optional();
};

const WORD = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,62}";
// As `image/png`, `image/*` or `*/*`.
const TYPE = new RegExp(`^(?:\\*/\\*|${WORD}/(?:\\*|${WORD}))$`);

const TYPES_SAY =
  `"files.userTypes" must be a list of 1 to ${USER_TYPES_MAX} types such as image/png, image/* or */*.`;

const isTypes = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= USER_TYPES_MAX &&
  value.every((type) => typeof type === "string" && TYPE.test(type));

/** What owners set of how users upload files by themselves. */
export const givenFiles = z.strictObject({
  userUploads: z.enum(UPLOADS, '"files.userUploads" must be off or signed-in.').optional(),
  userFileBytesMax: bytes("userFileBytesMax", EXTERNAL_FILE_BYTES_MAX),
  userBytesMax: bytes("userBytesMax", Number.MAX_SAFE_INTEGER),
  // An array of texts would have a fault made of each item that is none, of tens of thousands.
  userTypes: z.custom<readonly string[]>(isTypes, TYPES_SAY).optional().openapi({
    type: "array",
    items: { type: "string", pattern: TYPE.source },
    minItems: 1,
    maxItems: USER_TYPES_MAX,
  }),
}, {
  error: onlyMembers('"files"', Object.keys(FILE_DEFAULTS), '"files" must be an object.'),
}).openapi("FileSettingsInput", {
  description: "Those that are given are set; the others stay.",
  example: { userUploads: "signed-in" },
});

export const fileSettings = z.strictObject({
  userUploads: z.enum(UPLOADS).openapi({
    description: "Whether signed-in users upload files, and list and delete their own, with the " +
      "publishable key.",
  }),
  userFileBytesMax: z.int().openapi({ description: "Bytes of one file, where the plan has more." }),
  userBytesMax: z.int().openapi({ description: "Bytes of all files of one user." }),
  userTypes: z.array(z.string()).openapi({
    description: "Which types: one, all of a kind as `image/*`, or all, `*/*`.",
  }),
}).openapi("FileSettings", {
  description: "Whether and how users upload files by themselves.",
  example: FILE_DEFAULTS,
});
