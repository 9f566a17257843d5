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
  .transform((text) => parseId(text)!) // It has the form.
  .openapi({
    type: "string",
    pattern: ID_ANY_CASE.source,
    description: "The document's id.",
    example: EXAMPLE_ID,
  });

/** Whether it is an object, and what it may have, is told with its collection's definition. */
const document = z.custom<Json>((value) => value !== undefined, {
  error: '"document" is missing: send one JSON object.',
}).openapi({
  type: "object",
  additionalProperties: true,
  description: "As the body of the request that does this alone.",
});

const ifMatch = z.string({ error: '"ifMatch" must be text: the ETag of the document.' }).optional()
  .openapi({ description: "ETag of the document as you know it." });

const MEMBERS = {
  create: { collection, document },
  replace: { collection, id, document, ifMatch },
  patch: { collection, id, document, ifMatch },
  upsert: { collection, id, document },
  delete: { collection, id, ifMatch },
  recover: { collection, id },
} as const;

const DOES: Readonly<Record<Action, string>> = {
  create: "a new document",
  replace: "a document in the place of another",
  patch: "a change of a document, by values, dotted paths and operators",
  upsert: "a new document under this id, or one in the place of what is there",
  delete: "a document that goes to the trash",
  recover: "a document that comes out of the trash",
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
    description: `An operation of a batch: ${DOES[action]}.`,
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
  description: "What is done, in this order.",
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
      description: "As it is stored when all is done up to here; left out where it was deleted.",
    }),
  })),
}).openapi("BatchResult", {
  description: "A result for each operation, in their order.",
  example: { results: [{ id: EXAMPLE_ID, document: DOCUMENT_EXAMPLE }] },
});

/** Throws `INVALID_BODY`, with the index of the operation that does not fit. */
export function readBatch(members: object): z.output<typeof BatchInput> {
  try {
    return parseInput(BatchInput, members);
  } catch (error) {
    const index = error instanceof Problem
      ? /^operations\.(\d+)/.exec(error.faults[0]?.path ?? "")?.[1]
      : undefined;
    throw index === undefined ? error : (error as Problem).inOperation(Number(index));
  }
}
