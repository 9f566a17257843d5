import { z } from "@hono/zod-openapi";
import { COLUMNS_MAX, IMPORT_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { OFFSET_NAMES } from "@/lib/documents/reserved_parameters.ts";
import { NOT_OF_EXPORTS } from "@/lib/operations/export_documents.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { contract } from "../contract.ts";
import { openQueryOf } from "../inputs.ts";
import { collectionName, flag, idempotencyKey, listing, projectId } from "../parameters.ts";
import { DOCUMENT_EXAMPLE, ExportedDocuments } from "../schemas/document.ts";
import {
  IMPORT_INPUT_EXAMPLE,
  IMPORT_RESULT_EXAMPLE,
  ImportInput,
  ImportResult,
} from "../schemas/import.ts";
import * as data from "./data.ts";
import { forMembers, isOfMembers, memberAsServer } from "./for_members.ts";

const TAG = "Project documents";
const DOCUMENTS = "/api/projects/{projectId}/collections/{collectionName}/documents";

const { mirror } = forMembers(TAG, DOCUMENTS);

const unbound = (description: string): string =>
  `${description} Row-level security does not apply.`;

export const listProjectDocuments = mirror(data.listDocuments, {
  operationId: "listProjectDocuments",
  summary: "List documents for the project's members",
  role: "viewer",
  path: "",
  description: unbound(
    "Filters, sorts and pages a collection, as applications do: of at most 16 MiB of " +
      "documents.",
  ),
});

export const aggregateProjectDocuments = mirror(data.aggregateDocuments, {
  operationId: "aggregateProjectDocuments",
  summary: "Count and add up documents for the project's members",
  role: "viewer",
  path: "/aggregate",
  description: unbound(
    "Groups documents, and answers what each group has, as applications are answered.",
  ),
});

export const createProjectDocument = mirror(data.createDocument, {
  operationId: "createProjectDocument",
  summary: "Create a document for the project's admins",
  role: "admin",
  path: "",
  description: unbound("Stores one document, with any owner or none."),
});

export const getProjectDocument = mirror(data.getDocument, {
  operationId: "getProjectDocument",
  summary: "Get a document for the project's members",
  role: "viewer",
  path: "/{id}",
  description: unbound("One document."),
});

export const replaceProjectDocument = mirror(data.replaceDocument, {
  operationId: "replaceProjectDocument",
  summary: "Replace a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: unbound(
    "Replaces every member but those the server sets. Without the owner field the " +
      `owner stays. ${data.NOT_IN_TRASH}`,
  ),
});

export const patchProjectDocument = mirror(data.patchDocument, {
  operationId: "patchProjectDocument",
  summary: "Update a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: unbound(
    "Replaces each named top-level member whole. A dotted name, such as " +
      `\`address.city\`, changes a part of an object. ${data.NOT_IN_TRASH}`,
  ),
});

export const deleteProjectDocument = mirror(data.deleteDocument, {
  operationId: "deleteProjectDocument",
  summary: "Delete a document for the project's admins",
  role: "admin",
  path: "/{id}",
  description: unbound(data.TO_TRASH),
});

export const recoverProjectDocument = mirror(data.recoverDocument, {
  operationId: "recoverProjectDocument",
  summary: "Recover a document for the project's admins",
  role: "admin",
  path: "/{id}/recover",
  description: unbound(data.OUT_OF_TRASH),
});

/** What only a page of a list can be refused for. */
const OF_PAGES: readonly ProblemCode[] = ["INVALID_CURSOR", "ANSWER_TOO_LARGE"];

/** What all exports have in common. */
const exporting = {
  tag: TAG,
  method: "get",
  security: memberAsServer("viewer"),
  params: { projectId, collectionName },
  parameters: listing.filter(({ name }) => ![...NOT_OF_EXPORTS, ...OFFSET_NAMES].includes(name)),
  problems: data.listDocuments.problems.filter((code) =>
    isOfMembers(code) && !OF_PAGES.includes(code)
  ),
} as const;

