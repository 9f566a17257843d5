import { listJobs, type ShownJob, tryJob } from "@/lib/operations/project_jobs.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import { countText } from "@/lib/text/amounts.ts";
import type { PageHandler } from "../../handler.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { OverviewTabs } from "../overview/overview_tabs.tsx";
import { pageReply, seeOther } from "../replies.ts";

const DONE = {
  done: "The job is done.",
  waiting: "The job is not done yet: it is tried again later.",
};

const KINDS: Readonly<Record<string, string>> = {
  removeObjects: "Remove a file's bytes",
  removeCollection: "Remove the documents of a deleted collection",
};

const pathOf = (home: string): string => `${home}/jobs`;

export const tryJobNow: PageHandler<ProjectMember, "jobId"> = async (c) => {
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const isDone = await tryJob(services, projectId, c.req.valid("param").jobId);
  return seeOther(`${pathOf(homeOf(projectId))}?done=${isDone ? "done" : "waiting"}`);
};

export const showJobs: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const [frame, { jobs, total }] = await Promise.all([
    loadFrame(services, principal),
    listJobs(services, principal.project._id),
  ]);
  const path = pathOf(frame.home);
  const canTry = includes(principal.role, "admin");
  return pageReply(
    <ProjectShell frame={frame} title="Jobs" current={frame.home}>
      <Bar title="Jobs">
        <OverviewTabs home={frame.home} current={path} />
      </Bar>
      <div class="sheet wide">
        <DoneNote query={query} sentences={DONE} />
        <p class="muted">
          What follows from a change and is done in the background. A job that fails is tried again
          by itself, later and later.
        </p>
        {jobs.length === 0
          ? <p class="empty">Nothing waits to be done.</p>
          : <JobTable jobs={jobs} path={path} canTry={canTry} />}
        {total > jobs.length && <p class="muted">and {countText(total - jobs.length)} more.</p>}
      </div>
    </ProjectShell>,
  );
};

const JobTable = (
  { jobs, path, canTry }: { jobs: readonly ShownJob[]; path: string; canTry: boolean },
) => (
  <div class="scroll">
    <table class="snug lines">
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col" class="num">Tries</th>
          <th scope="col">Next try</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr>
            <th scope="row">
              {KINDS[job.kind] ?? job.kind}
              {job.subject !== null && <code>{job.subject}</code>}
              <small>
                since <When at={job.createdAt} />
              </small>
              {job.failure !== null && <small class="bad">{job.failure}</small>}
            </th>
            <td class="num">{job.tries}</td>
            <td>
              {job.isRunning ? "at it now" : <When at={job.dueAt} />}
              {canTry && !job.isRunning && job.subject !== null && (
                <form method="post" action={`${path}/${job.id}`}>
                  <button class="quiet">Try now</button>
                </form>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
