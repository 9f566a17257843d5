import type { Clock } from "../clock.ts";
import {
  countInTransaction,
  countInWindow,
  type WindowServices,
} from "../credentials/counted_windows.ts";
import { maySend, SENDINGS } from "../credentials/codes.ts";
import { canonicalEmail, untagged } from "../emails.ts";
import { type LimitNoticeServices, noteLimitReached } from "../jobs/limit_notices.ts";
import {
  MAILBOX_MAILS_PER_DAY,
  MAILBOX_MAILS_PER_DAY_IN_ALL,
  MAILS_WAITING_MAX,
} from "../limits.ts";
import type { Plans } from "../projects/plans.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { MailKind } from "./mails.ts";
import { type MailContext, waitingMails } from "./outbox.ts";
import { countMails, mailsThisMonth } from "./usage.ts";

export interface AdmissionServices extends LimitNoticeServices {
  readonly plans: Plans;
}

/** A mail that a request of a stranger causes, or an invitation. */
export interface MailToAdmit {
  /** Whose mail it is; null for mails to accounts. */
  readonly projectId: Id | null;
  /** What is counted together, to one address: one a minute and five an hour. */
  readonly purpose: MailKind;
  readonly to: string;
  /** The job that sends it, if one does: it is counted once, however often the job runs. */
  readonly jobId?: Id | undefined;
}

/**
 * Decides whether a mail of sign-in or an invitation may go to an address, and counts it if so.
 * Resolves to null where nothing may be sent, which no answer shows. By the platform's server there
 * are caps for each day, and what the project's owner chooses goes out within the plan's mails of the
 * month only: the context that this resolves to has neither their words nor a link to their pages
 * once these are used up.
 */
export async function admitMail(
  services: AdmissionServices,
  context: MailContext,
  { projectId, purpose, to, jobId }: MailToAdmit,
): Promise<MailContext | null> {
  const { space, provider } = context;
  if (space !== "control" && provider !== null) {
    const { engine } = services;
    const waiting = await waitingMails({ records: (kind) => engine.records(space, kind) });
    if (waiting >= MAILS_WAITING_MAX) return null;
  }
  const place = { space, purpose, holder: canonicalEmail(to), jobId };
  if (!await maySend(services, place)) return null;
  if (provider !== "default") return context;
  if (projectId === null) return await mayReachAccount(services, to) ? context : null;
  if (!await isWithinDailyCaps(services, projectId, to)) return null;
  const { mailsPerMonth } = await services.plans.of(projectId);
  const within = await countMails(services, projectId, { count: 1, limit: mailsPerMonth });
  const counted = within ?? await countMails(services, projectId, UNREFUSED);
  // A mail in the control space is sent on behalf of no project: its failure gives nothing back.
  const countedIn = context.space === "control" ? null : counted!.month;
  return { ...(within === null ? unchosen(context) : context), countedIn };
}

/** Without what the project's owner has chosen. */
const unchosen = (context: MailContext): MailContext => ({
  ...context,
  templateOf: () => null,
  codePage: null,
});

/**
 * Who sends a notice of a change to a user, and in which words: in the project's only as long as the
 * plan's mails of the month last. It is counted when it is sent.
 */
export async function noticeContext(
  services: AdmissionServices,
  context: MailContext,
  projectId: Id,
): Promise<MailContext> {
  if (context.provider !== "default") return context;
  const { mailsPerMonth } = await services.plans.of(projectId);
  const used = await mailsThisMonth(services, projectId);
  return used < mailsPerMonth ? context : unchosen(context);
}

/**
 * Whether a notice may go to an address, by a count of its own: codes that a stranger asks for do not
 * use it up. Counts it in the transaction of the change, so that no other request can keep the notice
 * from being sent.
 */
export async function mayNotify(
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

/** Mails of sign-in count, and are never refused for the month's count. */
const UNREFUSED = { count: 1, limit: Number.MAX_SAFE_INTEGER };

const DAY_MS = 86_400_000;

const countOfDay = (services: WindowServices, key: string, max: number) =>
  countInWindow(services, {
    space: "control",
    definition: SENDINGS,
    key,
    max,
    windowMs: DAY_MS,
  });

/** Whether one more mail of this day may go to the address of an account. Counts it if so. */
export const mayReachAccount = async (services: WindowServices, to: string): Promise<boolean> =>
  await countOfDay(services, `account mails to ${mailboxOf(to)}`, MAILBOX_MAILS_PER_DAY) !== null;

async function isWithinDailyCaps(
  services: AdmissionServices,
  projectId: Id,
  to: string,
): Promise<boolean> {
  const mailbox = mailboxOf(to);
  const { signInMailsPerDay } = await services.plans.of(projectId);
  const toMailbox = `mails of ${projectId} to ${mailbox}`;
  if (await countOfDay(services, toMailbox, MAILBOX_MAILS_PER_DAY) === null) return false;
  const ofProject = await countOfDay(services, `mails of ${projectId}`, signInMailsPerDay);
  if (ofProject === null) return false;
  if (ofProject === signInMailsPerDay) await noteLimitReached(services, projectId, "signInMails");
  const inAll = await countOfDay(services, `mails to ${mailbox}`, MAILBOX_MAILS_PER_DAY_IN_ALL);
  return inAll !== null;
}

/** Addresses that differ in a tag are one person's. */
const mailboxOf = (to: string): string => untagged(canonicalEmail(to));
