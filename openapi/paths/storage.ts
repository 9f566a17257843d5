import {
  FREE_FILES_MAX,
  FREE_OPEN_UPLOADS_MAX,
  PRO_FILES_MAX,
  PRO_OPEN_UPLOADS_MAX,
  RESUMABLE_HOLD_HOURS,
  USER_FILES_MAX,
  USER_OPEN_UPLOADS_MAX,
} from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
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
  description: "The first of three steps: reserves space for the file and answers an address, to " +
    "which the client sends the file by PUT with its `Content-Type`, within 10 minutes. An " +
    "upload that is not confirmed within 20 minutes expires, and its space is free again; a " +
    `resumable upload, to \`resumableUrl\`, expires ${RESUMABLE_HOLD_HOURS} hours after its last ` +
    `bytes. A project on the free plan has at most ${FREE_OPEN_UPLOADS_MAX} open uploads and ` +
    `${FREE_FILES_MAX} files; on pro ${PRO_OPEN_UPLOADS_MAX} and ${PRO_FILES_MAX}. If a limit is ` +
    "reached, the request first removes up to 50 expired uploads. A user has at most " +
    `${USER_OPEN_UPLOADS_MAX} open uploads and ${USER_FILES_MAX} files.`,
  security: fileKey,
  body: {
    schema: UploadInput,
    memberProblem: "INVALID_UPLOAD",
    example: UPLOAD_EXAMPLE,
    description: "The file: its name, its type and its exact size.",
  },
  success: [{
    status: 200,
    description: "The address for the file, and its path for the confirm.",
    data: null,
    duplicatedMembers: requestedUpload,
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
  description: "The last of three steps: checks that the file has arrived completely and, for a " +
    "picture, audio, video, PDF or archive, that it matches its `contentType`; charges its size " +
    "once, and makes the file readable. A confirm can be repeated: the answer is the same. After a " +
    "409, repeat it after `Retry-After`. An upload whose 20 minutes are over is a 404, even before " +
    "its space is released.",
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
    duplicatedMembers: confirmedUpload,
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
  description: "Deletes a file and releases its space, or cancels an upload in progress. During " +
    "a confirm of the same upload, it is a 409. An upload whose 20 minutes are over is a 404.",
  security: fileKey,
  body: {
    schema: DeleteFileInput,
    example: { path: PATH_EXAMPLE },
    description: "The file.",
  },
  success: okAnswer("File deleted", "The file is deleted.", {
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
  description: "Confirmed files, newest first.",
  security: fileKey,
  query: pageQuery,
  success: okAnswer("Files listed", "A page of files.", {
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
  description: "Bytes of the project's files and of uploads in progress, and the limits.",
  security: secretKey,
  success: okAnswer("Usage read", "Used and reserved bytes, and the limits.", {
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
  description: "The metadata of one confirmed file; its bytes are at its `url`.",
  security: fileKey,
  query: fileQuery,
  success: okAnswer("File read", "The file.", { data: StoredFile, example: FILE_EXAMPLE }),
  problems: ["FILE_NOT_FOUND", "STORAGE_UNAVAILABLE"],
});

export const signFile = contract({
  operationId: "signFile",
  tag: TAG,
  method: "post",
  path: "/api/storage/sign",
  summary: "Sign an address of a file",
  description: "Creates an address with which everyone can read a confirmed file, private or " +
    "not, until it expires. Ranges are supported. The address cannot be revoked.",
  security: fileKey,
  body: {
    schema: SignFileInput,
    example: { path: PATH_EXAMPLE },
    description: "The file, and the lifetime of the address.",
  },
  success: okAnswer("Address signed", "The address.", {
    data: SignedFile,
    example: SIGNED_EXAMPLE,
  }),
  problems: ["FILE_NOT_FOUND", "STORAGE_UNAVAILABLE"],
});

export const STORAGE = {
  requestUpload,
  confirmUpload,
  signFile,
  deleteFile,
  listFiles,
  getFileInfo,
  getStorageUsage,
};