const EXPORTED =
  "All documents that match the filters, in the order of the list, as one file. A document that " +
  "changes during the export is in it as before or after. If the file breaks off, ask again.";

const IN_EXPORTS = {
  "content-disposition": "The name of the file.",
};

export const exportDocumentsAsCsv = contract({
  ...exporting,
  operationId: "exportDocumentsAsCsv",
  path: `${DOCUMENTS}.csv`,
  summary: "Export documents as CSV for the project's members",
  description:
    `${EXPORTED} Lines are as RFC 4180 has them, objects and lists are JSON in a cell. An empty ` +
    'text is `""`; missing and null are empty cells. A text that a spreadsheet would run begins with ' +
    "an apostrophe, which an import removes. Filter fields called `columns` or `bom` by `where`.",
  query: openQueryOf({
    columns: z.string().transform((text) => text.split(",").map((path) => path.trim()))
      .optional().openapi({
        type: "string",
        param: {
          description: `Up to ${COLUMNS_MAX} fields, also dotted ones, comma-separated, in their ` +
            "order. Left out, it is all that is declared, what else the first documents hold, and " +
            "what the server sets.",
          example: "title,author.name",
        },
      }),
    bom: flag(
      "bom",
      "`true` begins the file with a byte order mark, without which Excel takes UTF-8 for the " +
        "encoding of its country.",
    ),
  }),
  success: [{
    status: 200,
    description: "The file.",
    data: null,
    content: { type: "text/csv", schema: z.string() },
    example: "_id,title\r\n66f1a0c2e4b0a1b2c3d4e5f6,Hello\r\n",
    headers: IN_EXPORTS,
  }],
});

export const exportDocumentsAsJson = contract({
  ...exporting,
  operationId: "exportDocumentsAsJson",
  path: `${DOCUMENTS}.json`,
  summary: "Export documents as JSON for the project's members",
  description: `${EXPORTED} It holds a list of the documents as the list answers them.`,
  success: [{
    status: 200,
    description: "The file.",
    data: null,
    content: { type: "application/json", schema: ExportedDocuments },
    example: [DOCUMENT_EXAMPLE],
    headers: IN_EXPORTS,
  }],
});

/** An import writes thousands of rows. */
export const IMPORT_EXTRA_MS = 270_000;

export const importDocuments = contract({
  operationId: "importDocuments",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/collections/{collectionName}/import",
  summary: "Import documents of a file for the project's admins",
  description:
    "Creates a document of each row of a CSV, whose first line names the fields, or of " +
    "each element of a JSON list. `address.city` names a member of an object. Cells are read by the " +
    'types that are declared, others are texts. Empty cells are left out, and `""` is an empty ' +
    "text of a String. A line may end with separators, and the first one may be `sep=;`. " +
    "What the server sets is left out, too: every document is a new one.\n\n" +
    "If a row does not fit the collection, nothing is stored, unless `skipInvalid` says to leave " +
    "such rows out. What only shows while rows are stored, as a unique value that is taken, fails " +
    "that row alone: `failed` tells which, so that they can be mended and sent again. With `Idempotency-Key` " +
    "no row is stored twice, however often the file is sent.",
  security: memberAsServer("admin"),
  params: { projectId, collectionName },
  headers: { "idempotency-key": idempotencyKey },
  body: {
    schema: ImportInput,
    example: IMPORT_INPUT_EXAMPLE,
    description: "The file's text, and what becomes of rows that do not fit.",
    bytesMax: IMPORT_BODY_BYTES_MAX,
  },
  extraMs: IMPORT_EXTRA_MS,
  success: [{
    status: 201,
    description: "The rows are stored, but for those in `failed`.",
    data: ImportResult,
    example: IMPORT_RESULT_EXAMPLE,
    message: "Documents imported",
  }, {
    status: 200,
    description: "With `dryRun`: what would become of the rows. Nothing is stored.",
    data: ImportResult,
    example: IMPORT_RESULT_EXAMPLE,
    message: "Documents checked",
  }],
  problems: ["INVALID_INPUT", ...data.createDocument.problems.filter(isOfMembers)],
});

/** In the order of the reference. */
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
