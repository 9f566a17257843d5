import { z } from "@hono/zod-openapi";
import {
  CONFIRMED_EXAMPLE,
  confirmedUpload,
  REQUESTED_EXAMPLE,
  requestedUpload,
} from "../schemas/storage.ts";
import { forMembers } from "./for_members.ts";
import { confirmUpload, deleteFile, listFiles, requestUpload } from "./storage.ts";

const ofFiles = forMembers("Project files", "/api/projects/{projectId}/files");

export const listProjectFiles = ofFiles(listFiles, {
  operationId: "listProjectFiles",
  summary: "List files for the project's members",
  role: "viewer",
  path: "",
});

export const requestProjectUpload = ofFiles({
  ...requestUpload,
  success: [{
    status: 200,
    description: "Where to send the file, and its path for confirm.",
    data: z.strictObject(requestedUpload).openapi("RequestedUpload", {
      example: REQUESTED_EXAMPLE,
    }),
    example: REQUESTED_EXAMPLE,
    message: "Upload requested",
  }],
}, {
  operationId: "requestProjectUpload",
  summary: "Request an upload for the project's admins",
  role: "admin",
  path: "/upload-request",
});

export const confirmProjectUpload = ofFiles({
  ...confirmUpload,
  success: [{
    status: 200,
    description: "The file is stored.",
    data: z.strictObject(confirmedUpload).openapi("ConfirmedUpload", {
      example: CONFIRMED_EXAMPLE,
    }),
    example: CONFIRMED_EXAMPLE,
    message: "Upload confirmed",
  }],
}, {
  operationId: "confirmProjectUpload",
  summary: "Confirm an upload for the project's admins",
  role: "admin",
  path: "/upload-confirm",
});

export const deleteProjectFile = ofFiles(deleteFile, {
  operationId: "deleteProjectFile",
  summary: "Delete a file for the project's admins",
  role: "admin",
  path: "",
});

/** In the order of the reference. */
export const PROJECT_FILES = [
  listProjectFiles,
  requestProjectUpload,
  confirmProjectUpload,
  deleteProjectFile,
];
