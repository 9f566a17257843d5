import { z } from "@hono/zod-openapi";
import { EXAMPLE_ID, id, time } from "./values.ts";

export const DOCUMENT_EXAMPLE = {
  _id: EXAMPLE_ID,
  title: "Hello",
  status: "published",
  views: 3,
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.000Z",
  isDeleted: false,
  deletedAt: null,
};

export const Document = z.looseObject({
  _id: id,
  createdAt: time,
  updatedAt: time,
  isDeleted: z.boolean(),
  deletedAt: time.nullable(),
}).openapi("Document", {
  description: "A document: declared members, any other members, and five that the server sets.",
  example: DOCUMENT_EXAMPLE,
});

export const ShownDocument = z.looseObject({
  _id: id,
  createdAt: time.optional(),
  updatedAt: time.optional(),
  isDeleted: z.boolean().optional(),
  deletedAt: time.nullable().optional(),
}).openapi("ShownDocument", {
  description: "A document, of which `fields` and `meta` may leave members out.",
  example: DOCUMENT_EXAMPLE,
});

export const ExportedDocuments = z.array(ShownDocument).openapi("ExportedDocuments", {
  description: "The documents of an export, in the order of the list.",
  example: [DOCUMENT_EXAMPLE],
});

export const DocumentInput = z.looseObject({}).openapi("DocumentInput", {
  description: "The members of a document. Leave out those that the server sets.\n\n" +
    "- A declared Date is an ISO 8601 time with a zone, or a day, which means midnight in UTC; " +
    "years 0000 to 9999.\n" +
    "- A Ref is an id. Its document need not exist.\n" +
    "- A number is returned exactly as it was parsed, including the sign of -0.\n" +
    "- A name may not be empty, begin with `$`, contain a dot (which PATCH reads as a path), " +
    "begin or end with white space, contain invisible characters, or be `__proto__`, " +
    "`constructor` or `prototype`. All other names are accepted, also `_bsontype`.",
  example: { title: "Hello", status: "published", views: 3 },
});

export const DocumentChanges = z.looseObject({}).openapi("DocumentChanges", {
  description: "Members to change, by name or dotted path. A value replaces the stored one, or " +
    'is an object with one operator, such as `{ "$inc": 1 }`.',
  example: { title: "Hello", views: { $inc: 1 }, "address.city": "Rome" },
});

const EffectiveFilter = z.looseObject({}).openapi("EffectiveFilter", {
  description: "All conditions in the syntax of `where`, with those of row-level security and " +
    "the trash.",
});

const ListExplanation = z.strictObject({
  filter: EffectiveFilter,
  sort: z.string().openapi({ description: "The sort in the syntax of the parameter." }),
  index: z.array(z.string()).nullable().openapi({
    description: "Fields of the index that the list uses; null if it uses none.",
  }),
  examined: z.int().openapi({
    description: "Approximate number of documents that are read for the page and its total. Only " +
      "this differs between engines: SQLite stores totals, MongoDB counts them.",
  }),
  advice: z.string().nullable().openapi({
    description: "Fields of an index that would help, in the syntax of `sort`; null if none " +
      "would. Fields that the filter fixes come first, then the one that it bounds, or the sort.",
  }),
}).openapi("ListExplanation", {
  description: "The query plan of a list.",
  example: {
    filter: { and: [{ status: { eq: "draft" } }, { isDeleted: { eq: false } }] },
    sort: "-createdAt",
    index: ["status", "-createdAt"],
    examined: 20,
    advice: null,
  },
});

export const DocumentList = z.strictObject({
  items: z.array(ShownDocument),
  total: z.int().optional().openapi({
    description: "Number of matching documents; left out with `total=none`.",
  }),
  totalIsEstimate: z.boolean().optional().openapi({ description: "`true`, or left out." }),
  page: z.int().optional().openapi({
    description: "Page number from 1, for a list by `page` or `offset`.",
  }),
  cursor: z.string().optional().openapi({
    description: "The cursor of the request, for a list by cursor.",
  }),
  nextCursor: z.string().nullable().openapi({ description: "Null at the end." }),
  prevCursor: z.string().nullable().openapi({ description: "Null at the beginning." }),
  limit: z.int(),
  count: z.int().optional().openapi({
    description: "With `count=true`: number of matching documents; `items` is empty.",
  }),
  explain: ListExplanation.optional().openapi({
    description: "With `explain=true`, in place of the documents.",
  }),
}).openapi("DocumentList", {
  description: "A page of a list.",
  example: {
    items: [DOCUMENT_EXAMPLE],
    total: 1,
    page: 1,
    nextCursor: null,
    prevCursor: null,
    limit: 100,
  },
});

/** Warnings of lists and aggregations, at the top level of the envelope. */
export const warnings = z.array(
  z.strictObject({
    parameter: z.string().openapi({ description: "The parameter that the warning refers to." }),
    message: z.string().openapi({ description: "The problem, for a person." }),
  }).openapi("QueryWarning", {
    example: {
      parameter: "stauts",
      message: 'The collection does not declare "stauts". Did you mean "status"?',
    },
  }),
).openapi("QueryWarnings", {
  description: "Valid but probably unintended parts of the query: conditions on undeclared " +
    "fields, and names in `fields` that are similar to a declared one. Left out if there are " +
    "none. A `strict` collection refuses such conditions.",
}).optional();

export const GROUPS_EXAMPLE = {
  groups: [
    { key: { status: "draft" }, count: 2, sum: { views: 3 } },
    { key: { status: "published" }, count: 40, sum: { views: 1200 } },
  ],
  more: false,
};

const numbers = z.record(z.string(), z.number().nullable());
const numbersOrTimes = z.record(z.string(), z.union([z.number(), time]).nullable());

const DocumentGroup = z.strictObject({
  key: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable()).openapi({
    description: "The common values of the documents, by the fields of `group`.",
  }),
  count: z.int().optional(),
  sum: numbers.optional(),
  avg: numbers.optional(),
  min: numbersOrTimes.optional(),
  max: numbersOrTimes.optional(),
}).openapi("DocumentGroup", {
  description: "A group of documents with the requested figures.",
  example: GROUPS_EXAMPLE.groups[0],
});

export const DocumentGroups = z.strictObject({
  groups: z.array(DocumentGroup),
  more: z.boolean().openapi({ description: "Whether there are more groups than `limit`." }),
}).openapi("DocumentGroups", { example: GROUPS_EXAMPLE });

export const BulkInput = z.union([
  z.strictObject({ documents: z.array(DocumentInput).min(1).max(100) }),
  z.array(DocumentInput).min(1).max(100),
]).openapi("BulkInput", {
  description: "1 to 100 documents, as a list or under `documents`.",
  example: { documents: [{ title: "One" }, { title: "Two" }] },
});

export const BulkResult = z.strictObject({ insertedCount: z.int(), ids: z.array(id) })
  .openapi("BulkResult", { example: { insertedCount: 1, ids: [EXAMPLE_ID] } });

export const DeletedDocument = z.strictObject({ id })
  .openapi("DeletedDocument", { example: { id: EXAMPLE_ID } });
