import { z } from "@hono/zod-openapi";
import { COLUMNS_MAX, IMPORT_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { OFFSET_NAMES } from "@/lib/documents/reserved_parameters.ts";
import { LIST_ONLY_PARAMETERS } from "@/lib/operations/export_documents.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { contract } from "../contract.ts";
import { openQueryOf } from "../inputs.ts";
import {
  collectionName,
  flagParameter,
  idempotencyKey,
  listParameters,
  projectId,
} from "../parameters.ts";
import { DOCUMENT_EXAMPLE, ExportedDocuments } from "../schemas/document.ts";
import {
  IMPORT_INPUT_EXAMPLE,
  IMPORT_RESULT_EXAMPLE,
  ImportInput,
  ImportResult,
} from "../schemas/import.ts";
import * as data from "./data.ts";
import { concernsMembers, forMembers, memberAsServer } from "./for_members.ts";

const TAG = "Project documents";
const DOCUMENTS = "/api/projects/{projectId}/collections/{collectionName}/documents";

const { mirror } = forMembers(TAG, DOCUMENTS);

const withoutRowSecurity = (description: string): string =>
  `${description} Row-level security does not apply.`;

export const listProjectDocuments = mirror(data.listDocuments, {
  operationId: "listProjectDocuments",
  summary: "List documents for the project's members",
  role: "viewer",
  path: "",
  description: withoutRowSecurity(
    "Filters, sorts and pages a collection as for applications, with at most 16 MiB of documents.",
  ),
});

export const aggregateProjectDocuments = mirror(data.aggregateDocuments, {
  operationId: "aggregateProjectDocuments",
  summary: "Count and add up documents for the project's members",
  role: "viewer",
  path: "/aggregate",
  description: withoutRowSecurity(
    "Groups documents and answers the figures of each group, as for applications.",
  ),
});

export const createProjectDocument = mirror(data.createDocument, {
  operationId: "createProjectDocument",
  summary: "Create a document for the project's admins",
  role: "admin",
  path: "",
  description: withoutRowSecurity("Stores one document, with any owner or none."),
});

export const getProjectDocument = mirror(data.getDocument, {
  operationId: "getProjectDocument",
  summary: "Get a document for the project's members",
  role: "viewer",
  path: "/{id}",
  description: withoutRowSecurity("One document."),
});

export const replaceProjectDocument = mirror(data.replaceDocument, {
  operationId: "replaceProjectDocument",
  summary: "Replace a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: withoutRowSecurity(
    "Replaces all members except those that the server sets. Without the owner field, the " +
      `owner stays. ${data.NOT_IN_TRASH}`,
  ),
});

export const patchProjectDocument = mirror(data.patchDocument, {
  operationId: "patchProjectDocument",
  summary: "Update a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: withoutRowSecurity(
    "Replaces each top-level member that is sent. A dotted name, such as " +
      `\`address.city\`, changes a part of an object. ${data.NOT_IN_TRASH}`,
  ),
});

export const deleteProjectDocument = mirror(data.deleteDocument, {
  operationId: "deleteProjectDocument",
  summary: "Delete a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: withoutRowSecurity(data.TO_TRASH),
});

export const recoverProjectDocument = mirror(data.recoverDocument, {
  operationId: "recoverProjectDocument",
  summary: "Recover a document for the project's admins",
  role: "admin",
  path: "/{id}/recover",
  description: withoutRowSecurity(data.OUT_OF_TRASH),
});

/** Problems that only pages of a list can have. */
const PAGE_PROBLEMS: readonly ProblemCode[] = ["INVALID_CURSOR", "ANSWER_TOO_LARGE"];

const exportContract = {
  tag: TAG,
  method: "get",
  security: memberAsServer("viewer"),
  params: { projectId, collectionName },
  parameters: listParameters.filter(({ name }) =>
    ![...LIST_ONLY_PARAMETERS, ...OFFSET_NAMES].includes(name)
  ),
  problems: data.listDocuments.problems.filter((code) =>
    concernsMembers(code) && !PAGE_PROBLEMS.includes(code)
  ),
} as const;

const EXPORT_DESCRIPTION =
  "All documents that match the filters, in the order of the list, as one file. A document that " +
  "changes during the export is included as before or after the change. If the download breaks " +
  "off, repeat it.";

