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
import { type HeaderParameter, openQueryOf, queryWithMessage } from "./inputs.ts";
import { header, integerUpTo, path } from "./parameters.ts";
import { PATH_EXAMPLE } from "./schemas/storage.ts";
import { EXAMPLE_ID } from "./schemas/values.ts";

export const fileQuery = queryWithMessage('Send "path", once, and nothing else.', (error) => ({
  path: z.string({ error }).min(1, { error }).openapi({
    param: { description: "The file's path, as confirm answered it.", example: PATH_EXAMPLE },
  }),
}));

const sizeParameter = (name: string, dimension: string) =>
  integerUpTo(name, STEP_MAX).optional().openapi({
    type: "integer",
    minimum: 1,
    maximum: STEP_MAX,
    param: {
      description: `${dimension}, at most: rounded up to one of ${PICTURE_STEPS.join(", ")}. A ` +
        "picture is never enlarged.",
    },
  });

const FORMATS = `"format" must be auto, ${PICTURE_FORMATS.join(", ")}.`;

export const readingQuery = openQueryOf({
  expires: z.string().optional().openapi({
    param: { description: "Time until which the address of a private file is valid." },
  }),
  signature: z.string().optional().openapi({
    param: { description: "The server's signature of the address." },
  }),
  w: sizeParameter("w", "Width of a picture in pixels"),
  h: sizeParameter("h", "Height of a picture in pixels"),
  fit: z.enum(PICTURE_FITS, `"fit" must be ${PICTURE_FITS.join(" or ")}.`).optional().openapi({
    param: {
      description: "With `w` and `h`: `contain`, the default, fits the entire picture into them; " +
        "`cover` fills them and cuts off the edges.",
    },
  }),
  format: z.enum(["auto", ...PICTURE_FORMATS], FORMATS).optional().openapi({
    param: {
      description: "The picture's own format if left out, or `png` for a GIF. `auto` is AVIF or " +
        "WebP if `Accept` names them.",
    },
  }),
  q: integerUpTo("q", 100).optional().openapi({
    type: "integer",
    minimum: 1,
    maximum: 100,
    param: { description: "Quality, 80 if left out; rounded up to a multiple of 10." },
  }),
});

const signedText = () => z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);

export const uploadToken = path(
  signedText(),
  "The signed permission to upload: its bytes, its path and its expiry.",
  "WyI2NmYxYTBjMmU0YjBhMWIyYzNkNGU1ZjYvMGY4ZmFkNWIiXQ.9qT0KkIO9l3Y0yqK3T1xWg",
);

export const resumableToken = path(
  signedText(),
  "The signed id of the upload.",
  "IjY2ZjFhMGMyZTRiMGExYjJjM2Q0ZTVmNi8wZjhmYWQ1YiI.5dT0KkIO9l3Y0yqK3T1xWg",
);

export const tusResumable: HeaderParameter<void> = {
  schema: z.literal(TUS_VERSION).optional().openapi({
    param: {
      description: `The version of tus, \`${TUS_VERSION}\`; assumed if left out.`,
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
      description: "Number of bytes that have arrived before; the body continues after them.",
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
      description: `An algorithm (${CHECKSUM_ALGORITHMS.join(", ")}), a space, and the digest of ` +
        "the body in base64. If the digest does not match, the body is discarded.",
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
  "With `format=auto`: the picture formats that you accept, such as `image/avif,image/webp`.",
);

export const range = header(
  `Parts of the file: \`bytes=0-99\`, \`bytes=100-\`, \`bytes=-100\`, or up to ${RANGES_MAX} of them ` +
    "with commas. Adjacent and overlapping parts are merged, and parts are sent in ascending order. " +
    "Units other than `bytes` are ignored.",
);

export const ifRange = header(
  "The `etag` of the file to which the parts belong. If it differs or is a date, all of the file " +
    "is sent.",
);
