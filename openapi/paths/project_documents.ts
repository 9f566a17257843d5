import type { ProblemCode } from "@/lib/problems.ts";
import { type Contract, contract } from "../contract.ts";
import type { HeaderParameters, PathParameters } from "../inputs.ts";
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
const forMembers = <B, N extends PathParameters, Q, H extends HeaderParameters>(
  operation: Contract<unknown, B, N, Q, H>,
  { operationId, summary, role, path, description }: {
    operationId: string;
    summary: string;
    role: "viewer" | "admin";
    path: string;
    description: string;
  },
) =>
  contract({
    ...operation,
    operationId,
    summary,
    tag: "Project documents",
    path: `/api/projects/{projectId}/collections/{collectionName}/documents${path}`,
    description: `${description} Row-level security does not apply.`,
    security: projectMember(role),
    params: { projectId, ...operation.params! },
    problems: operation.problems.filter((code) => !OF_OTHER_CALLERS.includes(code)),
  });

export const listProjectDocuments = forMembers(data.listDocuments, {
  operationId: "listProjectDocuments",
  summary: "List documents for the project's members",
  role: "viewer",
  path: "",
  description: "Filters, sorts and pages a collection, as applications do: of at most 16 MiB of " +
    "documents.",
});

export const aggregateProjectDocuments = forMembers(data.aggregateDocuments, {
  operationId: "aggregateProjectDocuments",
  summary: "Count and add up documents for the project's members",
  role: "viewer",
  path: "/aggregate",
  description: "Groups documents, and answers what each group has, as applications are answered.",
});

export const createProjectDocument = forMembers(data.createDocument, {
  operationId: "createProjectDocument",
  summary: "Create a document for the project's admins",
  role: "admin",
  path: "",
  description: "Stores one document, with any owner or none.",
});

export const getProjectDocument = forMembers(data.getDocument, {
  operationId: "getProjectDocument",
  summary: "Get a document for the project's members",
  role: "viewer",
  path: "/{id}",
  description: "One document.",
});

export const replaceProjectDocument = forMembers(data.replaceDocument, {
  operationId: "replaceProjectDocument",
  summary: "Replace a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: "Replaces every member but those the server sets. Without the owner field the " +
    `owner stays. ${data.NOT_IN_TRASH}`,
});

export const patchProjectDocument = forMembers(data.patchDocument, {
  operationId: "patchProjectDocument",
  summary: "Update a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: "Replaces each named top-level member whole. A dotted name, such as " +
    `\`address.city\`, changes a part of an object. ${data.NOT_IN_TRASH}`,
});

export const deleteProjectDocument = forMembers(data.deleteDocument, {
  operationId: "deleteProjectDocument",
  summary: "Delete a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: data.TO_TRASH,
});

export const recoverProjectDocument = forMembers(data.recoverDocument, {
  operationId: "recoverProjectDocument",
  summary: "Recover a document for the project's admins",
  role: "admin",
  path: "/{id}/recover",
  description: data.OUT_OF_TRASH,
});

/** In the order of the reference. */
export const PROJECT_DOCUMENTS = [
  listProjectDocuments,
  aggregateProjectDocuments,
  createProjectDocument,
  getProjectDocument,
  replaceProjectDocument,
  patchProjectDocument,
  deleteProjectDocument,
  recoverProjectDocument,
];
