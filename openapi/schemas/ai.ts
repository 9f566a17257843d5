import { z } from "@hono/zod-openapi";
import { AI_KEY_LENGTH_MAX, AI_PROMPT_LENGTH_MAX } from "@/lib/limits.ts";
import { OPERATORS } from "@/lib/documents/operands.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { Document, DOCUMENT_EXAMPLE } from "./document.ts";
import { plan } from "./project.ts";

export const AiKeyInput = z.strictObject({
  aiKey: z.string().max(AI_KEY_LENGTH_MAX).nullable().openapi({
    description: "Begins with `gsk_`; null clears it.",
  }),
}).openapi("AiKeyInput", { example: { aiKey: "gsk_0123456789abcdef" } });

export const AiKeyState = z.strictObject({
  hasAiKey: z.boolean().openapi({ description: "Whether a key is stored. It is never answered." }),
}).openapi("AiKeyState", { example: { hasAiKey: true } });

const counter = z.strictObject({ used: z.int().min(0), limit: z.int().min(0) });

export const AI_USAGE_EXAMPLE = {
  month: "2026-01",
  resetsAt: "2026-02-01T00:00:00.000Z",
  plan: "free",
  queries: { used: 2, limit: PLANS.free.aiQueriesPerMonth },
  designs: { used: 0, limit: PLANS.free.aiDesignsPerMonth },
};

export const AiUsage = z.strictObject({
  month: z.string().openapi({ description: "The calendar month, in UTC." }),
  resetsAt: z.iso.datetime(),
  plan: plan.openapi({ description: "The account's own." }),
  queries: counter.openapi({ description: "Requests to the query builder." }),
  designs: counter.openapi({ description: "Designs of the collection creator." }),
}).openapi("AiUsage", {
  description: "What an account has used of the platform's AI key. Requests with a key of a user " +
    "are not counted.",
  example: AI_USAGE_EXAMPLE,
});

export const QUERY_QUESTION_EXAMPLE = {
  collectionName: "posts",
  prompt: "published since Monday, the most read first",
  preview: true,
  timeZone: "Europe/Berlin",
};

export const QueryQuestion = z.looseObject({
  collectionName: z.string().min(1),
  prompt: z.string().min(1).max(AI_PROMPT_LENGTH_MAX),
  preview: z.boolean().optional().openapi({ description: "Whether to answer the first rows too." }),
  timeZone: z.string().optional().openapi({
    description: "Where days begin and end, by the IANA data base; UTC if left out.",
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
    description: "What follows the question mark of `GET /api/data/{collectionName}`.",
  }),
  dropped: z.array(z.strictObject({
    field: z.string(),
    operator: z.string().nullable().openapi({ description: "Null for a field to sort by." }),
    value,
    reason: z.string(),
  })).openapi({ description: "What the model asked for and the collection cannot answer." }),
  preview: z.strictObject({
    items: z.array(Document),
    total: z.int().nullable(),
  }).nullable().optional().openapi({
    description: "If it was asked for: the first rows, as the owner sees them, and the number of " +
      "all. Null where the list took too long.",
  }),
}).openapi("BuiltQuery", {
  description: "A query in plain words, as the list takes it.",
  example: BUILT_QUERY_EXAMPLE,
});
