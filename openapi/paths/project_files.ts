import { z } from "@hono/zod-openapi";
import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { projectId } from "../parameters.ts";
import {
  CONFIRMED_EXAMPLE,
  confirmedUpload,
  FILE_EXAMPLE,
  FileChanges,
  PATH_EXAMPLE,
  REQUESTED_EXAMPLE,
  requestedUpload,
  StoredFile,
} from "../schemas/storage.ts";
import { forMembers, memberAsServer } from "./for_members.ts";
import { confirmUpload, deleteFile, listFiles, requestUpload, signFile } from "./storage.ts";

const TAG = "Project files";
const ADDRESS = "/api/projects/{projectId}/files";

const { declare, mirror } = forMembers(TAG, ADDRESS);

export const listProjectFiles = mirror(listFiles, {
  operationId: "listProjectFiles",
  summary: "List files for the project's members",
  role: "viewer",
  path: "",
});

export const requestProjectUpload = declare({
  ...requestUpload,
  success: okAnswer("Upload requested", "The address for the file, and its path for the confirm.", {
    data: z.strictObject(requestedUpload).openapi("RequestedUpload", {
      example: REQUESTED_EXAMPLE,
    }),
    example: REQUESTED_EXAMPLE,
  }),
}, {
  operationId: "requestProjectUpload",
  summary: "Request an upload for the project's admins",
  role: "admin",
  path: "/upload-request",
});

export const confirmProjectUpload = declare({
  ...confirmUpload,
  success: okAnswer("Upload confirmed", "The file is stored.", {
    data: z.strictObject(confirmedUpload).openapi("ConfirmedUpload", {
      example: CONFIRMED_EXAMPLE,
    }),
    example: CONFIRMED_EXAMPLE,
  }),
}, {
  operationId: "confirmProjectUpload",
  summary: "Confirm an upload for the project's admins",
  role: "admin",
  path: "/upload-confirm",
});

export const deleteProjectFile = mirror(deleteFile, {
  operationId: "deleteProjectFile",
  summary: "Delete a file for the project's admins",
  role: "admin",
  path: "",
});

export const signProjectFile = mirror(signFile, {
  operationId: "signProjectFile",
  summary: "Sign an address of a file for the project's members",
  role: "viewer",
  path: "/sign",
});

export const changeProjectFile = contract({
  operationId: "changeProjectFile",
  tag: TAG,
  method: "patch",
  path: ADDRESS,
  summary: "Make a file public or private",
  description: "Makes a confirmed file readable for everyone, or only with a signed address. Its " +
    "public address starts or stops working; caches may keep copies.",
  security: memberAsServer("admin"),
  params: { projectId },
  body: {
    schema: FileChanges,
    example: { path: PATH_EXAMPLE, visibility: "private" },
    description: "The file and its visibility.",
  },
  success: okAnswer("File changed", "The changed file.", {
    data: StoredFile,
    example: { ...FILE_EXAMPLE, url: null, visibility: "private" },
  }),
  problems: ["FILE_NOT_FOUND", "UPLOAD_NOT_READY", "STORAGE_UNAVAILABLE"],
});

export const PROJECT_FILES = {
  listProjectFiles,
  requestProjectUpload,
  confirmProjectUpload,
  signProjectFile,
  changeProjectFile,
  deleteProjectFile,
};
