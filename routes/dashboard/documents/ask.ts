import { parseInput } from "@/openapi/inputs.ts";
import { QueryQuestion } from "@/openapi/schemas/ai.ts";
import { buildQuery } from "@/lib/ai/build_query.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, seeOther } from "../replies.ts";
import { gridReply } from "./grid.tsx";
import { documentsPath } from "./context.ts";
import { gridPath, readView } from "./view.ts";

/** Converts a question into a query. The reply shows dropped parts, because addresses must not. */
export const askInWords: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const prompt = form.get("prompt") ?? "";
  const view = readView(documentsPath(c), form.get("view") ?? "");
  const result = await attempt(() =>
    buildQuery(
      services,
      principal,
      parseInput(QueryQuestion, {
        collectionName: c.req.valid("param").collectionName,
        prompt,
        timeZone: form.get("timeZone") ?? "UTC",
      }),
      c.req.raw.signal,
    )
  );
  if (result.problem !== null) {
    const asked = { prompt, problem: result.problem, dropped: [] };
    return await gridReply(c, view, { asked });
  }
  const { query, dropped } = result.value;
  const built = { ...readView(view.path, query), columns: view.columns };
  if (dropped.length === 0) return seeOther(gridPath(built));
  const reply = await gridReply(c, built, { asked: { prompt, problem: null, dropped } });
  return { ...reply, headers: [...reply.headers ?? [], ["hx-push-url", gridPath(built)]] };
};
