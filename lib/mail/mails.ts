import type { Definition, Engine, Id, Space, StoredRecord } from "../store/port.ts";

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

/** A mail to one recipient, written in the transaction of its cause. */
export type MailRecord = StoredRecord & {
  kind: MailKind | "custom";
  to: string;
  subject: string;
  /** Null once it was sent or has failed, if it had a code. */
  text: string | null;
  html: string | null;
  /** The record with the text and HTML that several mails share; null or missing if the mail has its own. */
  textId?: Id | null;
  replyTo: string | null;
  messageId: string;
  state: MailState;
  /** Null for one that is kept. */
  provider: MailProvider | null;
  /** How often sending it was begun. */
  tries: number;
  /** What the server said last, or why it was not reached. */
  answer: string | null;
  hasCode: boolean;
  /** After this it is not tried again: what it brings holds no longer. Null where it always does. */
  usefulUntil: string | null;
  /** The month whose count it is part of; null where it is not counted. */
  countedIn: string | null;
  createdAt: string;
  sentAt: string | null;
  expiresAt: string;
};

/** A text that several mails share, so that it is stored once. */
export type MailTextRecord = StoredRecord & {
  text: string;
  html: string | null;
  /** The same time as that of the mails. */
  expiresAt: string;
};

/** In each project's space. */
export const MAIL_TEXTS: Definition = {
  name: "_mailTexts",
  fields: { text: { type: "String" }, html: { type: "String" }, expiresAt: { type: "Date" } },
  indexes: [],
  trash: false,
  counted: true,
  expiry: "expiresAt",
};

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

/** In each project's space, and in the control space for mails to accounts. */
export const MAILS: Definition = {
  name: "_mails",
  fields: {
    textId: { type: "Ref" },
    kind: { type: "String" },
    to: { type: "String" },
    subject: { type: "String" },
    text: { type: "String" },
    html: { type: "String" },
    replyTo: { type: "String" },
    messageId: { type: "String" },
    state: { type: "String" },
    provider: { type: "String" },
    tries: { type: "Number" },
    answer: { type: "String" },
    hasCode: { type: "Boolean" },
    usefulUntil: { type: "Date" },
    countedIn: { type: "String" },
    createdAt: { type: "Date" },
    sentAt: { type: "Date" },
    expiresAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "createdAt", descending: true }] },
    { keys: ["textId", "state"].map((path) => ({ path, descending: false })) },
  ],
  trash: false,
  counted: true,
  expiry: "expiresAt",
};
