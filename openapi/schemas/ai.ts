import { z } from "@hono/zod-openapi";
import { isTimeZone } from "@/lib/ai/zoned_dates.ts";
import { textProblem } from "@/lib/text/input_text.ts";
import { openBodyOf } from "../inputs.ts";
import {
  AI_CHAT_MESSAGE_LENGTH_MAX,
  AI_KEY_LENGTH_MAX,
  AI_PROMPT_LENGTH_MAX,
} from "@/lib/limits.ts";
import { OPERATORS } from "@/lib/documents/operands.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { COLLECTION_EXAMPLE } from "./collection.ts";
import { Document, DOCUMENT_EXAMPLE } from "./document.ts";
import { plan } from "./project.ts";
import { time } from "./values.ts";

export const AiKeyInput = openBodyOf({
  aiKey: z.string('"aiKey" must be a text, or null to clear it.').nullable().openapi({
    maxLength: AI_KEY_LENGTH_MAX,
    pattern: "^gsk_[\\x21-\\x7e]*$",
    description: "Begins with `gsk_`; null clears it.",
  }),
}).openapi("AiKeyInput", { example: { aiKey: "gsk_0123456789abcdef" } });

export const AiKeyState = z.strictObject({
  hasAiKey: z.boolean().openapi({
    description: "Whether a key is stored. The key is never returned.",
  }),
}).openapi("AiKeyState", { example: { hasAiKey: true } });

/** Note on a limit that a server with `PLANS=off` does not have. */
export const NO_LIMIT = { description: "Null if no plan limits it." };

const counter = z.strictObject({
  used: z.int().min(0),
  limit: z.int().min(0).nullable().openapi(NO_LIMIT),
});

export const AI_USAGE_EXAMPLE = {
  month: "2026-01",
  resetsAt: "2026-02-01T00:00:00.000Z",
  plan: "free",
  queries: { used: 2, limit: PLANS.free.aiQueriesPerMonth },
  designs: { used: 0, limit: PLANS.free.aiDesignsPerMonth },
  turns: { used: 3, limit: PLANS.free.aiTurnsPerMonth },
};

export const AiUsage = z.strictObject({
  month: z.string().openapi({ description: "The calendar month, in UTC." }),
  resetsAt: time,
  plan: plan.openapi({ description: "The account's plan." }),
  queries: counter.openapi({ description: "Requests to the query builder." }),
  designs: counter.openapi({ description: "Designs of the collection creator." }),
  turns: counter.openapi({ description: "Turns with the collection creator, in all chats." }),
}).openapi("AiUsage", {
  description: "An account's use of the platform's AI key. Requests with a user's own key are " +
    "not counted.",
  example: AI_USAGE_EXAMPLE,
});

export const QUERY_QUESTION_EXAMPLE = {
  collectionName: "posts",
  prompt: "published since Monday, the most read first",
  preview: true,
  timeZone: "Europe/Berlin",
};

const SENTENCE_PATTERN = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";

function sentence(name: string, lengthMax: number) {
  const must = `"${name}" must be a text.`;
  return z.string(must)
    .refine((text) => text.trim() !== "", must)
    .refine(
      (text) => text.length <= lengthMax,
      `"${name}" must have up to ${lengthMax} characters.`,
    )
    .refine((text) => textProblem(text) === null, {
      error: ({ input }) => `"${name}" ${textProblem(input as string)}.`,
    })
    .openapi({ minLength: 1, maxLength: lengthMax, pattern: SENTENCE_PATTERN });
}

/** Length in characters that exceeds all names of collections. */
const COLLECTION_NAME_MAX = 1000;

export const QueryQuestion = openBodyOf({
  collectionName: sentence("collectionName", COLLECTION_NAME_MAX),
  prompt: sentence("prompt", AI_PROMPT_LENGTH_MAX),
  preview: z.boolean('"preview" must be true or false.').default(false).openapi({
    description: "Whether the answer includes the first rows.",
  }),
  timeZone: z.string('"timeZone" must be a text.').refine(
    isTimeZone,
    '"timeZone" must be a name of the IANA data base, such as Europe/Berlin.',
  ).default("UTC").openapi({
    description: "IANA time zone in which days begin and end; UTC if left out. A date means its " +
      "midnight there; today, yesterday, tomorrow and now use the server's clock.",
  }),
}).openapi("QueryQuestion", { example: QUERY_QUESTION_EXAMPLE });

