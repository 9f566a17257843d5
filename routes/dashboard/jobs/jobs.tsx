import { type JobDetails, listJobs, tryJob } from "@/lib/operations/project_jobs.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { OverviewTabs } from "../overview/overview_tabs.tsx";
import { pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";

const jobsPath = (home: string): string => `${home}/jobs`;

export const tryJobNow: PageHandler<ProjectMember, "jobId"> = async (c) => {
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const isDone = await tryJob(services, projectId, c.req.valid("param").jobId);
  return seeOther(`${jobsPath(homeOf(projectId))}?done=${isDone ? "done" : "waiting"}`);
};

export const showJobs: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const [frame, { jobs, total }] = await Promise.all([
    loadFrame(services, principal),
    listJobs(services, principal.project._id),
  ]);
  const path = jobsPath(frame.home);
  const canTry = roleIncludes(principal.role, "admin");
  const t = texts().jobs;
  return pageReply(
    <ProjectShell frame={frame} title={t.title} current={frame.home}>
      <Bar title={t.title}>
        <OverviewTabs home={frame.home} current={path} />
      </Bar>
      <div class="sheet wide">
        <DoneNote query={query} sentences={t.done} />
        <p class="muted">{t.about}</p>
        {jobs.length === 0
          ? <p class="empty">{t.none}</p>
          : <JobTable jobs={jobs} path={path} canTry={canTry} />}
        {total > jobs.length && <p class="muted">{t.more(total - jobs.length)}</p>}
      </div>
    </ProjectShell>,
  );
};

const JobTable = (
  { jobs, path, canTry }: { jobs: readonly JobDetails[]; path: string; canTry: boolean },
) => {
  const t = texts().jobs;
  return (
    <div class="scroll" role="region" aria-label={t.title} tabindex={0}>
      <table class="snug lines">
        <thead>
          <tr>
            <th scope="col">{t.job}</th>
            <th scope="col" class="num">{t.tries}</th>
            <th scope="col">{t.nextTry}</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr>
              <th scope="row">
                {t.kinds[job.kind] ?? job.kind}
                {job.subject !== null && <code>{job.subject}</code>}
                <small>
                  {t.since(<When at={job.createdAt} />)}
                </small>
                {job.failure !== null && <small class="bad">{job.failure}</small>}
              </th>
              <td class="num">{job.tries}</td>
              <td>
                {job.isRunning ? t.running : <When at={job.dueAt} />}
                {canTry && !job.isRunning && job.subject !== null && (
                  <form method="post" action={`${path}/${job.id}`}>
                    <button class="quiet">{t.tryNow}</button>
                  </form>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
