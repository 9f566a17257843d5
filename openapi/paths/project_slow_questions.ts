import { z } from "@hono/zod-openapi";
import { QUESTION_DAYS, SLOW_QUESTION_MEAN_MS, SLOW_QUESTION_MS } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { projectId } from "../parameters.ts";
import { SLOW_QUESTION_EXAMPLE, SlowQuestion } from "../schemas/slow_question.ts";
import { projectMember } from "../security.ts";

export const listSlowQuestions = contract({
  operationId: "listSlowQuestions",
  tag: "Project collections",
  method: "get",
  path: "/api/projects/{projectId}/slow-questions",
  summary: "List a project's slow questions for its members",
  description: `Lists and counts that were slow in the last ${QUESTION_DAYS} days, greatest ` +
    `total time first: with a mean of ${SLOW_QUESTION_MEAN_MS} ms on a day, ${SLOW_QUESTION_MS} ` +
    "ms once, or a 503 `QUERY_TOO_SLOW`. Questions that differ only in their values are counted " +
    "together; values are not stored. A change of a collection's indexes resets its figures.\n\n" +
    "The time is that of the store, for all callers including members. Answers from a cache are " +
    "not counted. Counts are up to a minute old.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Slow questions listed", "The questions.", {
    data: z.strictObject({ items: z.array(SlowQuestion) }),
    example: { items: [SLOW_QUESTION_EXAMPLE] },
  }),
  problems: [],
});

export const PROJECT_SLOW_QUESTIONS = { listSlowQuestions };
