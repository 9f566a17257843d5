import {
  FREE_FILES_MAX,
  FREE_OPEN_UPLOADS_MAX,
  PRO_FILES_MAX,
  PRO_OPEN_UPLOADS_MAX,
  RESUMABLE_HOLD_HOURS,
  USER_FILES_MAX,
  USER_OPEN_UPLOADS_MAX,
} from "@/lib/limits.ts";
import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import { fileQuery } from "../file_parameters.ts";
import { pageQuery } from "../parameters.ts";
import {
  CONFIRM_EXAMPLE,
  CONFIRMED_EXAMPLE,
  confirmedUpload,
  ConfirmInput,
  DeletedFile,
  DeleteFileInput,
  FILE_EXAMPLE,
  FileList,
  PATH_EXAMPLE,
  REQUESTED_EXAMPLE,
  requestedUpload,
  SIGNED_EXAMPLE,
  SignedFile,
  SignFileInput,
  StorageUsage,
  StoredFile,
  UPLOAD_EXAMPLE,
  UploadInput,
  USAGE_EXAMPLE,
} from "../schemas/storage.ts";
import { fileKey, secretKey } from "../security.ts";

const TAG = "Files";

export const requestUpload = contract({
  operationId: "requestUpload",
  tag: TAG,
  method: "post",
  path: "/api/storage/upload-request",
  summary: "Request an upload",
  description: "The first of three steps: holds space for the file and answers an address to " +
    "which the client sends it by PUT, as it is and with its `Content-Type`, within 10 minutes. " +
    "What is not confirmed within 20 minutes is given up, and its space is free again; an upload " +
    `that comes in pieces, to \`resumableUrl\`, ${RESUMABLE_HOLD_HOURS} hours after the last of them. A project ` +
    `on the free plan has at most ${FREE_OPEN_UPLOADS_MAX} such open uploads, and ` +
    `${FREE_FILES_MAX} files; on pro ${PRO_OPEN_UPLOADS_MAX} and ${PRO_FILES_MAX}. Where there is no ` +
    "room, the request itself ends uploads that have expired, 50 at most, and takes theirs. " +
    `A user has at most ${USER_OPEN_UPLOADS_MAX} open uploads and ${USER_FILES_MAX} files.`,
  security: fileKey,
  body: {
    schema: UploadInput,
    memberProblem: "INVALID_UPLOAD",
    example: UPLOAD_EXAMPLE,
    description: "The file: its name, its type and its exact size.",
  },
  success: [{
    status: 200,
    description: "Where to send the file, and its path for confirm.",
    data: null,
    members: requestedUpload,
    example: REQUESTED_EXAMPLE,
    message: "Upload requested",
  }],
  problems: [
    "INVALID_UPLOAD",
    "FILE_TOO_LARGE",
    "STORAGE_QUOTA_EXCEEDED",
    "PLAN_LIMIT_REACHED",
    "FILE_TYPE_REFUSED",
    "TOO_MANY_UPLOADS",
    "STORAGE_UNAVAILABLE",
  ],
});

export const confirmUpload = contract({
  operationId: "confirmUpload",
  tag: TAG,
  method: "post",
  path: "/api/storage/upload-confirm",
  summary: "Confirm an upload",
  description:
    "The last of three steps: checks that the file has arrived whole and, of a picture, " +
    "audio, video, a PDF or an archive, that it is what its `contentType` says; charges its size " +
    "once, and puts it where it is read. May be repeated: the answer is the same. A 409 may be repeated " +
    "too, after `Retry-After`. An upload whose 20 minutes are over is a 404, even before its space " +
    "is given back.",
  security: fileKey,
  body: {
    schema: ConfirmInput,
    memberProblem: "INVALID_UPLOAD",
    example: CONFIRM_EXAMPLE,
    description: "The path from the request, and the size again.",
  },
  success: [{
    status: 200,
    description: "The file is stored.",
    data: null,
    members: confirmedUpload,
    example: CONFIRMED_EXAMPLE,
    message: "Upload confirmed",
  }],
  problems: [
    "INVALID_UPLOAD",
    "SIZE_MISMATCH",
    "FILE_NOT_FOUND",
    "UPLOAD_NOT_READY",
    "TYPE_MISMATCH",
    "STORAGE_UNAVAILABLE",
  ],
});

export const deleteFile = contract({
  operationId: "deleteFile",
  tag: TAG,
  method: "delete",
  path: "/api/storage/file",
  summary: "Delete a file",
  description:
    "Removes a file and returns its space; of an upload under way, cancels it. While a " +
    "confirm of it is at work, that is a 409. An upload whose 20 minutes are over is a 404.",
  security: fileKey,
  body: {
    schema: DeleteFileInput,
    example: { path: PATH_EXAMPLE },
    description: "Which file.",
  },
  success: answered("File deleted", "The file is gone.", {
    data: DeletedFile,
    example: { deleted: true },
  }),
  problems: ["FILE_NOT_FOUND", "UPLOAD_NOT_READY"],
});

export const listFiles = contract({
  operationId: "listFiles",
  tag: TAG,
  method: "get",
  path: "/api/storage/files",
  summary: "List files",
  description: "Confirmed files, the newest first.",
  security: fileKey,
  query: pageQuery,
  success: answered("Files listed", "A page of files.", {
    data: FileList,
    example: { items: [FILE_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR", "STORAGE_UNAVAILABLE"],
});

export const getStorageUsage = contract({
  operationId: "getStorageUsage",
  tag: TAG,
  method: "get",
  path: "/api/storage/usage",
  summary: "Get storage usage for your server",
  description: "What the project's files take and what uploads under way hold, beside the limits.",
  security: secretKey,
  success: answered("Usage read", "Bytes used and held, and the limits.", {
    data: StorageUsage,
    example: USAGE_EXAMPLE,
  }),
  problems: ["STORAGE_UNAVAILABLE"],
});

export const getFileInfo = contract({
  operationId: "getFileInfo",
  tag: TAG,
  method: "get",
  path: "/api/storage/file",
  summary: "Get a file's metadata",
  description: "What is known of one confirmed file; its bytes are at its `url`.",
  security: fileKey,
  query: fileQuery,
  success: answered("File read", "The file.", { data: StoredFile, example: FILE_EXAMPLE }),
  problems: ["FILE_NOT_FOUND", "STORAGE_UNAVAILABLE"],
});

export const signFile = contract({
  operationId: "signFile",
  tag: TAG,
  method: "post",
  path: "/api/storage/sign",
  summary: "Sign an address of a file",
  description: "An address by which whoever has it reads a confirmed file, private or not, for a " +
    "while: with ranges, until it expires. It cannot be taken back.",
  security: fileKey,
  body: {
    schema: SignFileInput,
    example: { path: PATH_EXAMPLE },
    description: "Which file, and for how long.",
  },
  success: answered("Address signed", "The address.", {
    data: SignedFile,
    example: SIGNED_EXAMPLE,
  }),
  problems: ["FILE_NOT_FOUND", "STORAGE_UNAVAILABLE"],
});

/** In the order of the reference. */
export const STORAGE = {
  requestUpload,
  confirmUpload,
  signFile,
  deleteFile,
  listFiles,
  getFileInfo,
  getStorageUsage,
};
