import type { Engine, Space } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** What Corbel sends for a project, in its own words or in those of the project's template. */
export const PROJECT_MAIL_KINDS = [
  "verify",
  "resetPassword",
  "code",
  "emailChange",
  "emailChanged",
  "accountExists",
  "invitation",
] as const;

/** What Corbel sends of its own accord; `custom` is what applications have it send. */
export const MAIL_KINDS = [...PROJECT_MAIL_KINDS, "webhookFailed", "limitReached"] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** `kept`: written down for the dashboard, where nobody sends. */
export type MailState = "queued" | "sent" | "failed" | "kept";

/** Whose server sends it: the platform's, or the project's own. */
export type MailProvider = "default" | "byok";

/** A text that several mails share, so that it is stored once. In each project's space. */
export const MAIL_TEXTS = recordKind({
  name: "_mailTexts",
  fields: {
    text: field.text,
    html: nullable(field.text),
    /** The same time as that of the mails. */
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  counted: true,
  expiry: "expiresAt",
});

export type MailTextRecord = RecordOf<typeof MAIL_TEXTS>;

/** The text of a mail; null if it had a code and the mail has been sent or has failed. */
export async function textsOf(
  engine: Engine,
  space: Space,
  { text, html, textId = null }: MailRecord,
): Promise<Pick<MailRecord, "text" | "html">> {
  if (textId === null) return { text, html };
  const shared = await engine.records<MailTextRecord>(space, MAIL_TEXTS).get(textId);
  return { text: shared?.value.text ?? null, html: shared?.value.html ?? null };
}

/**
 * A mail to one recipient, written in the transaction of its cause. In each project's space, and
 * in the control space for mails to accounts.
 */
export const MAILS = recordKind({
  name: "_mails",
  fields: {
    /** The record with the text and HTML that several mails share; null or missing if the mail has its own. */
    textId: optional(nullable(field.ref)),
    kind: field.textOf<MailKind | "custom">(),
    to: field.text,
    subject: field.text,
    /** Null once it was sent or has failed, if it had a code. */
    text: nullable(field.text),
    html: nullable(field.text),
    replyTo: nullable(field.text),
    messageId: field.text,
    state: field.textOf<MailState>(),
    /** Null for one that is kept. */
    provider: nullable(field.textOf<MailProvider>()),
    /** How often sending it was begun. */
    tries: field.number,
    /** What the server said last, or why it was not reached. */
    answer: nullable(field.text),
    hasCode: field.flag,
    /** After this it is not tried again: what it brings holds no longer. Null where it always does. */
    usefulUntil: nullable(field.date),
    /** The month whose count it is part of; null where it is not counted. */
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
