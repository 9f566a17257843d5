import { ok } from "@/lib/http/respond.ts";
import { listRequests, recordRequests, recordsUntil } from "@/lib/projects/list_requests.ts";
import type { PROJECT_REQUESTS } from "@/openapi/paths/project_requests.ts";
import type { HandlersOf } from "../handler.ts";

export const projectRequests: HandlersOf<typeof PROJECT_REQUESTS> = {
  listRequests: async (c) => {
    const { services, principal: { project } } = c.var;
    const page = await listRequests(services, project._id, c.req.valid("query"));
    const listed = { ...page, recordsUntil: recordsUntil(services, project) };
    return ok(200, JSON.stringify(listed), "Requests listed");
  },

  recordRequests: async (c) => {
    const { services, principal } = c.var;
    const { minutes } = c.req.valid("json");
    const until = await recordRequests(services, principal.project._id, minutes);
    return ok(200, JSON.stringify({ recordsUntil: until }), "Recording set");
  },
};
