import { z } from "@hono/zod-openapi";

const number = z.int().min(0);

export const SLOW_QUESTION_EXAMPLE = {
  collection: "posts",
  filter: { and: [{ status: { eq: "?" } }, { isDeleted: { eq: "?" } }] },
  sort: "-views",
  total: "exact",
  asked: 1_204,
  refused: 2,
  meanMs: 61.5,
  p95Ms: 91,
  answered: 24_020,
  examined: 12_050_400,
  advice: ["status", "-views"],
};

export const SlowQuestion = z.strictObject({
  collection: z.string(),
  filter: z.looseObject({}).openapi({
    description: "The conditions in the syntax of `where`, with those of row-level security and " +
      "the trash. `?` replaces each value, and `*` each undeclared name.",
  }),
  sort: z.string().openapi({ description: "The sort in the syntax of the parameter." }),
  total: z.enum(["exact", "estimate", "none", "only"]).openapi({
    description: "The total that was requested with the page; `only` is a count without a page.",
  }),
  asked: number.openapi({ description: "Number of requests." }),
  refused: number.openapi({
    description: "Requests that were answered with 503 `QUERY_TOO_SLOW`.",
  }),
  meanMs: z.number().min(0).openapi({
    description: "Mean time in ms, including refused requests.",
  }),
  p95Ms: number.openapi({
    description: "95th percentile of the time in ms; up to 1.4 times too high, never too low.",
  }),
  answered: number.openapi({ description: "Total number of documents in the answers." }),
  examined: number.nullable().openapi({
    description: "Approximate number of documents that were read for the answers and totals. " +
      "Null if it is unknown: for counts without a page, and on MongoDB.",
  }),
  advice: z.array(z.string()).nullable().openapi({
    description: "Fields of an index that would help, in the syntax of `indexes` of a " +
      "definition; null if none would.",
  }),
}).openapi("SlowQuestion", { example: SLOW_QUESTION_EXAMPLE });
