import { z } from "@hono/zod-openapi";
import { OFFSET_TYPE } from "@/lib/http/tus.ts";
import { RESUMABLE_HOLD_HOURS, UPLOADS_AT_ONCE_MAX } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import {
  accept,
  fileName,
  fileProjectId,
  ifRange,
  range,
  readingQuery,
  resumableToken,
  tusResumable,
  uploadChecksum,
  uploadOffset,
  uploadToken,
} from "../file_parameters.ts";
import { ifNoneMatch } from "../parameters.ts";
import { time } from "../schemas/values.ts";
import { anyone } from "../security.ts";

const TAG = "Files";

/** A part of an upload into a bucket may be under way so long, while nothing arrives. */
const PART_EXTRA_MS = 60_000;
/** Parts of 5 MiB, 10,000 of them. */
const PARTS_GROW_GIB = 48;

const bytes = z.any().openapi({ type: "string", format: "binary" });

const FILE_HEADERS = {
  etag: "Names the file; it never changes.",
  "accept-ranges": "`bytes`.",
  "cache-control":
    "Lets it be kept for a year: another file has another address. A private one is " +
    "kept by its reader alone, for an hour.",
  "content-disposition":
    "The file's name, in which controls and marks of direction are `_`. HTML, SVG and XML are " +
    "attachments, under a `content-security-policy` that " +
    "lets them do nothing; at the dashboard's host so is all but images, audio, video, fonts, " +
    "plain text, CSV and JSON.",
};

export const putBlob = contract({
  operationId: "putBlob",
  tag: TAG,
  method: "put",
  path: "/api/storage/blob/{token}",
  summary: "Upload a file's bytes with the address of an upload",
  description: "What the `signedUrl` of an upload request is, where files are kept in a folder: " +
    "the address itself is the permission. It takes the requested number of bytes of the " +
    "requested type, from any origin, for ten minutes. Something must arrive every 30 seconds, " +
    "and all of it before the upload's hold ends. A refused upload can be sent again.\n\n" +
    `A process takes ${UPLOADS_AT_ONCE_MAX} uploads to one address at once, one more is a 429; the last ` +
    "that ends counts. One that ends while a confirm is at work is a 409, though the confirm may " +
    "take what it " +
    "brought.",
  security: anyone,
  params: { token: uploadToken },
  rawBody: { description: "The file, as it is." },
  success: [{
    status: 200,
    description: "The bytes are kept until the upload is confirmed.",
    headers: { etag: "The one that the file is served with, once it is confirmed." },
    data: z.strictObject({ size: z.int() }),
    example: { size: 48_213 },
    message: "File received: confirm the upload",
  }],
  problems: [
    "INVALID_UPLOAD",
    "UNSUPPORTED_MEDIA_TYPE",
    "UPLOAD_TOO_SHORT",
    "UPLOAD_TOKEN_INVALID",
    "REQUEST_TIMEOUT",
    "UPLOAD_FINISHED",
    "UPLOAD_TOO_LONG",
    "UPLOAD_TYPE_MISMATCH",
    "RATE_LIMITED",
    "STORAGE_UNAVAILABLE",
  ],
});

const RESUMABLE_PATH = "/api/storage/resumable/{token}";
const RESUMABLE_PROBLEMS = ["UPLOAD_TOKEN_INVALID", "UPLOAD_GONE"] as const;

const PROGRESS_HEADERS = {
  "upload-offset": "How many bytes have arrived.",
  "upload-length": "How many there will be.",
  "upload-expires": "When the upload is given up if no more arrive.",
};

const PROGRESS_EXAMPLE = {
  offset: 5_242_880,
  size: 48_000_000,
  expiresAt: "2026-02-01T12:00:00.000Z",
};

export const getUpload = contract({
  operationId: "getUpload",
  tag: TAG,
  method: "get",
  path: RESUMABLE_PATH,
  summary: "Ask how far an upload has come",
  description: "What the `resumableUrl` of an upload request is: the address itself is the " +
    "permission, from any origin. It speaks [tus 1.0](https://tus.io/protocols/resumable-upload) " +
    "with checksums, expiry and termination, so tus-js-client and Uppy take it as their `uploadUrl`; " +
    "`HEAD` answers the headers alone. The upload itself is created by the upload request, and " +
    "becomes a file by its confirm.",
  security: anyone,
  params: { token: resumableToken },
  headers: { "tus-resumable": tusResumable },
  success: [{
    status: 200,
    description: "How far it has come.",
    headers: PROGRESS_HEADERS,
    data: z.strictObject({
      offset: z.int().min(0).openapi({ description: "Bytes that have arrived." }),
      size: z.int().min(0).openapi({ description: "Bytes in all." }),
      expiresAt: time,
    }),
    example: PROGRESS_EXAMPLE,
    message: "Upload found",
  }],
  problems: [...RESUMABLE_PROBLEMS, "STORAGE_UNAVAILABLE"],
});

