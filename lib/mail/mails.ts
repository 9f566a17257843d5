import type { Engine, Space } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Kinds of mails that Corbel sends for a project, with the built-in or the project's template. */
export const PROJECT_MAIL_KINDS = [
  "verify",
  "resetPassword",
  "code",
  "emailChange",
  "emailChanged",
  "accountExists",
  "invitation",
] as const;

/** Kinds of mails that Corbel sends on its own. Mails of applications are of the kind `custom`. */
export const MAIL_KINDS = [...PROJECT_MAIL_KINDS, "webhookFailed", "limitReached"] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** `kept`: stored for the dashboard and not sent, because no mail server is configured. */
export type MailState = "queued" | "sent" | "failed" | "kept";

/** Server that sends a mail. `default`: the platform's. `byok`: the project's own. */
export type MailProvider = "default" | "byok";

/** Texts that several mails share, in each project's space. */
export const MAIL_TEXTS = recordKind({
  name: "_mailTexts",
  fields: {
    text: field.text,
    html: nullable(field.text),
    /** Expiry of the mails. */
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  counted: true,
  expiry: "expiresAt",
});

export type MailTextRecord = RecordOf<typeof MAIL_TEXTS>;

/** Returns the texts of a mail; null if they were removed after it was sent or has failed. */
export async function readTexts(
  engine: Engine,
  space: Space,
  { text, html, textId = null }: MailRecord,
): Promise<Pick<MailRecord, "text" | "html">> {
  if (textId === null) return { text, html };
  const shared = await engine.records<MailTextRecord>(space, MAIL_TEXTS).get(textId);
  return { text: shared?.value.text ?? null, html: shared?.value.html ?? null };
}

/** Mails to one recipient, in the project's space, or in the control space for accounts. */
export const MAILS = recordKind({
  name: "_mails",
  fields: {
    /** Record with the shared text and HTML; null or missing if the mail has its own. */
    textId: optional(nullable(field.ref)),
    kind: field.oneOf<MailKind | "custom">(),
    to: field.text,
    subject: field.text,
    /** Null if the mail has a shared text, or once its text was removed. */
    text: nullable(field.text),
    html: nullable(field.text),
    replyTo: nullable(field.text),
    messageId: field.text,
    state: field.oneOf<MailState>(),
    /** Null for a mail that is only kept. */
    provider: nullable(field.oneOf<MailProvider>()),
    /** Number of tries that were begun. */
    tries: field.number,
    /** Last response of the server, or the reason why it was not reached. */
    answer: nullable(field.text),
    hasCode: field.flag,
    /** Time after which the mail is not tried again, because its content expires. */
    usefulUntil: nullable(field.date),
    /** Month in which the mail is counted; null if it is not counted. */
    countedIn: nullable(field.text),
    createdAt: field.date,
    sentAt: nullable(field.date),
    expiresAt: field.date,
  },
  indexes: [
    { keys: [{ path: "createdAt", descending: true }] },
    { keys: ["textId", "state"].map((path) => ({ path, descending: false })) },
  ],
  trash: false,
  counted: true,
  expiry: "expiresAt",
});

export type MailRecord = RecordOf<typeof MAILS>;
