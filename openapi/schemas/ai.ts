import { z } from "@hono/zod-openapi";
import { AI_KEY_LENGTH_MAX } from "@/lib/limits.ts";
import { PLANS } from "@/lib/projects/plans.ts";
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
