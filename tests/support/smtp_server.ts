/** SMTP server on this machine that accepts or refuses mails as a test demands. */

import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import type { Certificate } from "./tls.ts";

export interface ReceivedMail {
  /** Sender of the envelope. */
  readonly from: string;
  readonly to: string;
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly messageId: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly raw: string;
  readonly parsed: ParsedMail;
}

export type SmtpStep = "connect" | "auth" | "mail" | "recipient" | "data";

/**
 * A refusal with its code, no answer ("silence"), a closed connection ("cut"), or a connection that
 * is closed after the mail was accepted and before the sender receives the answer ("lost").
 */
export type SmtpAnswer =
  | { readonly code: number; readonly message: string }
  | "silence"
  | "cut"
  | "lost";

export interface SmtpServerOptions {
  /** TLS from the start, TLS by STARTTLS, or no TLS if missing. */
  readonly tls?: "implicit" | "starttls";
  readonly certificate?: Certificate;
  /** The only user whose mails are accepted; if missing, all mails are. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Selects the accepted mails that are added to `mails`; by default all. */
  isRecorded?(mail: ReceivedMail): boolean;
}

export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  /** Address of the server, including its user. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Mails that were transmitted completely, accepted or not. */
  readonly offered: readonly ReceivedMail[];
  /** Resolves to the next mail that was not returned before, optionally to an address. */
  next(to?: string): Promise<ReceivedMail>;
  /** Sets the answers from now on. Null, as function or result, accepts. */
  behave(answer: ((step: SmtpStep, to: string | null) => SmtpAnswer | null) | null): void;
}

export async function startSmtpServer(
  { tls, certificate, user, isRecorded = () => true }: SmtpServerOptions = {},
): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const offered: ReceivedMail[] = [];
  const returned = new Set<ReceivedMail>();
  const waiting = new Set<{ to: string | undefined; resolve(mail: ReceivedMail): void }>();
  let answerOf: (step: SmtpStep, to: string | null) => SmtpAnswer | null = () => null;

  function recordMail(mail: ReceivedMail): void {
    if (!isRecorded(mail)) return;
    mails.push(mail);
    for (const one of waiting) {
      if (one.to !== undefined && one.to !== mail.to) continue;
      waiting.delete(one);
      returned.add(mail);
      return one.resolve(mail);
    }
  }

  const recipientOf = ({ envelope }: SMTPServerSession): string | null =>
    envelope.rcptTo.at(-1)?.address ?? null;

  type Callback = (error?: Error | null) => void;

  function answer(
    step: SmtpStep,
    session: SMTPServerSession,
    to: string | null,
    next: Callback,
    reply = answerOf(step, to),
  ) {
    if (reply === null) return next();
    if (reply === "silence") return;
    if (reply === "cut" || reply === "lost") {
      for (const connection of server.connections) {
        if (connection.id === session.id) connection._socket.destroy();
      }
      return;
    }
    next(Object.assign(new Error(reply.message), { responseCode: reply.code }));
  }

  const server = new SMTPServer({
    ...certificate,
    secure: tls === "implicit",
    disabledCommands: [...(tls === "starttls" ? [] : ["STARTTLS"]), ...(user ? [] : ["AUTH"])],
    allowInsecureAuth: true,
    authOptional: user === undefined,
    disableReverseLookup: true,
    closeTimeout: 50,
    logger: false,
    onConnect: (session, next) => answer("connect", session, null, next),
    onAuth({ username, password }, session, next) {
      if (username === user?.name && password === user?.password) {
        answer(
          "auth",
          session,
          null,
          (error) => error ? next(error) : next(null, { user: username }),
        );
      } else next(Object.assign(new Error("5.7.8 Wrong password"), { responseCode: 535 }));
    },
    onMailFrom: (_address, session, next) => answer("mail", session, null, next),
    onRcptTo: ({ address }, session, next) => answer("recipient", session, address, next),
    onData(stream, session, next) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        const raw = new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer());
        const mail = await receivedMail(raw, session);
        offered.push(mail);
        const to = recipientOf(session);
        const reply = answerOf("data", to);
        if (reply === null || reply === "lost") recordMail(mail);
        answer("data", session, to, next, reply);
      });
    },
  });
  // Some tests are about clients that close the connection.
  server.on("error", () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.server.address() as { port: number };
  const userinfo = user === undefined
    ? ""
    : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  return {
    port,
    url: `${tls === "implicit" ? "smtps" : "smtp"}://${userinfo}127.0.0.1:${port}`,
    mails,
    offered,
    next(to) {
      const mail = mails.find((one) => !returned.has(one) && (to === undefined || one.to === to));
      if (mail === undefined) return new Promise((resolve) => waiting.add({ to, resolve }));
      returned.add(mail);
      return Promise.resolve(mail);
    },
    behave: (answer) => void (answerOf = answer ?? (() => null)),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function receivedMail(raw: string, session: SMTPServerSession): Promise<ReceivedMail> {
  const parsed = await simpleParser(raw);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address).join(","),
    isSecure: session.secure,
    user: session.user ?? null,
    subject: parsed.subject ?? "",
    text: parsed.text ?? "",
    html: parsed.html || null,
    messageId: parsed.messageId ?? "",
    headers: new Map(parsed.headerLines.map(({ key, line }) => [key, line])),
    raw,
    parsed,
  };
}
