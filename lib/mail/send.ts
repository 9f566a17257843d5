import { MAIL_BODY_LENGTH_MAX, MAIL_LOG_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { toJsonLimit } from "../projects/plans.ts";
import { SpaceFull } from "../store/errors.ts";
import type { ByteQuota, Id, Transaction } from "../store/port.ts";
import { MAIL_TEXTS, type MailProvider, type MailTextRecord } from "./mails.ts";
import { addMails, assertMayWait, createMailRecord, requireMailContext } from "./outbox.ts";
import { type CountingServices, reserveMails, writeMails } from "./quota.ts";
import { findMailSettings } from "./settings.ts";
import { findTemplate, templateById, templateNotFound, toMailTemplate } from "./template_store.ts";
import {
  type MailTemplate,
  type MailVariables,
  type RenderedMail,
  renderMail,
} from "./templates.ts";
import { getMailsThisMonth } from "./usage.ts";

export interface MailRequest extends MailContent {
  /** Addresses of the recipients; at least one. */
  readonly to: readonly string[];
  readonly replyTo?: string | undefined;
}

/** Either a subject and texts, or a template by name or id, whose subject can be replaced. */
interface MailContent {
  readonly subject?: string | undefined;
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  readonly templateName?: string | undefined;
  readonly templateId?: Id | undefined;
  /** Language of the template. Default: the project's language. */
  readonly language?: string | undefined;
  /** If omitted, given texts are sent unchanged. */
  readonly variables?: MailVariables | undefined;
}

export interface SentMails {
  /** Id of the mail to the first address. */
  readonly id: Id;
  /** Ids of the mails in the order of the addresses. */
  readonly ids: readonly Id[];
  readonly provider: MailProvider;
  /** Number of the project's mails by the platform's server in this month (UTC). */
  readonly monthlyUsage: number;
  readonly monthlyLimit: number | null;
}

/**
 * Stores all mails or, beyond the quota, none, and begins to send them. Throws `INVALID_BODY` for
 * too long texts, `MAIL_TEMPLATE_NOT_FOUND`, `MAIL_NOT_CONFIGURED` and `MAIL_QUOTA_EXCEEDED`.
 */
export async function sendMails(
  services: CountingServices,
  projectId: Id,
  { to, replyTo, quota, ...content }: MailRequest & { readonly quota: ByteQuota | undefined },
): Promise<SentMails> {
  const context = await requireMailContext(services, projectId, { kinds: [], language: null });
  const rendered = await renderContent(services, projectId, content);
  const addresses = [...new Set(to)];
  const counted = await reserveMails(services, projectId, context, addresses.length);
  const { subject, ...texts } = rendered;
  const isShared = addresses.length > 1 && context.provider !== null;
  const shared = isShared ? createSharedText(services, texts) : null;
  const given = {
    kind: "custom" as const,
    hasCode: false,
    countedIn: counted?.month ?? null,
    subject,
    ...(shared === null ? texts : { text: null, html: null, textId: shared._id }),
    ...(replyTo !== undefined && { replyTo }),
  };
  const mails = addresses.map((to) => createMailRecord(services, context, { ...given, to }));
  const write = async (tx: Transaction) => {
    if (context.provider !== null) await assertMayWait(tx, mails.length);
    if (shared !== null) await tx.records<MailTextRecord>(MAIL_TEXTS, { quota }).insert(shared);
    return await addMails(tx, services, mails, quota);
  };
  await writeMails(services, projectId, counted, write).catch(throwQuotaExceeded);
  const ids = mails.map(({ _id }) => _id);
  const { mailsPerMonth } = await services.plans.ofProject(projectId);
  return {
    id: ids[0]!,
    ids,
    provider: context.provider ?? "default",
    monthlyUsage: counted?.used ?? await getMailsThisMonth(services, projectId),
    monthlyLimit: toJsonLimit(mailsPerMonth),
  };
}

const createSharedText = (
  { clock, newId }: CountingServices,
  texts: Pick<RenderedMail, "text" | "html">,
): MailTextRecord => ({
  _id: newId(),
  ...texts,
  expiresAt: new Date(clock.now() + MAIL_LOG_MS).toISOString(),
});

function throwQuotaExceeded(error: unknown): never {
  if (!(error instanceof SpaceFull)) throw error;
  throw new Problem("MAIL_QUOTA_EXCEEDED", {
    message: "The project's documents, users, mails and messages take all that its plan allows: " +
      "delete some documents for good, or use a larger plan.",
    cause: error,
  });
}

async function renderContent(
  services: CountingServices,
  projectId: Id,
  { variables, ...content }: MailContent,
): Promise<RenderedMail> {
  const own = await findOwnTemplate(services, projectId, content);
  const { subject = own?.subject ?? "", text, html } = content;
  const template = { ...own ?? toMailTemplate({ subject, text, html }), subject };
  if (own === null && variables === undefined) return template;
  const rendered = renderMail(template, variables ?? {});
  if (rendered !== null) return rendered;
  throw new Problem("INVALID_BODY", {
    message: "With its variables the mail would be too long: text and HTML may each have " +
      `${MAIL_BODY_LENGTH_MAX} characters.`,
  });
}

/** Returns the requested template; null if the request names none. */
async function findOwnTemplate(
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
