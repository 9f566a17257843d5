import { ok } from "@/lib/http/respond.ts";
import { listJobs, tryJob } from "@/lib/operations/project_jobs.ts";
import type * as projectJobs from "@/openapi/paths/project_jobs.ts";
import type { HandlerOf } from "../handler.ts";

export const handleListJobs: HandlerOf<typeof projectJobs.listJobs> = async (c) => {
  const { services, principal: { project } } = c.var;
  const { jobs: items, total } = await listJobs(services, project._id);
  return ok(200, JSON.stringify({ items, total }), "Jobs listed");
};

export const handleTryJob: HandlerOf<typeof projectJobs.tryJob> = async (c) => {
  const { services, principal: { project } } = c.var;
  const done = await tryJob(services, project._id, c.req.valid("param").jobId);
  return ok(200, JSON.stringify({ done }), "Job tried");
};
