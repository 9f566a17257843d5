import type { Mailbox } from "../text/mail_addresses.ts";

/** A mail to one recipient, ready to be sent. */
export interface OutgoingMail {
  readonly from: Mailbox;
  readonly to: string;
  readonly replyTo: string | null;
  /** Subject without line breaks. */
  readonly subject: string;
  readonly text: string;
  /** HTML in addition to the text; null for none. */
  readonly html: string | null;
  /** `Message-ID` with angle brackets. It is the same for all tries of a mail. */
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly date: number;
}

export interface MailTransport {
  /**
   * Sends a mail and returns the response of the server that accepted it. Ends within
   * `MAIL_TIMEOUT_MS`. Throws {@linkcode MailRefused} and {@linkcode MailDelayed}.
   */
  send(mail: OutgoingMail): Promise<string>;
}

/** Thrown if the server refuses a mail permanently, by SMTP 5xx. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  readonly answer: string;

  constructor(answer: string, options?: ErrorOptions) {
    super(`The mail server refused the mail: ${answer}`, options);
    this.answer = answer;
  }
}

/** Thrown if a retry may succeed, as after SMTP 4xx or a closed connection. */
export class MailDelayed extends Error {
  override readonly name = "MailDelayed";
  /** Response of the server, or the reason why it was not reached. Contains no IP address. */
  readonly answer: string;

  constructor(answer: string, options?: ErrorOptions) {
    super(`The mail was not accepted: ${answer}`, options);
    this.answer = answer;
  }
}
