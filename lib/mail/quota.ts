import { ensureLock } from "../projects/locks.ts";
import type { JobQueue, JobRecord } from "../jobs/jobs.ts";
import { Problem } from "../problems.ts";
import type { Plans } from "../projects/plans.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { MailContext } from "./outbox.ts";
import type { MailServices } from "./send_mail.ts";
import { type CountedMails, countMails, uncountMails } from "./usage.ts";

export interface CountingServices extends MailServices {
  readonly plans: Plans;
  readonly jobRunner: JobQueue;
}

export interface ReservedMails extends CountedMails {
  readonly count: number;
}

/** Counts mails before they are stored; null for another server. Throws `MAIL_QUOTA_EXCEEDED`. */
export async function reserveMails(
  services: CountingServices,
  projectId: Id,
  { provider }: Pick<MailContext, "provider">,
  count: number,
): Promise<ReservedMails | null> {
  if (provider !== "default") return null;
  const { name, mailsPerMonth: limit } = await services.plans.ofProject(projectId);
  const counted = await countMails(services, projectId, { count, limit });
  if (counted !== null) return { ...counted, count };
  throw new Problem("MAIL_QUOTA_EXCEEDED", {
    message: `The ${name} plan's ${limit} mails of this month do not suffice for ` +
      `${
        count === 1 ? "one more" : `${count} more`
      }: wait for the first of the next month (UTC), ` +
      "use a larger plan, or set a mail server of the project's own.",
  });
}

/** Stores counted mails and begins to send them. If storing fails, the count is taken back. */
export async function writeMails(
  services: CountingServices,
  projectId: Id,
  reserved: ReservedMails | null,
  write: (tx: Transaction) => Promise<readonly JobRecord[]>,
): Promise<void> {
  const { engine, jobRunner } = services;
  let jobs: readonly JobRecord[];
  try {
    await jobRunner.announce(projectId);
    await ensureLock(engine, projectId, "mails");
    jobs = await engine.transaction(projectId, write);
  } catch (error) {
    if (reserved !== null) await uncountMails(services, projectId, reserved);
    throw error;
  }
  for (const job of jobs) jobRunner.begin(projectId, job);
}
