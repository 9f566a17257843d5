import type { NewId } from "../ids.ts";
import type { Id } from "../store/port.ts";
import { enqueue, type JobQueue, type JobServices } from "./jobs.ts";

/** The kind of the jobs that mail a project's owner. A job's subject is the limit. */
export const NOTIFY_OWNER_JOB = "notifyOwnerOfLimit";

/** Limits that the owner would not notice, because the refused requests are sent by strangers. */
export type NoticedLimit = "signInMails" | "wrongCodes";

export interface LimitNoticeServices extends JobServices {
  readonly newId: NewId;
  readonly jobRunner: JobQueue;
}

/** Logs that a project has reached a limit and enqueues a mail to its owner. */
export async function noteLimitReached(
  { engine, clock, newId, log, jobRunner }: LimitNoticeServices,
  project: Id,
  limit: NoticedLimit,
): Promise<void> {
  log.write("warn", "A project has reached a limit", { project, limit });
  await jobRunner.announce(project);
  const [job] = await engine.transaction(
    project,
    (tx) =>
      enqueue(tx, { clock, newId }, [{ subject: limit, lane: limit }], {
        kind: NOTIFY_OWNER_JOB,
      }),
  );
  jobRunner.begin(project, job!);
}
