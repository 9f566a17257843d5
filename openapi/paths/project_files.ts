import { z } from "@hono/zod-openapi";
import { type Contract, contract } from "../contract.ts";
import { projectId } from "../parameters.ts";
import {
  CONFIRMED_EXAMPLE,
  confirmedUpload,
  REQUESTED_EXAMPLE,
  requestedUpload,
} from "../schemas/storage.ts";
import { projectMember } from "../security.ts";
import { confirmUpload, deleteFile, listFiles, requestUpload } from "./storage.ts";

/** What the project's servers do by its secret key, for its members. */
const forMembers = (
  server: Contract<unknown>,
  { operationId, role, path }: { operationId: string; role: "viewer" | "admin"; path: string },
) =>
  contract({
    ...server,
    operationId,
    tag: "Project files",
    path: `/api/projects/{projectId}/files${path}`,
    security: projectMember(role),
    parameters: [projectId, ...server.parameters],
  });

export const listProjectFiles = forMembers(listFiles, {
  operationId: "listProjectFiles",
  role: "viewer",
  path: "",
});

export const requestProjectUpload = forMembers({
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
}, { operationId: "requestProjectUpload", role: "admin", path: "/upload-request" });

export const confirmProjectUpload = forMembers({
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
}, { operationId: "confirmProjectUpload", role: "admin", path: "/upload-confirm" });

export const deleteProjectFile = forMembers(deleteFile, {
  operationId: "deleteProjectFile",
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
