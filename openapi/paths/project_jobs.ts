import { JOBS_SHOWN_MAX } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import { jobId, projectId } from "../parameters.ts";
import { JOB_EXAMPLE, JobList, TriedJob } from "../schemas/job.ts";
import { projectMember } from "../security.ts";

const TAG = "Projects";
const PATH = "/api/projects/{projectId}/jobs";

export const listJobs = contract({
  operationId: "listJobs",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "List what is still to be done in a project for its members",
  description: "What follows from a change and is done in the background, such as removing the " +
    `documents of a deleted collection. The first ${JOBS_SHOWN_MAX} are listed, those that are due ` +
    "first. A job that fails is tried again by itself, later and later.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Jobs listed", "The jobs.", {
    data: JobList,
    example: { items: [JOB_EXAMPLE], total: 1 },
  }),
  problems: [],
});

export const tryJob = contract({
  operationId: "tryJob",
  tag: TAG,
  method: "post",
  path: `${PATH}/{jobId}/try`,
  summary: "Try a job now for the project's admins",
  description:
    "Does not wait until it is due. A job that somebody is at, that members have no part " +
    "in, that fails or that takes long is not done yet, and is tried again later. One that is not " +
    "there any more is done.",
  security: projectMember("admin"),
  params: { projectId, jobId },
  success: answered("Job tried", "Whether it is done.", {
    data: TriedJob,
    example: { done: true },
  }),
  problems: [],
});

/** In the order of the reference. */
export const PROJECT_JOBS = { listJobs, tryJob };
