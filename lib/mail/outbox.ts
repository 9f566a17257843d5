import { type Clock, timestamp } from "../clock.ts";
import { randomToken } from "../crypto/random.ts";
import { takeLock } from "../projects/locks.ts";
import type { NewId } from "../ids.ts";
import { enqueue, type JobRecord, JOBS } from "../jobs/jobs.ts";
import { CODE_MS, MAIL_LOG_MS, MAILS_WAITING_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "../projects/records.ts";
import type { MailSettings } from "../runtime/config.ts";
import type { Log } from "../runtime/log.ts";
import { eq } from "../store/filter.ts";
import type { ByteQuota, Engine, Space, Transaction } from "../store/port.ts";
import { type Mailbox, parseMailbox } from "../text/mail_addresses.ts";
import { type MailKind, type MailProvider, type MailRecord, MAILS } from "./mails.ts";
import { findMailSettings } from "./settings.ts";
import { builtInTemplate, type MailVariables, plainName, renderMail } from "./templates.ts";
import { acceptedLanguages } from "../text/languages.ts";
import { chooseTemplates, type TemplateChoice } from "./template_store.ts";

/** The kind of the jobs that send mails; a job's subject is the mail's id. */
export const SEND_MAIL_JOB = "sendMail";

export interface OutboxServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly config: { readonly mail: MailSettings; readonly publicUrl: string };
}

/** Who sends the mails of a space, and in which words. Read before the transaction of their cause. */
export interface MailContext {
  readonly space: Space;
  /** What mails call the project, or this server. */
  readonly name: string;
  /** The project's front end; null where it has none, and for mails to accounts. */
  readonly siteUrl: string | null;
  /** The page that the links of codes lead to; null where there is none. */
  readonly codePage: string | null;
  /** Null where mails are only kept. */
  readonly provider: MailProvider | null;
  /** Behind the @ of message ids. */
  readonly domain: string;
  readonly replyTo: string | null;
  /** The project's own words for a kind of mail; null where it has none, or may not send them. */
  readonly templateOf: TemplateChoice;
  /** The month in which {@linkcode admitMail} has counted the mail; null where none is counted yet. */
  readonly countedIn: string | null;
}

interface ContextOptions {
  /** Which mails will be written. */
  readonly kinds: readonly MailKind[];
  /** The `Accept-Language` header of whoever caused them. */
  readonly language: string | null;
}

/** Null where nobody could send, or keep, a mail of this space. */
export async function findMailContext(
  services: OutboxServices,
  space: Space,
  { kinds, language }: ContextOptions,
): Promise<MailContext | null> {
  const { engine, config: { mail, publicUrl } } = services;
  const from = parseMailbox(mail.from);
  const domain = from === null ? new URL(publicUrl).hostname : domainOf(from);
  const platform = mail.url === null && !mail.keeps
    ? null
    : { provider: mail.keeps ? null : "default", domain, replyTo: null } as const;
  if (space === "control") {
    const codePage = `${publicUrl}/dashboard/verify`;
    const unchosen = { siteUrl: null, templateOf: () => null, countedIn: null };
    return platform && { space, name: "Corbel", codePage, ...unchosen, ...platform };
  }
  const project = (await engine.records<ProjectRecord>("control", PROJECTS).get(space))?.value;
  if (project === undefined || isTrashed(project)) return null;
  const settings = await findMailSettings(services, space);
  const ownFrom = parseMailbox(settings?.from ?? ""); // There is one where there is a server.
  const own = settings && ownFrom && {
    provider: "byok",
    domain: domainOf(ownFrom),
    replyTo: settings.replyTo,
  } as const;
  const sender = own ?? platform;
  if (sender === null) return null;
  const { name, siteUrl } = project;
  const wanted = [
    ...acceptedLanguages(language),
    ...(settings?.language ? [settings.language] : []),
  ];
  const templateOf = await chooseTemplates(services, space, { kinds, wanted });
  const codePage = siteUrl === null ? null : new URL("/auth/verify", siteUrl).href;
  return { space, name, siteUrl, codePage, templateOf, countedIn: null, ...sender };
}

const domainOf = ({ address }: Mailbox): string => address.slice(address.lastIndexOf("@") + 1);

/** As {@linkcode findMailContext}. Throws `MAIL_NOT_CONFIGURED` where that is null. */
export async function mailContext(
  services: OutboxServices,
  space: Space,
  options: ContextOptions,
): Promise<MailContext> {
  const context = await findMailContext(services, space, options);
  if (context === null) throw new Problem("MAIL_NOT_CONFIGURED");
  return context;
}

