import { listSlowQuestions } from "@/lib/documents/list_slow_questions.ts";
import { ok } from "@/lib/http/respond.ts";
import type { PROJECT_SLOW_QUESTIONS } from "@/openapi/paths/project_slow_questions.ts";
import type { HandlersOf } from "../handler.ts";

export const projectSlowQuestions: HandlersOf<typeof PROJECT_SLOW_QUESTIONS> = {
  listSlowQuestions: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const items = await listSlowQuestions(services, principal.project._id);
    return ok(200, JSON.stringify({ items }), "Slow questions listed");
  },
};
