import { z } from "@hono/zod-openapi";
import { QUESTION_DAYS, SLOW_QUESTION_MEAN_MS, SLOW_QUESTION_MS } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
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
  description: "Lists and counts that were slow in the last " +
    `${QUESTION_DAYS} days, what took most time in all first: a mean of ${SLOW_QUESTION_MEAN_MS} ms ` +
    `on a day, ${SLOW_QUESTION_MS} ms once, or one that was 503 \`QUERY_TOO_SLOW\`. Questions that ` +
    "differ in nothing but their values are one; no value is kept. A change of a collection's " +
    "indexes begins its figures anew.\n\n" +
    "The time is that of the store alone, for whoever asked, members too. Answers that were given " +
    "from memory are not counted. What a process counts is told within a minute.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Slow questions listed", "The questions.", {
    data: z.strictObject({ items: z.array(SlowQuestion) }),
    example: { items: [SLOW_QUESTION_EXAMPLE] },
  }),
  problems: [],
});

/** In the order of the reference. */
export const PROJECT_SLOW_QUESTIONS = { listSlowQuestions };
