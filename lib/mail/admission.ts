import type { Clock } from "../clock.ts";
import {
  countInTransaction,
  countInWindow,
  type WindowServices,
} from "../credentials/counted_windows.ts";
import { countSending, SENDINGS } from "../credentials/codes.ts";
import { canonicalEmail, withoutTag } from "../emails.ts";
import { type LimitNoticeServices, noteLimitReached } from "../jobs/limit_notices.ts";
import {
  MAILBOX_MAILS_PER_DAY,
  MAILBOX_MAILS_PER_DAY_IN_ALL,
  MAILS_WAITING_MAX,
} from "../limits.ts";
import type { Plans } from "../projects/plans.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { MailKind } from "./mails.ts";
import { countWaitingMails, type MailContext } from "./outbox.ts";
import { countMails, getMailsThisMonth } from "./usage.ts";

export interface AdmissionServices extends LimitNoticeServices {
  readonly plans: Plans;
}

/** A mail that an unauthenticated request causes, or an invitation. */
export interface MailToAdmit {
  /** Project of the mail; null for mails to accounts. */
  readonly projectId: Id | null;
  /** Kind of the mail. One mail a minute and five an hour of a kind may go to an address. */
  readonly purpose: MailKind;
  readonly to: string;
  /** Job that sends the mail, if any. If it runs again, the mail is not counted again. */
  readonly jobId?: Id | undefined;
}

/**
 * Counts a mail; null if it may not be sent, which responses must not reveal. If the plan's month
 * is used up, the context has neither the project's templates nor a link to its pages.
 */
export async function admitMail(
  services: AdmissionServices,
  context: MailContext,
  { projectId, purpose, to, jobId }: MailToAdmit,
): Promise<MailContext | null> {
  const { space, provider } = context;
  if (space !== "control" && provider !== null) {
    const { engine } = services;
    const waiting = await countWaitingMails({ records: (kind) => engine.records(space, kind) });
    if (waiting >= MAILS_WAITING_MAX) return null;
  }
  const slot = { space, purpose, holder: canonicalEmail(to), jobId };
  if (!await countSending(services, slot)) return null;
  if (provider !== "default") return context;
  if (projectId === null) return await countAccountMail(services, to) ? context : null;
  if (!await countInDailyCaps(services, projectId, to)) return null;
  const { mailsPerMonth } = await services.plans.ofProject(projectId);
  const within = await countMails(services, projectId, { count: 1, limit: mailsPerMonth });
  const counted = within ?? await countMails(services, projectId, UNLIMITED);
  // A mail in the control space is not counted for a project, so its failure gives nothing back.
  const countedIn = context.space === "control" ? null : counted!.month;
  return { ...(within === null ? withoutOwnContent(context) : context), countedIn };
}

/** Returns the context without the content that the project's owner has chosen. */
const withoutOwnContent = (context: MailContext): MailContext => ({
  ...context,
  templateOf: () => null,
  codePage: null,
});

/** Returns the context of a notice, with the project's templates only within the plan's month. */
export async function findNoticeContext(
  services: AdmissionServices,
  context: MailContext,
  projectId: Id,
): Promise<MailContext> {
  if (context.provider !== "default") return context;
  const { mailsPerMonth } = await services.plans.ofProject(projectId);
  const used = await getMailsThisMonth(services, projectId);
  return used < mailsPerMonth ? context : withoutOwnContent(context);
}

/** Counts notices apart from codes, in the change's transaction: attackers cannot prevent them. */
export async function countNotice(
  tx: Transaction,
  clock: Clock,
  { provider }: MailContext,
  to: string,
): Promise<boolean> {
  if (provider !== "default") return true;
  const key = `notices to ${mailboxOf(to)}`;
  const max = MAILBOX_MAILS_PER_DAY;
  return await countInTransaction(tx, clock, { definition: SENDINGS, key, max, windowMs: DAY_MS });
}

/** Sign-in mails are counted, but the count of the month never refuses them. */
const UNLIMITED = { count: 1, limit: Number.MAX_SAFE_INTEGER };

const DAY_MS = 86_400_000;

const countInDay = (services: WindowServices, key: string, max: number) =>
  countInWindow(services, {
    space: "control",
    definition: SENDINGS,
    key,
    max,
    windowMs: DAY_MS,
  });

/** Counts a mail to the address of an account and returns whether the daily limit allows it. */
export const countAccountMail = async (services: WindowServices, to: string): Promise<boolean> =>
  await countInDay(services, `account mails to ${mailboxOf(to)}`, MAILBOX_MAILS_PER_DAY) !== null;

async function countInDailyCaps(
  services: AdmissionServices,
  projectId: Id,
  to: string,
): Promise<boolean> {
  const mailbox = mailboxOf(to);
  const { signInMailsPerDay } = await services.plans.ofProject(projectId);
  const toMailbox = `mails of ${projectId} to ${mailbox}`;
  if (await countInDay(services, toMailbox, MAILBOX_MAILS_PER_DAY) === null) return false;
  const ofProject = await countInDay(services, `mails of ${projectId}`, signInMailsPerDay);
  if (ofProject === null) return false;
  if (ofProject === signInMailsPerDay) await noteLimitReached(services, projectId, "signInMails");
  const inAll = await countInDay(services, `mails to ${mailbox}`, MAILBOX_MAILS_PER_DAY_IN_ALL);
  return inAll !== null;
}

/** Returns the address without its tag, because addresses that differ in it have one mailbox. */
const mailboxOf = (to: string): string => withoutTag(canonicalEmail(to));
