import { listSlowQuestions } from "@/lib/documents/list_slow_questions.ts";
import { ok } from "@/lib/http/respond.ts";
import type * as slowQuestions from "@/openapi/paths/project_slow_questions.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListSlowQuestions: HandlerOf<typeof slowQuestions.listSlowQuestions> = async (
  c,
) => {
  const { services, principal } = c.var;
  const items = await listSlowQuestions(services, principal.project._id);
  return ok(200, JSON.stringify({ items }), "Slow questions listed");
};
