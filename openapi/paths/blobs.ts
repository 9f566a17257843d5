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

/** Extra milliseconds for sending a part to a bucket, during which no bytes arrive. */
const PART_EXTRA_MS = 60_000;
/** Size in GiB that the maximum of 10,000 parts of 5 MiB covers. */
const PARTS_GROW_GIB = 48;

const bytes = z.any().openapi({ type: "string", format: "binary" });

const FILE_HEADERS = {
  etag: "Identifies the file; it never changes.",
  "accept-ranges": "`bytes`.",
  "cache-control":
    "Allows caching for a year, because every file has its own address; a private file " +
    "only by its reader and for an hour.",
  "content-disposition":
    "The file's name, with `_` for control characters and marks of direction. HTML, SVG and XML are " +
    "attachments, with a `content-security-policy` that blocks everything; at the dashboard's host, " +
    "so are all types except images, audio, video, fonts, plain text, CSV and JSON.",
};

export const putBlob = contract({
  operationId: "putBlob",
  tag: TAG,
  method: "put",
  path: "/api/storage/blob/{token}",
  summary: "Upload a file's bytes with the address of an upload",
  description: "The `signedUrl` of an upload request, if files are stored in a folder: the " +
    "address itself is the permission. It accepts the requested number of bytes of the requested " +
    "type, from any origin, for ten minutes. Bytes must arrive every 30 seconds, and all of them " +
    "before the upload expires. A refused upload can be sent again.\n\n" +
    `A process accepts ${UPLOADS_AT_ONCE_MAX} concurrent uploads to one address; one more is a ` +
    "429. The upload that ends last is used. An upload that ends during a confirm is a 409, " +
    "although the confirm may use its bytes.",
  security: anyone,
  params: { token: uploadToken },
  rawBody: { description: "The bytes of the file." },
  success: [{
    status: 200,
    description: "The bytes are stored until the upload is confirmed.",
    headers: { etag: "The `etag` of the file after its confirm." },
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
  "upload-offset": "Number of bytes that have arrived.",
  "upload-length": "Total number of bytes.",
  "upload-expires": "Time at which the upload expires if no more bytes arrive.",
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
  summary: "Get the progress of an upload",
  description:
    "The `resumableUrl` of an upload request: the address itself is the permission, from any " +
    "origin. It supports [tus 1.0](https://tus.io/protocols/resumable-upload) with checksums, expiry " +
    "and termination, so tus-js-client and Uppy accept it as their `uploadUrl`; `HEAD` answers only " +
    "the headers. The upload request creates the upload, and the confirm makes it a file.",
  security: anyone,
  params: { token: resumableToken },
  headers: { "tus-resumable": tusResumable },
  success: [{
    status: 200,
    description: "The progress.",
    headers: PROGRESS_HEADERS,
    data: z.strictObject({
      offset: z.int().min(0).openapi({ description: "Bytes that have arrived." }),
      size: z.int().min(0).openapi({ description: "Total number of bytes." }),
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
  description: "Accepts any number of missing bytes from `Upload-Offset` on. If the connection " +
    "breaks, the bytes that have arrived are kept, and the upload expires " +
    `${RESUMABLE_HOLD_HOURS} hours later. Only one connection sends bytes at a time: a new one, ` +
    "of a client that has lost the first, takes over within two seconds, and the first ends with " +
    "a 423. Bytes must arrive every 30 seconds.\n\n" +
    "After the last byte, confirm the upload. A bucket receives parts of 5 MiB, or larger ones " +
    `from ${PARTS_GROW_GIB} GiB on; if a process is killed, the current part is lost.`,
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
    description: "The bytes are stored.",
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
  description:
    "Deletes the bytes that have arrived and releases the space. A confirmed file stays.",
  security: anyone,
  params: { token: resumableToken },
  headers: { "tus-resumable": tusResumable },
  success: [{ status: 204, description: "The upload is cancelled.", data: null }],
  problems: [...RESUMABLE_PROBLEMS, "UPLOAD_LOCKED"],
});

export const serveFile = contract({
  operationId: "serveFile",
  tag: TAG,
  method: "get",
  path: "/files/{projectId}/{name}",
  summary: "Download a file, as anyone",
  description: "The `url` of a confirmed file, if files are stored in a folder; also for `HEAD`. " +
    "JavaScript, CSS, WebAssembly, `multipart` and invalid content types are served as " +
    "`application/octet-stream`. A file whose object is missing or has another length is a 404; " +
    "the command `storage reconcile` lists it.\n\nA private file is served only at a signed address, " +
    "which has `expires` and `signature`.\n\n" +
    "For a picture (JPEG, PNG, WebP, AVIF, GIF) of up to 25 MB and 50 megapixels, in any store, `w`, " +
    "`h`, `fit`, `format` and `q` request a size: upright and without metadata. A size is made at " +
    "its first request and kept while it is used. It may be cached as long as the file itself.",
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
      description: "The requested ranges; several as `multipart/byteranges`.",
      data: null,
      content: { type: "*/*", schema: bytes },
      example: "…",
      headers: { ...FILE_HEADERS, "content-range": "The range, if it is a single one." },
    },
    { status: 304, description: "The file has not changed.", data: null },
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

export const BLOBS = { putBlob, getUpload, resumeUpload, cancelUpload, serveFile };
