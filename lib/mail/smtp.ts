import type { Socket } from "node:net";
import { type ConnectionTarget, EgressFailed, TRUSTED_BY_DENO } from "../http/egress.ts";
import { MAIL_TIMEOUT_MS } from "../limits.ts";
import { parseMailbox, type SmtpServer } from "../text/mail_addresses.ts";
import { MailDelayed, MailRefused, type MailTransport, type OutgoingMail } from "./transport.ts";

const STEP_MS = 10_000;
const ANSWER_LENGTH_MAX = 500;
/** Maximum length of a response of the server, in bytes. */
const ANSWER_BYTES_MAX = 65_536;

export interface SmtpOptions {
  /** Opens a connection. It is the only code that looks names up. Throws `EgressFailed`. */
  connect(place: ConnectionTarget): Promise<Socket>;
  /** Host name of this server in the greeting. */
  readonly name: string;
  /** Trusted certificates in PEM format. Default: those that Deno trusts. */
  readonly ca?: string;
  /** Time limit for the connection, the greeting and each response. Default: 10,000 ms. */
  readonly stepMs?: number;
  /** Time limit for sending a mail. Default: {@linkcode MAIL_TIMEOUT_MS}. */
  readonly allMs?: number;
}

/** Requires TLS with a valid certificate, unless the server is on this machine. */
export const openSmtp = (server: SmtpServer, options: SmtpOptions): MailTransport => ({
  async send(mail) {
    // Loaded with the first mail.
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
      // The content of a mail must not make nodemailer read files or URLs.
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
      return shorten(response);
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
  // The address was checked when it was set.
  ...(replyTo !== null && { replyTo: mailboxOf(parseMailbox(replyTo)!) }),
  subject,
  text,
  ...(html !== null && { html }),
  messageId,
  date: new Date(date),
  headers: { "Auto-Submitted": "auto-generated" },
});

const mailboxOf = ({ name, address }: OutgoingMail["from"]) => ({ name: name ?? "", address });

interface SmtpFailure extends Error {
  readonly responseCode?: number;
  /** Whether a retry would fail, too. */
  readonly permanent?: boolean;
  readonly response?: string;
  readonly code?: string;
}

function failureOf(error: unknown): MailRefused | MailDelayed {
  if (error instanceof EgressFailed) {
    return new MailDelayed(`The mail server ${error.message}.`, { cause: error });
  }
  // nodemailer throws no other errors.
  const { response, permanent = false, code = "", message } = error as SmtpFailure;
  // Only without a response: a response that mentions certificates is an SMTP refusal.
  if (code === "ETLS" || (!response && /certificate/i.test(message))) {
    return delayedMail(WITHOUT_TLS, error);
  }
  if (response) {
    const answer = shorten(response);
    return permanent
      ? new MailRefused(answer, { cause: error })
      : new MailDelayed(answer, { cause: error });
  }
  if (PERMANENT_CODES.includes(code)) return new MailRefused(shorten(message), { cause: error });
  return delayedMail(REASONS[code] ?? "The connection broke off.", error);
}

const delayedMail = (why: string, cause: unknown) => new MailDelayed(why, { cause });

const WITHOUT_TLS = "The mail server offers no TLS that can be trusted.";

/** Messages for failures without a response, by the code of nodemailer. */
const REASONS: Readonly<Record<string, string>> = {
  ETIMEDOUT: "The mail server did not answer in time.",
  EABORT: "The mail server took too long.",
  EPROTOCOL: "The server there is not a mail server.",
};

/** Codes of nodemailer for mails that can never be sent, such as one that is too large. */
const PERMANENT_CODES: readonly string[] = ["EENVELOPE", "EMESSAGE"];

const shorten = (text: string): string =>
  text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim().slice(0, ANSWER_LENGTH_MAX);
