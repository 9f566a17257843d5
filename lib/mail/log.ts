import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import type { AccountRecord } from "../projects/account_records.ts";
import { ALL, and, eq, not } from "../store/filter.ts";
import type { Engine, Filter, Id, Space } from "../store/port.ts";
import { type MailProvider, type MailRecord, MAILS, type MailState, textsOf } from "./mails.ts";
import { mailContext, noteMails, requireMayWait } from "./outbox.ts";
import { type CountingServices, reserveMails, writeMails } from "./quota.ts";
import { WITHOUT_CODE } from "./send_mail.ts";

/** A mail, as the log shows it. */
export interface LoggedMail {
  readonly id: Id;
  readonly kind: MailRecord["kind"];
  readonly to: string;
  readonly subject: string;
  readonly state: MailState;
  readonly provider: MailProvider | null;
  readonly tries: number;
  /** What the server said last, or why it was not reached. */
  readonly answer: string | null;
  /** Whether it had a code: then it cannot be sent again. */
  readonly hasCode: boolean;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

interface LogServices {
  readonly engine: Engine;
  readonly cursors: Cursors;
}

/** Mails of the last `MAIL_LOG_DAYS`, the newest first, without their texts. Throws `INVALID_CURSOR`. */
export async function listMails(
  services: LogServices,
  space: Space,
  request: PageRequest,
): Promise<RecordPage<LoggedMail>> {
  const { items, nextCursor } = await pageOf(services, space, ALL, request);
  return { items: items.map(loggedMail), nextCursor };
}

/** A mail that was not sent, with what it says. */
export interface KeptMail extends LoggedMail {
  readonly text: string;
  readonly html: string | null;
}

/** Whose mails: all of a project, or those of the control space that went to one account. */
export type Mailbox = { readonly projectId: Id } | {
  readonly account: Pick<AccountRecord, "email" | "emailVerified">;
};

const isOfProject = (mailbox: Mailbox): mailbox is { readonly projectId: Id } =>
  "projectId" in mailbox;

const spaceOf = (mailbox: Mailbox): Space => isOfProject(mailbox) ? mailbox.projectId : "control";

function keptIn(mailbox: Mailbox): Filter {
  const kept = eq("state", "kept");
  if (isOfProject(mailbox)) return kept;
  const { email, emailVerified } = mailbox.account;
  const theirs = and(kept, eq("to", email));
  // Whoever registers an address first has no right to its invitations.
  return emailVerified ? theirs : and(theirs, not(eq("kind", "invitation")));
}

/**
 * Mails that are kept because nobody sends them, for the dashboard of who develops. Throws
 * `INVALID_CURSOR`.
 */
export async function listKeptMails(
  services: LogServices,
  mailbox: Mailbox,
  request: PageRequest,
): Promise<RecordPage<KeptMail>> {
  const { items, nextCursor } = await pageOf(services, spaceOf(mailbox), keptIn(mailbox), request);
  return { items: items.map(keptMail), nextCursor };
}

/** One of them. Throws `MAIL_NOT_FOUND`. */
export async function findKeptMail(
  { engine }: Pick<LogServices, "engine">,
  mailbox: Mailbox,
  mailId: Id,
): Promise<KeptMail> {
  const mail = await engine.records<MailRecord>(spaceOf(mailbox), MAILS)
    .findOne(and(eq("_id", mailId), keptIn(mailbox)));
  if (mail === null) throw new Problem("MAIL_NOT_FOUND");
  return keptMail(mail.value);
}

const keptMail = (mail: MailRecord): KeptMail => ({
  ...loggedMail(mail),
  subject: mail.subject,
  text: mail.text ?? "",
  html: mail.html,
});

const pageOf = (services: LogServices, space: Space, which: Filter, request: PageRequest) =>
  readPage<MailRecord>(services, { space, definition: MAILS, asked: which }, request);

const loggedMail = (
  { _id, kind, to, subject, state, provider, tries, answer, hasCode, createdAt, sentAt }:
    MailRecord,
): LoggedMail => ({
  id: _id,
  kind,
  to,
  // Whoever may only look would sign in by it.
  subject: hasCode ? WITHOUT_CODE : subject,
  state,
  provider,
  tries,
  answer,
  hasCode,
  createdAt,
  sentAt,
});

/**
 * Sends a mail that has failed once more, under its `Message-ID`, by whoever sends now. It counts as
 * a new one. Of many at once one does. Throws `MAIL_NOT_FOUND`, `MAIL_NOT_RESENDABLE`,
 * `MAIL_NOT_CONFIGURED` and `MAIL_QUOTA_EXCEEDED`.
 */
export async function sendAgain(
  services: CountingServices,
  projectId: Id,
  mailId: Id,
): Promise<LoggedMail> {
  const { engine } = services;
  const found = (await engine.records<MailRecord>(projectId, MAILS).get(mailId))?.value;
  if (found === undefined) throw new Problem("MAIL_NOT_FOUND");
  if (found.state !== "failed" || found.hasCode) throw new Problem("MAIL_NOT_RESENDABLE");
  const context = await mailContext(services, projectId, { kinds: [], language: null });
  const counted = await reserveMails(services, projectId, context, 1);
  const change = {
    // The dashboard shows what is kept, with a text of its own.
    ...(context.provider === null && { ...await textsOf(engine, projectId, found), textId: null }),
    state: context.provider === null ? "kept" : "queued",
    provider: context.provider,
    countedIn: counted?.month ?? null,
    tries: 0,
    answer: null,
  };
  let queued = found;
  await writeMails(services, projectId, counted, async (tx) => {
    if (context.provider !== null) await requireMayWait(tx, 1);
    const isFailed = and(eq("_id", mailId), eq("state", "failed"));
    const changed = await tx.records<MailRecord>(MAILS).updateOne(isFailed, { set: change });
    if (changed === null) throw new Problem("MAIL_NOT_RESENDABLE");
    queued = changed.value;
    return await noteMails(tx, services, [queued]);
  });
  return loggedMail(queued);
}
