import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import type { AccountRecord } from "../projects/account_records.ts";
import { ALL, and, eq, not } from "../store/filter.ts";
import type { Engine, Filter, Id, Space } from "../store/port.ts";
import { type MailProvider, type MailRecord, MAILS, type MailState, readTexts } from "./mails.ts";
import { assertMayWait, enqueueSending, requireMailContext } from "./outbox.ts";
import { type CountingServices, reserveMails, writeMails } from "./quota.ts";
import { WITHOUT_CODE } from "./send_mail.ts";

/** A mail as the API returns it, without its texts. */
export interface LoggedMail {
  readonly id: Id;
  readonly kind: MailRecord["kind"];
  readonly to: string;
  readonly subject: string;
  readonly state: MailState;
  readonly provider: MailProvider | null;
  readonly tries: number;
  /** Last response of the server, or the reason why it was not reached. */
  readonly answer: string | null;
  /** Whether the mail contains a code, so that it cannot be sent again. */
  readonly hasCode: boolean;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

interface LogServices {
  readonly engine: Engine;
  readonly cursors: Cursors;
}

/** Lists the mails of the last `MAIL_LOG_DAYS`, newest first. Throws `INVALID_CURSOR`. */
export async function listMails(
  services: LogServices,
  space: Space,
  request: PageRequest,
): Promise<RecordPage<LoggedMail>> {
  const { items, nextCursor } = await readLog(services, space, ALL, request);
  return { items: items.map(toLoggedMail), nextCursor };
}

export interface KeptMail extends LoggedMail {
  readonly text: string;
  readonly html: string | null;
}

/** Mails of a project, or mails to one account. */
export type Mailbox = { readonly projectId: Id } | {
  readonly account: Pick<AccountRecord, "email" | "emailVerified">;
};

const isOfProject = (mailbox: Mailbox): mailbox is { readonly projectId: Id } =>
  "projectId" in mailbox;

const spaceOf = (mailbox: Mailbox): Space => isOfProject(mailbox) ? mailbox.projectId : "control";

function isKept(mailbox: Mailbox): Filter {
  const kept = eq("state", "kept");
  if (isOfProject(mailbox)) return kept;
  const { email, emailVerified } = mailbox.account;
  const isToAccount = and(kept, eq("to", email));
  // An account with an unverified address must not see the invitations to this address.
  return emailVerified ? isToAccount : and(isToAccount, not(eq("kind", "invitation")));
}

/** Lists mails that were kept and not sent, for the dashboard. Throws `INVALID_CURSOR`. */
export async function listKeptMails(
  services: LogServices,
  mailbox: Mailbox,
  request: PageRequest,
): Promise<RecordPage<KeptMail>> {
  const { items, nextCursor } = await readLog(services, spaceOf(mailbox), isKept(mailbox), request);
  return { items: items.map(toKeptMail), nextCursor };
}

/** Returns a mail that was kept and not sent. Throws `MAIL_NOT_FOUND`. */
export async function findKeptMail(
  { engine }: Pick<LogServices, "engine">,
  mailbox: Mailbox,
  mailId: Id,
): Promise<KeptMail> {
  const mail = await engine.records<MailRecord>(spaceOf(mailbox), MAILS)
    .findOne(and(eq("_id", mailId), isKept(mailbox)));
  if (mail === null) throw new Problem("MAIL_NOT_FOUND");
  return toKeptMail(mail.value);
}

const toKeptMail = (mail: MailRecord): KeptMail => ({
  ...toLoggedMail(mail),
  subject: mail.subject,
  text: mail.text ?? "",
  html: mail.html,
});

const readLog = (services: LogServices, space: Space, filter: Filter, request: PageRequest) =>
  readPage<MailRecord>(services, { space, definition: MAILS, filter }, request);

const toLoggedMail = (
  { _id, kind, to, subject, state, provider, tries, answer, hasCode, createdAt, sentAt }:
    MailRecord,
): LoggedMail => ({
  id: _id,
  kind,
  to,
  // A member who may only read could otherwise sign in with the code.
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
 * Sends a failed mail again with its `Message-ID`, counted as new. One of concurrent calls
 * succeeds. Throws `MAIL_NOT_FOUND`, `MAIL_NOT_RESENDABLE`, `MAIL_NOT_CONFIGURED`,
 * `MAIL_QUOTA_EXCEEDED`.
 */
export async function resendMail(
  services: CountingServices,
  projectId: Id,
  mailId: Id,
): Promise<LoggedMail> {
  const { engine } = services;
  const found = (await engine.records<MailRecord>(projectId, MAILS).get(mailId))?.value;
  if (found === undefined) throw new Problem("MAIL_NOT_FOUND");
  if (found.state !== "failed" || found.hasCode) throw new Problem("MAIL_NOT_RESENDABLE");
  const context = await requireMailContext(services, projectId, { kinds: [], language: null });
  const counted = await reserveMails(services, projectId, context, 1);
  const change = {
    // A kept mail needs its own text for the dashboard.
    ...(context.provider === null &&
      { ...await readTexts(engine, projectId, found), textId: null }),
    state: context.provider === null ? "kept" : "queued",
    provider: context.provider,
    countedIn: counted?.month ?? null,
    tries: 0,
    answer: null,
  };
  let queued = found;
  await writeMails(services, projectId, counted, async (tx) => {
    if (context.provider !== null) await assertMayWait(tx, 1);
    const isFailed = and(eq("_id", mailId), eq("state", "failed"));
    const changed = await tx.records<MailRecord>(MAILS).updateOne(isFailed, { set: change });
    if (changed === null) throw new Problem("MAIL_NOT_RESENDABLE");
    queued = changed.value;
    return await enqueueSending(tx, services, [queued]);
  });
  return toLoggedMail(queued);
}
