import { deleteView, listViews, saveView } from "@/lib/documents/views.ts";
import { ok } from "@/lib/http/respond.ts";
import type { PROJECT_VIEWS } from "@/openapi/paths/project_views.ts";
import type { HandlersOf } from "../handler.ts";

export const projectViews: HandlersOf<typeof PROJECT_VIEWS> = {
  listViews: async (c) => {
    const { services, principal } = c.var;
    const { collectionName } = c.req.valid("param");
    const items = await listViews(services, principal.project._id, collectionName);
    return ok(200, JSON.stringify({ items }), "Views listed");
  },

  saveView: async (c) => {
    const { services, principal } = c.var;
    const { collectionName, viewName: name } = c.req.valid("param");
    const given = { collectionName, name, ...c.req.valid("json") };
    const view = await saveView(services, principal.project._id, given);
    return ok(200, JSON.stringify(view), "View saved");
  },

  deleteView: async (c) => {
    const { services, principal } = c.var;
    const { collectionName, viewName: name } = c.req.valid("param");
    await deleteView(services, principal.project._id, { collectionName, name });
    return ok(200, JSON.stringify({ name }), "View deleted");
  },
};