const EXPORT_HEADERS = { "content-disposition": "The name of the file." };

export const exportDocumentsAsCsv = contract({
  ...exportContract,
  operationId: "exportDocumentsAsCsv",
  path: `${DOCUMENTS}.csv`,
  summary: "Export documents as CSV for the project's members",
  description:
    `${EXPORT_DESCRIPTION} The format is RFC 4180, with objects and lists as JSON in a cell. An empty ` +
    'text is `""`; missing and null are empty cells. A text that a spreadsheet would execute gets an ' +
    "apostrophe in front, which an import removes. Filter fields named `columns` or `bom` by `where`.",
  query: openQueryOf({
    columns: z.string().transform((text) => text.split(",").map((path) => path.trim()))
      .optional().openapi({
        type: "string",
        param: {
          description: `Up to ${COLUMNS_MAX} fields, also dotted ones, comma-separated. If left ` +
            "out: all declared fields, other members of the first documents, and the members that " +
            "the server sets.",
          example: "title,author.name",
        },
      }),
    bom: flagParameter(
      "bom",
      "`true` begins the file with a byte order mark, without which Excel does not recognise " +
        "UTF-8.",
    ),
  }),
  success: [{
    status: 200,
    description: "The file.",
    data: null,
    content: { type: "text/csv", schema: z.string() },
    example: "_id,title\r\n66f1a0c2e4b0a1b2c3d4e5f6,Hello\r\n",
    headers: EXPORT_HEADERS,
  }],
});

export const exportDocumentsAsJson = contract({
  ...exportContract,
  operationId: "exportDocumentsAsJson",
  path: `${DOCUMENTS}.json`,
  summary: "Export documents as JSON for the project's members",
  description: `${EXPORT_DESCRIPTION} The file is an array of the documents as in the list.`,
  success: [{
    status: 200,
    description: "The file.",
    data: null,
    content: { type: "application/json", schema: ExportedDocuments },
    example: [DOCUMENT_EXAMPLE],
    headers: EXPORT_HEADERS,
  }],
});

/** Extra milliseconds for an import, which may write thousands of rows. */
export const IMPORT_EXTRA_MS = 270_000;

export const importDocuments = contract({
  operationId: "importDocuments",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/collections/{collectionName}/import",
  summary: "Import documents of a file for the project's admins",
  description: "Creates a document for each row of a CSV, whose first line names the fields, or " +
    "for each element of a JSON list. `address.city` names a member of an object. Cells are " +
    'parsed by their declared types; others are texts. Empty cells are left out, and `""` is an ' +
    "empty String. A line may end with separators, and the first line may be `sep=;`. Members " +
    "that the server sets are ignored: every document is new.\n\n" +
    "If a row is invalid for the collection, nothing is stored, unless `skipInvalid` leaves such " +
    "rows out. An error that occurs during storage, such as a duplicate unique value, fails only " +
    "that row: `failed` lists them, so that they can be corrected and sent again. With " +
    "`Idempotency-Key`, no row is stored twice.",
  security: memberAsServer("admin"),
  params: { projectId, collectionName },
  headers: { "idempotency-key": idempotencyKey },
  body: {
    schema: ImportInput,
    example: IMPORT_INPUT_EXAMPLE,
    description: "The file's text, and the handling of invalid rows.",
    bytesMax: IMPORT_BODY_BYTES_MAX,
  },
  extraMs: IMPORT_EXTRA_MS,
  success: [{
    status: 201,
    description: "The rows are stored, except those in `failed`.",
    data: ImportResult,
    example: IMPORT_RESULT_EXAMPLE,
    message: "Documents imported",
  }, {
    status: 200,
    description: "With `dryRun`: the result that an import would have. Nothing is stored.",
    data: ImportResult,
    example: IMPORT_RESULT_EXAMPLE,
    message: "Documents checked",
  }],
  problems: ["INVALID_INPUT", ...data.createDocument.problems.filter(concernsMembers)],
});

export const PROJECT_DOCUMENTS = {
  listProjectDocuments,
  aggregateProjectDocuments,
  createProjectDocument,
  getProjectDocument,
  replaceProjectDocument,
  patchProjectDocument,
  deleteProjectDocument,
  recoverProjectDocument,
  exportDocumentsAsCsv,
  exportDocumentsAsJson,
  importDocuments,
};
