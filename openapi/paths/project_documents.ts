import type { ProblemCode } from "@/lib/problems.ts";
import { type Contract, contract } from "../contract.ts";
import { projectId } from "../parameters.ts";
import { projectMember } from "../security.ts";
import * as data from "./data.ts";

/** What row-level security says, which does not bind members. */
const OF_OTHER_CALLERS: readonly ProblemCode[] = [
  "ACCESS_TOKEN_REQUIRED",
  "RLS_REQUIRED",
  "OWNER_MISMATCH",
  "OWNER_IMMUTABLE",
  "SECRET_KEY_REQUIRED",
];

/** What an application does by the project's key, for its members. */
const forMembers = (
  operation: Contract<unknown>,
  { operationId, role, path, description }: {
    operationId: string;
    role: "viewer" | "admin";
    path: string;
    description: string;
  },
) =>
  contract({
    ...operation,
    operationId,
    tag: "Project documents",
    path: `/api/projects/{projectId}/collections/{collectionName}/documents${path}`,
    description: `${description} Row-level security does not apply.`,
    security: projectMember(role),
    parameters: [
      projectId,
      ...operation.parameters.filter(({ name }) => name !== "Idempotency-Key"),
    ],
    problems: operation.problems.filter((code) =>
      !OF_OTHER_CALLERS.includes(code) && !/IDEMPOTENCY/.test(code)
    ),
  });

export const listProjectDocuments = forMembers(data.listDocuments, {
  operationId: "listProjectDocuments",
  role: "viewer",
  path: "",
  description: "Filters, sorts and pages a collection, as applications do: of at most 16 MiB of " +
    "documents.",
});

export const createProjectDocument = forMembers(data.createDocument, {
  operationId: "createProjectDocument",
  role: "admin",
  path: "",
  description: "Stores one document, with any owner or none.",
});

export const getProjectDocument = forMembers(data.getDocument, {
  operationId: "getProjectDocument",
  role: "viewer",
  path: "/{id}",
  description: "One document.",
});

export const replaceProjectDocument = forMembers(data.replaceDocument, {
  operationId: "replaceProjectDocument",
  role: "admin",
  path: "/{id}",
  description: "Replaces every member but those the server sets. Without the owner field the " +
    `owner stays. ${data.NOT_IN_TRASH}`,
});

export const patchProjectDocument = forMembers(data.patchDocument, {
  operationId: "patchProjectDocument",
  role: "admin",
  path: "/{id}",
  description: "Replaces each named top-level member whole. A dotted name, such as " +
    `\`address.city\`, changes a part of an object. ${data.NOT_IN_TRASH}`,
});

export const deleteProjectDocument = forMembers(data.deleteDocument, {
  operationId: "deleteProjectDocument",
  role: "admin",
  path: "/{id}",
  description: data.TO_TRASH,
});

export const recoverProjectDocument = forMembers(data.recoverDocument, {
  operationId: "recoverProjectDocument",
  role: "admin",
  path: "/{id}/recover",
  description: data.OUT_OF_TRASH,
});

/** In the order of the reference. */
export const PROJECT_DOCUMENTS = [
  listProjectDocuments,
  createProjectDocument,
  getProjectDocument,
  replaceProjectDocument,
  patchProjectDocument,
  deleteProjectDocument,
  recoverProjectDocument,
];
