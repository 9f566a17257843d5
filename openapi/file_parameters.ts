/** Parameters of the operations on files. */

import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import { type Checksum, CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from "@/lib/http/checksum.ts";
import { TUS_VERSION } from "@/lib/http/tus.ts";
import { Problem } from "@/lib/problems.ts";
import { NAME_PATTERN } from "@/lib/files/paths.ts";
import {
  PICTURE_FITS,
  PICTURE_FORMATS,
  PICTURE_STEPS,
  STEP_MAX,
} from "@/lib/files/picture_size.ts";
import { ID } from "@/lib/ids.ts";
import { RANGES_MAX } from "@/lib/limits.ts";
import { type HeaderParameter, openQueryOf, querySaying } from "./inputs.ts";
import { header, path, wholeNumber } from "./parameters.ts";
import { PATH_EXAMPLE } from "./schemas/storage.ts";
import { EXAMPLE_ID } from "./schemas/values.ts";

export const fileQuery = querySaying('Send "path", once, and nothing else.', (error) => ({
  path: z.string({ error }).min(1, { error }).openapi({
    param: { description: "The file's path, as confirm answered it.", example: PATH_EXAMPLE },
  }),
}));

const sizeParameter = (name: string, what: string) =>
  wholeNumber(name, STEP_MAX).optional().openapi({
    type: "integer",
    minimum: 1,
    maximum: STEP_MAX,
    param: {
      description:
        `${what}, at most: rounded up to one of ${PICTURE_STEPS.join(", ")}. A picture ` +
        "is never enlarged.",
    },
  });

const FORMATS = `"format" must be auto, ${PICTURE_FORMATS.join(", ")}.`;

/** Of an address of a file: a signed one, and a size of a picture. */
export const readingQuery = openQueryOf({
  expires: z.string().optional().openapi({
    param: { description: "Until when the address of a private file is good." },
  }),
  signature: z.string().optional().openapi({
    param: { description: "What the server signed it with." },
  }),
  w: sizeParameter("w", "Pixels across, of a picture"),
  h: sizeParameter("h", "Pixels down, of a picture"),
  fit: z.enum(PICTURE_FITS, `"fit" must be ${PICTURE_FITS.join(" or ")}.`).optional().openapi({
    param: {
      description: "With `w` and `h`: `contain`, the default, shows all of the picture within " +
        "them; `cover` as much of its middle as fills them.",
    },
  }),
  format: z.enum(["auto", ...PICTURE_FORMATS], FORMATS).optional().openapi({
    param: {
      description: "The picture's own if left out, `png` for a GIF. `auto` is AVIF or WebP where " +
        "`Accept` names them.",
    },
  }),
  q: wholeNumber("q", 100).optional().openapi({
    type: "integer",
    minimum: 1,
    maximum: 100,
    param: { description: "Quality, 80 if left out; rounded up to tens." },
  }),
});

const signedText = () => z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);

export const uploadToken = path(
  signedText(),
  "What the server signed: which bytes may be put where, and for how long.",
  "WyI2NmYxYTBjMmU0YjBhMWIyYzNkNGU1ZjYvMGY4ZmFkNWIiXQ.9qT0KkIO9l3Y0yqK3T1xWg",
);

/** Of an upload in pieces. */
export const resumableToken = path(
  signedText(),
  "What the server signed: which upload it is.",
  "IjY2ZjFhMGMyZTRiMGExYjJjM2Q0ZTVmNi8wZjhmYWQ1YiI.5dT0KkIO9l3Y0yqK3T1xWg",
);

export const tusResumable: HeaderParameter<void> = {
  schema: z.literal(TUS_VERSION).optional().openapi({
    param: {
      description: `The version of tus, \`${TUS_VERSION}\`; taken for granted if left out.`,
    },
  }),
  problem: "TUS_VERSION_UNSUPPORTED",
  read(text) {
    if (text !== null && text !== TUS_VERSION) throw new Problem("TUS_VERSION_UNSUPPORTED");
  },
};

const OFFSET = /^\d{1,15}$/;

export const uploadOffset: HeaderParameter<number> = {
  schema: z.string().regex(OFFSET).openapi({
    param: {
      description:
        "How many bytes have arrived before: the first byte of the body comes behind them.",
      example: "5242880",
    },
  }),
  problem: "INVALID_UPLOAD",
  read(text) {
    if (text !== null && OFFSET.test(text)) return Number(text);
    throw new Problem("INVALID_UPLOAD", {
      message: "Upload-Offset must be the number of bytes that have arrived.",
    });
  },
};

const CHECKSUM = new RegExp(`^(${CHECKSUM_ALGORITHMS.join("|")}) ([A-Za-z0-9+/]{22,43}={0,2})$`);

export const uploadChecksum: HeaderParameter<Checksum | null> = {
  schema: z.string().regex(CHECKSUM).optional().openapi({
    param: {
      description:
        `An algorithm (${CHECKSUM_ALGORITHMS.join(", ")}), a space, and the digest of the ` +
        "body in base64: if it is another one, nothing of the body is kept.",
      example: "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=",
    },
  }),
  problem: "INVALID_UPLOAD",
  read(text) {
    if (text === null) return null;
    const [, algorithm, digest] = CHECKSUM.exec(text) ?? [];
    if (algorithm !== undefined) {
      return { algorithm: algorithm as ChecksumAlgorithm, digest: Buffer.from(digest!, "base64") };
    }
    throw new Problem("INVALID_UPLOAD", {
      message: `Upload-Checksum must be one of ${CHECKSUM_ALGORITHMS.join(", ")}, a space and a ` +
        "digest in base64.",
    });
  },
};

export const fileProjectId = path(
  z.string().regex(ID),
  "The project's id, in lower case.",
  EXAMPLE_ID,
);

export const fileName = path(
  z.string().regex(new RegExp(NAME_PATTERN)),
  "The rest of the file's path.",
  "0f8fad5b-d9cb-469f-a165-70867728950e_photo.png",
);

export const accept = header(
  "With `format=auto`: the formats of pictures that you show, such as `image/avif,image/webp`.",
);

export const range = header(
  `Parts of the file: \`bytes=0-99\`, \`bytes=100-\`, \`bytes=-100\`, or up to ${RANGES_MAX} of them ` +
    "with commas. Those that touch or overlap are sent as one, and all in ascending order. Another " +
    "unit than `bytes` is not heeded.",
);

export const ifRange = header(
  "The `etag` of the file that the parts are of: of another one, and for a date, the whole is sent.",
);
