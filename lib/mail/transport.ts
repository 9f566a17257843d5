import type { Mailbox } from "../text/mail_addresses.ts";

/** A mail on its way to one recipient. */
export interface OutgoingMail {
  readonly from: Mailbox;
  readonly to: string;
  readonly replyTo: string | null;
  /** Without line breaks. */
  readonly subject: string;
  readonly text: string;
  /** Beside the text, which every mail has. */
  readonly html: string | null;
  /** With its angle brackets; the same however often the mail is tried. */
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly date: number;
}

/** Whoever takes mails from Corbel and delivers them. */
export interface MailTransport {
  /**
   * Hands a mail over; resolves to what the server answered once it has taken it. Throws
   * {@linkcode MailRefused} and {@linkcode MailDelayed}, and takes no longer than `MAIL_TIMEOUT_MS`.
   */
  send(mail: OutgoingMail): Promise<string>;
}

/** The server does not take this mail, and will not: SMTP's 5xx. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  /** What the server said. */
  readonly answer: string;

  constructor(answer: string, options?: ErrorOptions) {
    super(`The mail server refused the mail: ${answer}`, options);
    this.answer = answer;
  }
}

/** It may be taken later: the server was not reached, broke off, or asked to wait, by SMTP's 4xx. */
export class MailDelayed extends Error {
  override readonly name = "MailDelayed";
  /** What the server said, or why it was not reached. Names no address. */
  readonly answer: string;

  constructor(answer: string, options?: ErrorOptions) {
    super(`The mail was not taken: ${answer}`, options);
    this.answer = answer;
  }
}
