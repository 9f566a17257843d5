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
    description:
      "What is asked of a document, as `where` writes it, with what row-level security " +
      "and the trash add. `?` stands for each value, `*` for a name that is not declared.",
  }),
  sort: z.string().openapi({ description: "As the parameter writes it." }),
  total: z.enum(["exact", "estimate", "none", "only"]).openapi({
    description: "The total that was asked for beside the page; `only` is a count without one.",
  }),
  asked: number.openapi({ description: "How often." }),
  refused: number.openapi({ description: "Of these, those that were 503 `QUERY_TOO_SLOW`." }),
  meanMs: z.number().min(0).openapi({ description: "Mean time in ms, refused ones included." }),
  p95Ms: number.openapi({
    description: "What 95 of 100 took at most, in ms; up to 1.4 times too high, never too low.",
  }),
  answered: number.openapi({ description: "Documents that were answered, in all." }),
  examined: number.nullable().openapi({
    description: "About how many documents were looked at for them and the totals, in all. Null " +
      "where that is not known: of counts without a page, and on MongoDB.",
  }),
  advice: z.array(z.string()).nullable().openapi({
    description: "Fields of the index that would help, as `indexes` of a definition writes them; " +
      "null if none would.",
  }),
}).openapi("SlowQuestion", { example: SLOW_QUESTION_EXAMPLE });