export const resumeUpload = contract({
  operationId: "resumeUpload",
  tag: TAG,
  method: "patch",
  path: RESUMABLE_PATH,
  summary: "Send bytes of an upload",
  description:
    "Any number of the bytes that are missing, from `Upload-Offset` on. What has arrived when a " +
    `connection breaks is kept, and the upload stays for ${RESUMABLE_HOLD_HOURS} hours after that. ` +
    "One connection brings bytes at a time: a later one, of a client that has lost the first, gets " +
    "the turn within two seconds, and the first ends with a 423. Something must arrive every 30 " +
    "seconds.\n\n" +
    "After the last byte, confirm the upload. Into a bucket bytes go in parts of 5 MiB, or more " +
    `from ${PARTS_GROW_GIB} GiB on; of a process that is killed the part under way is lost.`,
  security: anyone,
  params: { token: resumableToken },
  headers: {
    "tus-resumable": tusResumable,
    "upload-offset": uploadOffset,
    "upload-checksum": uploadChecksum,
  },
  rawBody: { type: OFFSET_TYPE, description: "Bytes of the file." },
  extraMs: PART_EXTRA_MS,
  success: [{
    status: 204,
    description: "The bytes are kept.",
    headers: PROGRESS_HEADERS,
    data: null,
  }],
  problems: [
    ...RESUMABLE_PROBLEMS,
    "UNSUPPORTED_MEDIA_TYPE",
    "REQUEST_TIMEOUT",
    "UPLOAD_OFFSET_MISMATCH",
    "UPLOAD_TOO_LONG",
    "UPLOAD_LOCKED",
    "CHECKSUM_MISMATCH",
    "STORAGE_UNAVAILABLE",
  ],
});

export const cancelUpload = contract({
  operationId: "cancelUpload",
  tag: TAG,
  method: "delete",
  path: RESUMABLE_PATH,
  summary: "Cancel an upload",
  description: "Removes what has arrived, and gives its space back. A confirmed file stays.",
  security: anyone,
  params: { token: resumableToken },
  headers: { "tus-resumable": tusResumable },
  success: [{ status: 204, description: "The upload is over.", data: null }],
  problems: [...RESUMABLE_PROBLEMS, "UPLOAD_LOCKED"],
});

export const serveFile = contract({
  operationId: "serveFile",
  tag: TAG,
  method: "get",
  path: "/files/{projectId}/{name}",
  summary: "Download a file, as anyone",
  description:
    "The `url` of a confirmed file, where files are kept in a folder; with `HEAD` too. " +
    "JavaScript, CSS and WebAssembly, `multipart` and what is no content type come as " +
    "`application/octet-stream`. A file whose object is missing, or has another length, is a 404; " +
    "the command `storage reconcile` names it.\n\nA private file is served at a signed address alone, " +
    "which has `expires` and `signature`.\n\n" +
    "Of a picture (JPEG, PNG, WebP, AVIF, GIF) of up to 25 MB and 50 megapixels, whichever store it " +
    "is in, `w`, `h`, `fit`, `format` and `q` ask for a size: upright, without metadata, made when it " +
    "is first asked for and kept while it is asked for. It may be cached as long as the file itself.",
  security: anyone,
  params: { projectId: fileProjectId, name: fileName },
  query: readingQuery,
  headers: { accept, range, "if-range": ifRange, "if-none-match": ifNoneMatch },
  success: [
    {
      status: 200,
      description: "The file.",
      data: null,
      content: { type: "*/*", schema: bytes },
      example: "…",
      headers: FILE_HEADERS,
    },
    {
      status: 206,
      description: "The ranges that were asked for; several as `multipart/byteranges`.",
      data: null,
      content: { type: "*/*", schema: bytes },
      example: "…",
      headers: { ...FILE_HEADERS, "content-range": "Which part it is, of a single one." },
    },
    { status: 304, description: "The file is the one you hold.", data: null },
  ],
  problems: [
    "INVALID_QUERY",
    "FILE_ADDRESS_INVALID",
    "FILE_NOT_FOUND",
    "RANGE_NOT_SATISFIABLE",
    "PICTURE_UNUSABLE",
    "STORAGE_UNAVAILABLE",
  ],
});

/** In the order of the reference. */
export const BLOBS = { putBlob, getUpload, resumeUpload, cancelUpload, serveFile };
