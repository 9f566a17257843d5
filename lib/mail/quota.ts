import { ensureLock } from "../projects/locks.ts";
import type { JobQueue, JobRecord } from "../jobs/jobs.ts";
import { Problem } from "../problems.ts";
import type { Plans } from "../projects/plans.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { MailContext } from "./outbox.ts";
import type { MailServices } from "./send_mail.ts";
import { type CountedMails, countMails, uncountMails } from "./usage.ts";

/** What the verbs need that count mails before they write them. */
export interface CountingServices extends MailServices {
  readonly plans: Plans;
  readonly jobRunner: JobQueue;
}

/** Mails that are counted, and not written yet. */
export interface ReservedMails extends CountedMails {
  readonly count: number;
}

/**
 * Counts mails that are about to be written; null where they do not count, because it is not the
 * platform's server that sends them. Throws `MAIL_QUOTA_EXCEEDED`.
 */
export async function reserveMails(
  services: CountingServices,
  projectId: Id,
  { provider }: Pick<MailContext, "provider">,
  count: number,
): Promise<ReservedMails | null> {
  if (provider !== "default") return null;
  const { name, mailsPerMonth: limit } = await services.plans.of(projectId);
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

/** Writes mails that were counted, and begins to send them; what was not written is not counted. */
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