const value = z.unknown().openapi({
  description: "A text, a number, a boolean, null, or a list of these.",
});

export const BUILT_QUERY_EXAMPLE = {
  filters: [
    { field: "status", operator: "eq", value: "published" },
    { field: "createdAt", operator: "gte", value: "2026-01-25T23:00:00.000Z" },
  ],
  sort: "-views",
  query: "status=published&createdAt_gte=2026-01-25T23%3A00%3A00.000Z&sort=-views",
  dropped: [],
  preview: { items: [DOCUMENT_EXAMPLE], total: 1 },
};

export const BuiltQuery = z.strictObject({
  filters: z.array(z.strictObject({ field: z.string(), operator: z.enum(OPERATORS), value })),
  sort: z.string().nullable(),
  query: z.string().openapi({
    description: "Query of `GET /api/data/{collectionName}`. If it filters by `isDeleted` or " +
      "`deletedAt`, it includes the trash.",
  }),
  dropped: z.array(z.strictObject({
    field: z.string(),
    operator: z.string().nullable().openapi({ description: "Null for a field to sort by." }),
    value,
    reason: z.string(),
  })).openapi({
    description: "Parts that the model suggested and the collection does not support.",
  }),
  preview: z.strictObject({
    items: z.array(Document),
    total: z.int().nullable(),
  }).nullable().optional().openapi({
    description: "If requested: the first rows, as the owner sees them, and the total. Null if " +
      "the list took too long.",
  }),
}).openapi("BuiltQuery", {
  description: "A list query for a question in plain words.",
  example: BUILT_QUERY_EXAMPLE,
});

export const CREATOR_MESSAGE_EXAMPLE = { userMessage: "A blog with posts and comments" };

export const CreatorMessage = openBodyOf({
  userMessage: sentence("userMessage", AI_CHAT_MESSAGE_LENGTH_MAX),
}).openapi("CreatorMessage", { example: CREATOR_MESSAGE_EXAMPLE });

const definition = z.looseObject({ name: z.string() }).openapi({
  description: "A definition, including all defaults.",
});

const DEFINITION_EXAMPLE = { ...COLLECTION_EXAMPLE, indexes: [] };

export const CREATOR_TURN_EXAMPLE = {
  type: "schema",
  message: "Here are posts. Shall comments be signed?",
  schema: { collections: [DEFINITION_EXAMPLE] },
  iterationsLeft: 19,
  iterationLimit: 20,
};

const turns = z.int().nullable();

export const CreatorTurn = z.strictObject({
  type: z.enum(["clarify", "schema", "complete"]).openapi({
    description: "A question, a proposal, or the acceptance of the last proposal. A first " +
      "proposal is always `schema`.",
  }),
  message: z.string(),
  schema: z.strictObject({ collections: z.array(definition) }).nullable().openapi({
    description: "The proposal, or with `complete` the accepted one; null for a question.",
  }),
  iterationsLeft: turns.openapi({
    description: "Remaining turns of this chat; null if it is unlimited.",
  }),
  iterationLimit: turns.openapi({ description: "Null with a user's own key." }),
}).openapi("CreatorTurn", { example: CREATOR_TURN_EXAMPLE });

export const CREATOR_STREAM_EXAMPLE = 'event: message\ndata: {"text":"Here are "}\n\n' +
  'event: message\ndata: {"text":"posts."}\n\n' +
  'event: done\ndata: {"success":true,"data":{"type":"schema"},"message":"Answered"}\n\n';

export const CreatorStream = z.string().openapi("CreatorStream", {
  description: "Server-sent events: `message` with `{ text }` for each piece of the message as " +
    "it is written; then `done` with the complete answer, or `error` with a refusal, in the " +
    "envelope. A refusal before the first piece is an ordinary answer.",
  example: CREATOR_STREAM_EXAMPLE,
});

export const ChatEnded = z.strictObject({
  ended: z.boolean().openapi({ description: "Whether there was a chat." }),
}).openapi("ChatEnded", { example: { ended: true } });

export const APPLIED_EXAMPLE = { collections: [DEFINITION_EXAMPLE] };

export const AppliedProposal = z.strictObject({ collections: z.array(definition) })
  .openapi("AppliedProposal", { example: APPLIED_EXAMPLE });