/** A mail of a kind that Corbel sends. */
export interface NewMail {
  readonly kind: MailKind;
  readonly to: string;
  readonly variables: MailVariables;
  /** Its text is removed once it is sent or has failed. */
  readonly hasCode?: boolean;
  /** How long what it brings is good: it is not tried again after that. A code's life if left out. */
  readonly usefulMs?: number;
}

/**
 * Writes a mail down, in the transaction of its cause. Resolves to the job that sends it, which the
 * caller begins behind the transaction; null where it is only kept.
 */
export async function enqueueMail(
  tx: Transaction,
  services: OutboxServices,
  context: MailContext,
  { kind, to, variables, hasCode = false, usefulMs = CODE_MS }: NewMail,
): Promise<JobRecord | null> {
  const { name, siteUrl, codePage, provider, countedIn } = context;
  const own = context.templateOf(kind);
  const all = { project: name, url: siteUrl ?? "", ...variables };
  // What the platform sends to a stranger must not carry what an owner writes into a name.
  const plain = provider === "byok" ? all : { ...all, project: plainName(name) };
  // A project's own words may become too long; Corbel's never do.
  const rendered = (own && renderMail(own, all)) ??
    renderMail(builtInTemplate(kind, codePage !== null), plain)!;
  const usefulUntil = hasCode ? new Date(services.clock.now() + usefulMs).toISOString() : null;
  const about = { kind, to, hasCode, usefulUntil, countedIn };
  const mail = mailRecord(services, context, { ...about, ...rendered });
  const [job = null] = await addMails(tx, services, [mail]);
  return job;
}

type GivenMail = Pick<MailRecord, "kind" | "to" | "subject" | "text" | "html" | "hasCode">;

/** A mail that is to be sent. */
export function mailRecord(
  { clock, newId }: OutboxServices,
  { provider, domain, replyTo }: Pick<MailContext, "provider" | "domain" | "replyTo">,
  given: GivenMail & Partial<Pick<MailRecord, "textId" | "replyTo" | "countedIn" | "usefulUntil">>,
): MailRecord {
  return {
    replyTo,
    countedIn: null,
    usefulUntil: null,
    ...given,
    _id: newId(),
    messageId: `<${randomToken(18)}@${domain}>`,
    state: provider === null ? "kept" : "queued",
    provider,
    tries: 0,
    answer: null,
    createdAt: timestamp(clock),
    sentAt: null,
    expiresAt: new Date(clock.now() + MAIL_LOG_MS).toISOString(),
  };
}

/** Writes mails down. Resolves to the jobs that send them, of those that are not only kept. */
export async function addMails(
  tx: Transaction,
  services: OutboxServices,
  mails: readonly MailRecord[],
  quota?: ByteQuota,
): Promise<JobRecord[]> {
  await tx.records<MailRecord>(MAILS, { quota }).insertMany(mails);
  return await noteMails(tx, services, mails);
}

/** How many mails wait to be sent, or to be tried again: each has a job. */
export const waitingMails = (within: Pick<Transaction, "records">): Promise<number> =>
  within.records<JobRecord>(JOBS).count(eq("kind", SEND_MAIL_JOB));

/**
 * Throws `MAIL_QUOTA_EXCEEDED` if more than `MAILS_WAITING_MAX` mails of a project would wait. Takes the
 * lock of mails, so that two transactions at once cannot both take the last places.
 */
export async function requireMayWait(tx: Transaction, count: number): Promise<void> {
  await takeLock(tx, "mails");
  if (await waitingMails(tx) + count <= MAILS_WAITING_MAX) return;
  throw new Problem("MAIL_QUOTA_EXCEEDED", {
    message:
      `No more than ${MAILS_WAITING_MAX} mails of a project may wait to be sent: try again ` +
      "once some of them are sent.",
  });
}

/** {@linkcode addMails}, for mails that are written down already. */
export async function noteMails(
  tx: Transaction,
  services: OutboxServices,
  mails: readonly MailRecord[],
): Promise<JobRecord[]> {
  // The transaction may run once more, or fail: who reads this develops, and can tell.
  for (const { state, to, subject, hasCode, text } of mails) {
    if (state !== "kept") continue;
    const said = { to, subject, ...(hasCode && { text }) };
    services.log.write("info", "A mail is kept, and not sent: the dashboard shows it", said);
  }
  const noted = mails.filter(({ state }) => state === "queued")
    .map(({ _id }) => ({ subject: _id, lane: _id }));
  if (noted.length === 0) return [];
  return await enqueue(tx, services, noted, { kind: SEND_MAIL_JOB });
}
