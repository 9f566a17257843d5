import { z } from "@hono/zod-openapi";
import type { BatchOperation } from "@/lib/documents/write_batch.ts";
import { ID_ANY_CASE, parseId } from "@/lib/ids.ts";
import { BATCH_OPERATIONS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import { didYouMean } from "@/lib/text/nearest.ts";
import type { Json } from "@/lib/store/port.ts";
import { bodyOf, type Issue, parseInput } from "../inputs.ts";
import { Document, DOCUMENT_EXAMPLE } from "./document.ts";
import { EXAMPLE_ID, id as shownId } from "./values.ts";

const collection = z.string({ error: '"collection" must be the name of a collection.' })
  .openapi({ description: "The name of a collection.", example: "posts" });

const ID_ERROR = '"id" must be 24 hexadecimal digits.';
const id = z.string({ error: ID_ERROR }).regex(ID_ANY_CASE, { error: ID_ERROR })
  .transform((text) => parseId(text)!) // The pattern matches.
  .openapi({
    type: "string",
    pattern: ID_ANY_CASE.source,
    description: "The document's id.",
    example: EXAMPLE_ID,
  });

/** Checked later against the definition of its collection. */
const document = z.custom<Json>((value) => value !== undefined, {
  error: '"document" is missing: send one JSON object.',
}).openapi({
  type: "object",
  additionalProperties: true,
  description: "The body of the corresponding single request.",
});

const ifMatch = z.string({ error: '"ifMatch" must be text: the ETag of the document.' }).optional()
  .openapi({ description: "The document's last known ETag." });

const MEMBERS = {
  create: { collection, document },
  replace: { collection, id, document, ifMatch },
  patch: { collection, id, document, ifMatch },
  upsert: { collection, id, document },
  delete: { collection, id, ifMatch },
  recover: { collection, id },
} as const;

const DOES: Readonly<Record<Action, string>> = {
  create: "creates a document",
  replace: "replaces a document",
  patch: "changes a document by values, dotted paths and operators",
  upsert: "creates a document under this id, or replaces the existing one",
  delete: "moves a document to the trash",
  recover: "recovers a document from the trash",
};

type Action = keyof typeof MEMBERS;

const ACTIONS = Object.keys(MEMBERS) as Action[];

const operation = <A extends Action>(action: A) =>
  z.strictObject({ action: z.literal(action), ...MEMBERS[action] }, {
    error: ({ code, keys: [unknown = ""] = [] }: Issue) => {
      const names = Object.keys(MEMBERS[action]);
      return code === "unrecognized_keys"
        ? `The action ${action} takes only ${names.join(", ")}.${didYouMean(unknown, names)}`
        : "An operation is one JSON object.";
    },
  }).openapi(`Batch${action[0]!.toUpperCase()}${action.slice(1)}`, {
    description: `An operation of a batch that ${DOES[action]}.`,
  });

const Operation: z.ZodType<BatchOperation> = z.discriminatedUnion("action", [
  operation("create"),
  operation("replace"),
  operation("patch"),
  operation("upsert"),
  operation("delete"),
  operation("recover"),
], {
  error: ({ input }) => {
    const action = (input as { action?: unknown } | null | undefined)?.action;
    const hint = typeof action === "string" ? didYouMean(action, ACTIONS) : "";
    return `"action" must be one of ${ACTIONS.join(", ")}.${hint}`;
  },
});

const COUNT = `"operations" must be a list of 1 to ${BATCH_OPERATIONS_MAX} operations.`;

export const BatchInput = bodyOf({
  operations: z.array(Operation, { error: COUNT })
    .min(1, { error: COUNT }).max(BATCH_OPERATIONS_MAX, { error: COUNT }),
}).openapi("BatchInput", {
  description: "Operations, executed in this order.",
  example: {
    operations: [
      { action: "create", collection: "posts", document: { title: "Hello" } },
      { action: "patch", collection: "posts", id: EXAMPLE_ID, document: { views: { $inc: 1 } } },
    ],
  },
});

export const BatchResult = z.strictObject({
  results: z.array(z.strictObject({
    id: shownId,
    document: Document.optional().openapi({
      description: "The document after this operation; left out if it was deleted.",
    }),
  })),
}).openapi("BatchResult", {
  description: "The results of the operations, in their order.",
  example: { results: [{ id: EXAMPLE_ID, document: DOCUMENT_EXAMPLE }] },
});

/** Parses a batch. Throws `INVALID_BODY`, with the index of an invalid operation. */
export function readBatch(members: object): z.output<typeof BatchInput> {
  try {
    return parseInput(BatchInput, members);
  } catch (error) {
    const index = error instanceof Problem
      ? /^operations\.(\d+)/.exec(error.faults[0]?.path ?? "")?.[1]
      : undefined;
    throw index === undefined ? error : (error as Problem).withOperationIndex(Number(index));
  }
}
