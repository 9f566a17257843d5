import { parseInput } from "@/openapi/inputs.ts";
import { QueryQuestion } from "@/openapi/schemas/ai.ts";
import { buildQuery } from "@/lib/ai/build_query.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, seeOther } from "../replies.ts";
import { gridReply } from "./grid.tsx";
import { pathOf } from "./room.ts";
import { hrefOf, readView } from "./view.ts";

/**
 * A sentence becomes the grid's query. Where a part of it did not, the grid says so at once: no
 * address carries words that a page would repeat.
 */
export const askInWords: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const prompt = form.get("prompt") ?? "";
  const view = readView(pathOf(c), form.get("view") ?? "");
  const tried = await attempt(() =>
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
  if (tried.problem !== null) {
    const asked = { prompt, problem: tried.problem, dropped: [] };
    return await gridReply(c, view, { asked });
  }
  const { query, dropped } = tried.value;
  const built = { ...readView(view.path, query), columns: view.columns };
  if (dropped.length === 0) return seeOther(hrefOf(built));
  const reply = await gridReply(c, built, { asked: { prompt, problem: null, dropped } });
  return { ...reply, headers: [...reply.headers ?? [], ["hx-push-url", hrefOf(built)]] };
};
