import { MAIL_BODY_LENGTH_MAX, MAIL_LOG_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { shownLimit } from "../projects/plans.ts";
import { SpaceFull } from "../store/errors.ts";
import type { ByteQuota, Id, Transaction } from "../store/port.ts";
import { MAIL_TEXTS, type MailProvider, type MailTextRecord } from "./mails.ts";
import { addMails, mailContext, mailRecord, requireMayWait } from "./outbox.ts";
import { type CountingServices, reserveMails, writeMails } from "./quota.ts";
import { findMailSettings } from "./settings.ts";
import { findTemplate, templateById, templateNotFound, templateOf } from "./template_store.ts";
import {
  type MailTemplate,
  type MailVariables,
  type RenderedMail,
  renderMail,
} from "./templates.ts";
import { mailsThisMonth } from "./usage.ts";

/** What an application has sent, as its contract has read it. */
export interface MailToSend extends MailContent {
  /** One at least. */
  readonly to: readonly string[];
  readonly replyTo?: string | undefined;
}

/** Either a subject and texts, or a template by name or by id, of which the subject may be another. */
interface MailContent {
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  readonly templateName?: string | undefined;
  readonly templateId?: Id | undefined;
  /** In which language the template is wanted; the project's where it is left out. */
  readonly language?: string | undefined;
  /** Without any, texts that are given are sent as they are. */
  readonly variables?: MailVariables | undefined;
}

export interface SentMails {
  /** Of the first address's mail. */
  readonly id: Id;
  /** In the order of the addresses. */
  readonly ids: readonly Id[];
  readonly provider: MailProvider;
  /** Mails by the platform's server, of this project and month (UTC). */
  readonly monthlyUsage: number;
  readonly monthlyLimit: number | null;
}

/**
 * Writes a mail down for each address, and has them sent. By the platform's server they are counted
 * before: all of them, or none is written. Throws `INVALID_BODY` where texts become too long,
 * `MAIL_TEMPLATE_NOT_FOUND`, `MAIL_NOT_CONFIGURED` and `MAIL_QUOTA_EXCEEDED`.
 */
export async function sendMails(
  services: CountingServices,
  projectId: Id,
  { to, replyTo, quota, ...content }: MailToSend & { readonly quota: ByteQuota | undefined },
): Promise<SentMails> {
  const context = await mailContext(services, projectId, { kinds: [], language: null });
  const rendered = await renderedContent(services, projectId, content);
  const addresses = [...new Set(to)];
  const counted = await reserveMails(services, projectId, context, addresses.length);
  const { subject, ...texts } = rendered;
  const isShared = addresses.length > 1 && context.provider !== null;
  const shared = isShared ? sharedText(services, texts) : null;
  const given = {
    kind: "custom" as const,
    hasCode: false,
    countedIn: counted?.month ?? null,
    subject,
    ...(shared === null ? texts : { text: null, html: null, textId: shared._id }),
    ...(replyTo !== undefined && { replyTo }),
  };
  const mails = addresses.map((to) => mailRecord(services, context, { ...given, to }));
  const write = async (tx: Transaction) => {
    if (context.provider !== null) await requireMayWait(tx, mails.length);
    if (shared !== null) await tx.records<MailTextRecord>(MAIL_TEXTS, { quota }).insert(shared);
    return await addMails(tx, services, mails, quota);
  };
  await writeMails(services, projectId, counted, write).catch(withoutRoom);
  const ids = mails.map(({ _id }) => _id);
  const { mailsPerMonth } = await services.plans.of(projectId);
  return {
    id: ids[0]!,
    ids,
    provider: context.provider ?? "default",
    monthlyUsage: counted?.used ?? await mailsThisMonth(services, projectId),
    monthlyLimit: shownLimit(mailsPerMonth),
  };
}

const sharedText = (
  { clock, newId }: CountingServices,
  texts: Pick<RenderedMail, "text" | "html">,
): MailTextRecord => ({
  _id: newId(),
  ...texts,
  expiresAt: new Date(clock.now() + MAIL_LOG_MS).toISOString(),
});

function withoutRoom(error: unknown): never {
  if (!(error instanceof SpaceFull)) throw error;
  throw new Problem("MAIL_QUOTA_EXCEEDED", {
    message: "The project's documents, users, mails and messages take all that its plan allows: " +
      "delete some documents for good, or use a larger plan.",
    cause: error,
  });
}

async function renderedContent(
  services: CountingServices,
  projectId: Id,
  { variables, ...content }: MailContent,
): Promise<RenderedMail> {
  const own = await ownTemplate(services, projectId, content);
  const { subject = own?.subject ?? "", text, html } = content;
  const template = { ...own ?? templateOf({ subject, text, html }), subject };
  if (own === null && variables === undefined) return template;
  const rendered = renderMail(template, variables ?? {});
  if (rendered !== null) return rendered;
  throw new Problem("INVALID_BODY", {
    message: "With its variables the mail would be too long: text and HTML may each have " +
      `${MAIL_BODY_LENGTH_MAX} characters.`,
  });
}

/** Null where none is asked for. */
async function ownTemplate(
  services: CountingServices,
  projectId: Id,
  { templateName, templateId, language }: MailContent,
): Promise<MailTemplate | null> {
  if (templateId !== undefined) return await templateById(services, projectId, templateId);
  if (templateName === undefined) return null;
  const settings = await findMailSettings(services, projectId);
  const wanted = [language, settings?.language].filter((one) => one !== undefined && one !== null);
  const found = await findTemplate(services, projectId, templateName, wanted);
  if (found === null) throw await templateNotFound(services, projectId, templateName);
  return found;
}
