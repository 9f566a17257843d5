import { exactBytesText } from "@/lib/text/amounts.ts";
import { z } from "@hono/zod-openapi";
import { EXTERNAL_FILE_BYTES_MAX, USER_TYPES_MAX } from "@/lib/limits.ts";
import { FILE_DEFAULTS } from "@/lib/projects/file_settings.ts";
import { unexpectedMember } from "../inputs.ts";

const UPLOADS = ["off", "signed-in"] as const;

const bytes = (name: keyof typeof FILE_DEFAULTS, most: number) => {
  const says = `"files.${name}" must be a whole number of bytes, from 1 to ${
    exactBytesText(most)
  }.`;
  return z.int(says).min(1, says).max(most, says).optional();
};

const WORD = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,62}";
// Matches `image/png`, `image/*` or `*/*`.
const TYPE = new RegExp(`^(?:\\*/\\*|${WORD}/(?:\\*|${WORD}))$`);

const TYPES_SAY =
  `"files.userTypes" must be a list of 1 to ${USER_TYPES_MAX} types such as image/png, image/* or */*.`;

const isTypes = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= USER_TYPES_MAX &&
  value.every((type) => typeof type === "string" && TYPE.test(type));

export const givenFiles = z.strictObject({
  userUploads: z.enum(UPLOADS, '"files.userUploads" must be off or signed-in.').optional(),
  userFileBytesMax: bytes("userFileBytesMax", EXTERNAL_FILE_BYTES_MAX),
  userBytesMax: bytes("userBytesMax", Number.MAX_SAFE_INTEGER),
  // A schema of an array would report a fault for each of possibly tens of thousands of items.
  userTypes: z.custom<readonly string[]>(isTypes, TYPES_SAY).optional().openapi({
    type: "array",
    items: { type: "string", pattern: TYPE.source },
    minItems: 1,
    maxItems: USER_TYPES_MAX,
  }),
}, {
  error: unexpectedMember('"files"', Object.keys(FILE_DEFAULTS), '"files" must be an object.'),
}).openapi("FileSettingsInput", {
  description: "Settings that are left out stay unchanged.",
  example: { userUploads: "signed-in" },
});

export const fileSettings = z.strictObject({
  userUploads: z.enum(UPLOADS).openapi({
    description: "Whether signed-in users can upload files, and list and delete their own, with " +
      "the publishable key.",
  }),
  userFileBytesMax: z.int().openapi({
    description: "Maximum bytes of one file, unless the plan allows fewer.",
  }),
  userBytesMax: z.int().openapi({ description: "Maximum bytes of all files of one user." }),
  userTypes: z.array(z.string()).openapi({
    description: "Allowed types: `image/png`, all of a kind as `image/*`, or all as `*/*`.",
  }),
}).openapi("FileSettings", {
  description: "Settings for uploads by users.",
  example: FILE_DEFAULTS,
});
