import type { Socket } from "node:net";
import { type ConnectionPlace, EgressFailed, TRUSTED_BY_DENO } from "../http/egress.ts";
import { MAIL_TIMEOUT_MS } from "../limits.ts";
import { parseMailbox, type SmtpServer } from "../text/mail_addresses.ts";
import { MailDelayed, MailRefused, type MailTransport, type OutgoingMail } from "./transport.ts";

const STEP_MS = 10_000;
const ANSWER_LENGTH_MAX = 500;
/** One answer of a server. */
const ANSWER_BYTES_MAX = 65_536;

export interface SmtpOptions {
  /** Opens connections; it looks names up, and nobody else does. Throws `EgressFailed`. */
  connect(place: ConnectionPlace): Promise<Socket>;
  /** What this server calls itself. */
  readonly name: string;
  /** Certificates as PEM, of which one must have signed the server's; Deno's own if left out. */
  readonly ca?: string;
  /** Milliseconds for the connection, the greeting and each answer; ten seconds if left out. */
  readonly stepMs?: number;
  /** Milliseconds for all of a mail; {@linkcode MAIL_TIMEOUT_MS} if left out. */
  readonly allMs?: number;
}

/**
 * Sends by SMTP, with a connection for each mail. TLS is required, with a certificate that is good
 * for the server's name; of a server on this machine neither is, because nothing travels.
 */
export const openSmtp = (server: SmtpServer, options: SmtpOptions): MailTransport => ({
  async send(mail) {
    // Loaded only by those who send mail.
    const { createTransport } = await import("nodemailer");
    const { host, port, isSecure, isLocal, user } = server;
    const { stepMs = STEP_MS, allMs = MAIL_TIMEOUT_MS } = options;
    const transport = createTransport({
      host,
      port,
      name: options.name,
      secure: isSecure,
      requireTLS: !isLocal,
      tls: { ca: options.ca ?? TRUSTED_BY_DENO, rejectUnauthorized: !isLocal },
      ...(user !== null && { auth: { user: user.name, pass: user.password.reveal() } }),
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      maxResponseSize: ANSWER_BYTES_MAX,
      // Nothing in a mail may name a file or an address to be read.
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket(_options, callback) {
        options.connect({ host, port, withinMs: stepMs })
          .then((connection) => callback(null, { connection }), callback);
      },
    });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), allMs);
    try {
      const { response } = await transport.sendMail({ ...messageOf(mail), signal: late.signal });
      return shortened(response);
    } catch (error) {
      throw failureOf(error);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  },
});

const messageOf = ({ from, to, replyTo, subject, text, html, messageId, date }: OutgoingMail) => ({
  from: mailboxOf(from),
  to: { name: "", address: to },
  ...(replyTo !== null && { replyTo: mailboxOf(parseMailbox(replyTo)!) }), // Checked when it was set.
  subject,
  text,
  ...(html !== null && { html }),
  messageId,
  date: new Date(date),
  headers: { "Auto-Submitted": "auto-generated" },
});

const mailboxOf = ({ name, address }: OutgoingMail["from"]) => ({ name: name ?? "", address });

/** What nodemailer tells of a failure, as far as it is used. */
interface SmtpFailure extends Error {
  /** Of an answer by SMTP. */
  readonly responseCode?: number;
  /** Whether the same mail would be answered so again. */
  readonly permanent?: boolean;
  readonly response?: string;
  readonly code?: string;
}

function failureOf(error: unknown): MailRefused | MailDelayed {
  if (error instanceof EgressFailed) {
    return new MailDelayed(`The mail server ${error.message}.`, { cause: error });
  }
  const { response, permanent = false, code = "", message } = error as SmtpFailure; // It throws no other.
  // What a server says of certificates is its own affair.
  if (code === "ETLS" || (!response && /certificate/i.test(message))) {
    return delayed(WITHOUT_TLS, error);
  }
  if (response) {
    const answer = shortened(response);
    return permanent
      ? new MailRefused(answer, { cause: error })
      : new MailDelayed(answer, { cause: error });
  }
  if (PERMANENT.includes(code)) return new MailRefused(shortened(message), { cause: error });
  return delayed(WHY[code] ?? "The connection broke off.", error);
}

const delayed = (why: string, cause: unknown) => new MailDelayed(why, { cause });

const WITHOUT_TLS = "The mail server offers no TLS that can be trusted.";

/** What is told of failures without an answer. */
const WHY: Readonly<Record<string, string>> = {
  ETIMEDOUT: "The mail server did not answer in time.",
  EABORT: "The mail server took too long.",
  EPROTOCOL: "What answered is no mail server.",
};

/** The mail itself cannot be sent, as one that is larger than the server takes. */
const PERMANENT: readonly string[] = ["EENVELOPE", "EMESSAGE"];

const shortened = (text: string): string =>
  text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim().slice(0, ANSWER_LENGTH_MAX);
