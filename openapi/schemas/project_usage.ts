import { z } from "@hono/zod-openapi";
import { REQUEST_DAYS, REQUEST_MINUTES } from "@/lib/limits.ts";
import { PLANS } from "@/lib/projects/plans.ts";
import { AI_USAGE_EXAMPLE, AiUsage, NO_LIMIT } from "./ai.ts";
import { plan } from "./project.ts";
import { StorageUsage, USAGE_EXAMPLE } from "./storage.ts";
import { time } from "./values.ts";

const number = z.int().min(0);

const count = z.strictObject({
  from: time.openapi({ description: "Beginning of the minute or day." }),
  requests: number,
  errors: number.openapi({ description: "Requests with a status of 400 or above." }),
});

export const PROJECT_USAGE_EXAMPLE = {
  plan: "free",
  collections: { used: 2, limit: PLANS.free.collections },
  documents: { count: 340, bytes: 88_112, limit: PLANS.free.documentBytes },
  storage: USAGE_EXAMPLE,
  ai: AI_USAGE_EXAMPLE,
  requests: {
    minutes: [{ from: "2026-01-31T12:00:00.000Z", requests: 120, errors: 3 }],
    days: [{ from: "2026-01-31T00:00:00.000Z", requests: 10_342, errors: 17 }],
  },
};

export const ProjectUsage = z.strictObject({
  plan,
  collections: z.strictObject({ used: number, limit: number.nullable().openapi(NO_LIMIT) }),
  documents: z.strictObject({
    count: number.openapi({
      description: "Number of documents, including the trash; an estimate on MongoDB.",
    }),
    bytes: number.openapi({
      description: "Stored bytes: of JSON text in UTF-8 on SQLite, of BSON on MongoDB. Includes " +
        "the trash, but not indexes.",
    }),
    limit: number.nullable().openapi({
      description: "Maximum of `bytes`; null if no plan limits them.",
    }),
  }),
  storage: StorageUsage,
  ai: AiUsage.openapi({ description: "Usage of the caller's account." }),
  requests: z.strictObject({
    minutes: z.array(count).max(REQUEST_MINUTES).openapi({
      description: `The last ${REQUEST_MINUTES} minutes, in UTC, the current one last.`,
    }),
    days: z.array(count).max(REQUEST_DAYS).openapi({
      description: `The last ${REQUEST_DAYS} days, in UTC, today last.`,
    }),
  }).openapi({
    description:
      "Requests with API keys; those of members are not counted. Counts are up to 10 s old.",
  }),
}).openapi("ProjectUsage", { example: PROJECT_USAGE_EXAMPLE });
