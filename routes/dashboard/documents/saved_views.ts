import { parseInput } from "@/openapi/inputs.ts";
import { ViewInput } from "@/openapi/schemas/view.ts";
import { checkedViewName, deleteView, saveView } from "@/lib/documents/views.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, seeOther } from "../replies.ts";
import { gridReply } from "./grid.tsx";
import { documentsPath, serverCaller } from "./context.ts";
import { gridPath, readView, savedQuery } from "./view.ts";

/** Saves the grid's view under a name, or deletes the view with the name. */
export const changeViews: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const { services } = c.var;
  const { projectId } = serverCaller(c);
  const { collectionName } = c.req.valid("param");
  const form = await c.var.body.form();
  const view = readView(documentsPath(c), form.get("view") ?? "");
  const isDelete = form.get("act") === "delete";
  const result = await attempt(async () => {
    const name = checkedViewName(form.get("name")?.trim() ?? "");
    if (isDelete) return await deleteView(services, projectId, { collectionName, name });
    const { columns } = view;
    const input = parseInput(ViewInput, { query: savedQuery(view), columns });
    await saveView(services, projectId, { collectionName, name, ...input });
  });
  if (result.problem !== null) return await gridReply(c, view, { problem: result.problem });
  return seeOther(gridPath(view, { done: isDelete ? "view-deleted" : "view-saved" }));
};
