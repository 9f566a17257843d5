import { ok } from "@/lib/http/respond.ts";
import { listJobs, tryJob } from "@/lib/operations/project_jobs.ts";
import type { PROJECT_JOBS } from "@/openapi/paths/project_jobs.ts";
import type { HandlersOf } from "../handler.ts";

export const projectJobs: HandlersOf<typeof PROJECT_JOBS> = {
  listJobs: async (c) => {
    const { services, principal: { project } } = c.var;
    const { jobs: items, total } = await listJobs(services, project._id);
    return ok(200, JSON.stringify({ items, total }), "Jobs listed");
  },

  tryJob: async (c) => {
    const { services, principal: { project } } = c.var;
    const done = await tryJob(services, project._id, c.req.valid("param").jobId);
    return ok(200, JSON.stringify({ done }), "Job tried");
  },
};
