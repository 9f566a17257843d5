import { JOBS_SHOWN_MAX } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
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
  summary: "List a project's pending jobs for its members",
  description: "Background work that follows from changes, such as removing the documents of a " +
    `deleted collection. The first ${JOBS_SHOWN_MAX} jobs are listed, earliest due time first. A ` +
    "failed job is retried automatically at growing intervals.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Jobs listed", "The jobs.", {
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
  description: "Runs a job before it is due. A job that is running already, that members cannot " +
    "run, that fails or that takes long is answered as not done, and is retried later. A job " +
    "that does not exist any more is done.",
  security: projectMember("admin"),
  params: { projectId, jobId },
  success: okAnswer("Job tried", "Whether the job is done.", {
    data: TriedJob,
    example: { done: true },
  }),
  problems: [],
});

export const PROJECT_JOBS = { listJobs, tryJob };
