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

/** A document as it is stored. */
export const Document = z.looseObject({
  _id: id,
  createdAt: time,
  updatedAt: time,
  isDeleted: z.boolean(),
  deletedAt: time.nullable(),
}).openapi("Document", {
  description: "A document: the members its collection declares and any others, and five that " +
    "the server sets.",
  example: DOCUMENT_EXAMPLE,
});

/** A document as a query wants it shown: `fields` and `meta` may leave members out. */
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
  description: "The members of a document. Those the server sets are left out.\n\n" +
    "- A declared Date is an ISO 8601 time with a zone, or a day, which is midnight in UTC; of the " +
    "years 0000 to 9999.\n" +
    "- A Ref is an id, of which there need not be a document.\n" +
    "- A number comes back as exactly the number that was read, -0 with its sign.\n" +
    "- A name may not be empty, begin with `$`, have a dot in it (in PATCH that is a path), begin or end with white space, " +
    "hold invisible characters, or be `__proto__`, `constructor` or `prototype`. Any other is " +
    "taken, `_bsontype` too.",
  example: { title: "Hello", status: "published", views: 3 },
});

export const DocumentChanges = z.looseObject({}).openapi("DocumentChanges", {
  description: "Members to change, by their names or by dotted paths. A value takes the place of " +
    'the stored one, or is an object with one operator, such as `{ "$inc": 1 }`.',
  example: { title: "Hello", views: { $inc: 1 }, "address.city": "Rome" },
});

const EffectiveFilter = z.looseObject({}).openapi("EffectiveFilter", {
  description: "Everything that is asked of a document, as `where` writes it, with what " +
    "row-level security and the trash add.",
});

const ListExplanation = z.strictObject({
  filter: EffectiveFilter,
  sort: z.string().openapi({ description: "As the parameter writes it." }),
  index: z.array(z.string()).nullable().openapi({
    description: "Fields of the index that serves the list; null where none does.",
  }),
  examined: z.int().openapi({
    description: "About how many documents are looked at for the page and its total. This alone " +
      "differs between engines: SQLite keeps totals, MongoDB counts them.",
  }),
  advice: z.string().nullable().openapi({
    description:
      "Fields of the index that would help, as `sort` writes them; null if none would. " +
      "Those that the filter fixes come first, then the one that it bounds, or the sort.",
  }),
}).openapi("ListExplanation", {
  description: "How a list would be read.",
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
    description: "Matching documents; left out by `total=none`.",
  }),
  totalIsEstimate: z.boolean().optional().openapi({ description: "`true`, or left out." }),
  page: z.int().optional().openapi({
    description: "Of a list by `page` or `offset`: counted from 1.",
  }),
  cursor: z.string().optional().openapi({
    description: "Of a list by cursor: the one it was asked by.",
  }),
  nextCursor: z.string().nullable().openapi({ description: "Null at the end." }),
  prevCursor: z.string().nullable().openapi({ description: "Null at the beginning." }),
  limit: z.int(),
  count: z.int().optional().openapi({
    description: "With `count=true`: matching documents. None of them is in `items`.",
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

/** Of lists and aggregates, in the envelope. */
export const warnings = z.array(
  z.strictObject({
    parameter: z.string().openapi({ description: "The parameter that it is about." }),
    message: z.string().openapi({ description: "What is odd about it, for a person." }),
  }).openapi("QueryWarning", {
    example: {
      parameter: "stauts",
      message: 'The collection does not declare "stauts". Did you mean "status"?',
    },
  }),
).openapi("QueryWarnings", {
  description: "What is no mistake, but hardly meant so: each condition on a field that the " +
    "collection does not declare, and names in `fields` that are like one that it declares. Left " +
    "out where there is none. A `strict` collection refuses such a condition.",
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
    description: "What the documents have in common, by the fields of `group`.",
  }),
  count: z.int().optional(),
  sum: numbers.optional(),
  avg: numbers.optional(),
  min: numbersOrTimes.optional(),
  max: numbersOrTimes.optional(),
}).openapi("DocumentGroup", {
  description: "A group of documents, and what was asked for of it.",
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
