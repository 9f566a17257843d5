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

/** Kind of the jobs that send mails. The subject of a job is the mail's id. */
export const SEND_MAIL_JOB = "sendMail";

export interface OutboxServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly config: { readonly mail: MailSettings; readonly publicUrl: string };
}

/** Server and templates of the mails of a space, read before the transaction. */
export interface MailContext {
  readonly space: Space;
  /** Name of the project, or of this server, in mails. */
  readonly name: string;
  /** URL of the project's front end; null if it has none, and for mails to accounts. */
  readonly siteUrl: string | null;
  /** URL of the page that links with codes lead to; null for mails without links. */
  readonly codePage: string | null;
  /** Null if mails are kept for the dashboard and not sent. */
  readonly provider: MailProvider | null;
  /** Part of message ids after the `@`. */
  readonly domain: string;
  readonly replyTo: string | null;
  /** Returns the project's own template of a kind of mail; null if the built-in one is used. */
  readonly templateOf: TemplateChoice;
  /** Month in which {@linkcode admitMail} has counted the mail; null if it is not counted yet. */
  readonly countedIn: string | null;
}

interface ContextOptions {
  readonly kinds: readonly MailKind[];
  /** `Accept-Language` header of the request that causes the mails. */
  readonly language: string | null;
}

/** Returns the context of mails of a space; null if they can neither be sent nor kept. */
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
    const defaults = { siteUrl: null, templateOf: () => null, countedIn: null };
    return platform && { space, name: "Corbel", codePage, ...defaults, ...platform };
  }
  const project = (await engine.records<ProjectRecord>("control", PROJECTS).get(space))?.value;
  if (project === undefined || isTrashed(project)) return null;
  const settings = await findMailSettings(services, space);
  const ownFrom = parseMailbox(settings?.from ?? ""); // Set if the project has its own server.
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

/** Returns the context of mails of a space. Throws `MAIL_NOT_CONFIGURED` if there is none. */
export async function requireMailContext(
  services: OutboxServices,
  space: Space,
  options: ContextOptions,
): Promise<MailContext> {
  const context = await findMailContext(services, space, options);
  if (context === null) throw new Problem("MAIL_NOT_CONFIGURED");
  return context;
}

export interface NewMail {
  readonly kind: MailKind;
  readonly to: string;
  readonly variables: MailVariables;
  /** Whether the mail contains a code. Then its text is removed in the end. */
  readonly hasCode?: boolean;
  /** Milliseconds after which a mail with a code is not tried again. Default: `CODE_MS`. */
  readonly usefulMs?: number;
}

/** Returns the job that sends the mail, to begin after the transaction; null if it is only kept. */
export async function enqueueMail(
  tx: Transaction,
  services: OutboxServices,
  context: MailContext,
  { kind, to, variables, hasCode = false, usefulMs = CODE_MS }: NewMail,
): Promise<JobRecord | null> {
  const { name, siteUrl, codePage, provider, countedIn } = context;
  const own = context.templateOf(kind);
  const variablesOfMail = { project: name, url: siteUrl ?? "", ...variables };
  // Mails by the platform's server must not carry a message that an owner puts into the name.
  const plain = provider === "byok"
    ? variablesOfMail
    : { ...variablesOfMail, project: plainName(name) };
  // A project's own template may become too long. The built-in one cannot.
  const rendered = (own && renderMail(own, variablesOfMail)) ??
    renderMail(builtInTemplate(kind, codePage !== null), plain)!;
  const usefulUntil = hasCode ? new Date(services.clock.now() + usefulMs).toISOString() : null;
  const fields = { kind, to, hasCode, usefulUntil, countedIn };
  const mail = createMailRecord(services, context, { ...fields, ...rendered });
  const [job = null] = await addMails(tx, services, [mail]);
  return job;
}

type MailFields = Pick<MailRecord, "kind" | "to" | "subject" | "text" | "html" | "hasCode">;

export function createMailRecord(
  { clock, newId }: OutboxServices,
  { provider, domain, replyTo }: Pick<MailContext, "provider" | "domain" | "replyTo">,
  fields:
    & MailFields
    & Partial<Pick<MailRecord, "textId" | "replyTo" | "countedIn" | "usefulUntil">>,
): MailRecord {
  return {
    replyTo,
    countedIn: null,
    usefulUntil: null,
    ...fields,
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

/** Stores mails. Returns the jobs that send them, except for mails that are only kept. */
export async function addMails(
  tx: Transaction,
  services: OutboxServices,
  mails: readonly MailRecord[],
  quota?: ByteQuota,
): Promise<JobRecord[]> {
  await tx.records<MailRecord>(MAILS, { quota }).insertMany(mails);
  return await enqueueSending(tx, services, mails);
}

/** Returns the number of mails that wait for a try. Each of them has a job. */
export const countWaitingMails = (tx: Pick<Transaction, "records">): Promise<number> =>
  tx.records<JobRecord>(JOBS).count(eq("kind", SEND_MAIL_JOB));

/** Throws `MAIL_QUOTA_EXCEEDED` above `MAILS_WAITING_MAX`. Takes the lock of mails. */
export async function assertMayWait(tx: Transaction, count: number): Promise<void> {
  await takeLock(tx, "mails");
  if (await countWaitingMails(tx) + count <= MAILS_WAITING_MAX) return;
  throw new Problem("MAIL_QUOTA_EXCEEDED", {
    message:
      `No more than ${MAILS_WAITING_MAX} mails of a project may wait to be sent: try again ` +
      "once some of them are sent.",
  });
}

/** Enqueues jobs that send stored mails. Mails that are only kept are logged instead. */
export async function enqueueSending(
  tx: Transaction,
  services: OutboxServices,
  mails: readonly MailRecord[],
): Promise<JobRecord[]> {
  // If the transaction fails or runs again, the line is wrong or repeated, which developers notice.
  for (const { state, to, subject, hasCode, text } of mails) {
    if (state !== "kept") continue;
    const details = { to, subject, ...(hasCode && { text }) };
    services.log.write("info", "A mail is kept, and not sent: the dashboard shows it", details);
  }
  const jobs = mails.filter(({ state }) => state === "queued")
    .map(({ _id }) => ({ subject: _id, lane: _id }));
  if (jobs.length === 0) return [];
  return await enqueue(tx, services, jobs, { kind: SEND_MAIL_JOB });
}
