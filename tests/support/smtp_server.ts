/** A real mail server on this machine: it takes mails, or does not, as a test has it. */

import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import type { Certificate } from "./tls.ts";

/** A mail as it arrived. */
export interface ReceivedMail {
  /** Of the envelope. */
  readonly from: string;
  readonly to: string;
  /** Whether it came by TLS, and by whom. */
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly messageId: string;
  /** By their names in lower case, as lines. */
  readonly headers: ReadonlyMap<string, string>;
  readonly raw: string;
  readonly parsed: ParsedMail;
}

/** When a mail is answered. */
export type SmtpStep = "connect" | "auth" | "mail" | "recipient" | "data";

/**
 * A refusal by its code, nothing at all, the end of the connection, or its end behind a mail that was
 * taken, before the sender is told.
 */
export type SmtpAnswer =
  | { readonly code: number; readonly message: string }
  | "silence"
  | "cut"
  | "lost";

export interface SmtpServerOptions {
  /** TLS: from the beginning, by STARTTLS, or not at all if left out. */
  readonly tls?: "implicit" | "starttls";
  readonly certificate?: Certificate;
  /** Whom alone it takes mails from; everybody's if left out. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Which of the mails that it takes a test is told of; all if left out. */
  tells?(mail: ReceivedMail): boolean;
}

export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  /** Of this machine, with its user in it. */
  readonly url: string;
  /** All that arrived. */
  readonly mails: readonly ReceivedMail[];
  /** All that were sent to their end, taken or not. */
  readonly offered: readonly ReceivedMail[];
  /** The next mail to an address, or the next one, that nobody was given yet. */
  next(to?: string): Promise<ReceivedMail>;
  /** What it does from now on; null takes mails. */
  behave(answer: ((step: SmtpStep, to: string | null) => SmtpAnswer | null) | null): void;
}

export async function startSmtpServer(
  { tls, certificate, user, tells = () => true }: SmtpServerOptions = {},
): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const offered: ReceivedMail[] = [];
  const given = new Set<ReceivedMail>();
  const waiting = new Set<{ to: string | undefined; resolve(mail: ReceivedMail): void }>();
  let answerOf: (step: SmtpStep, to: string | null) => SmtpAnswer | null = () => null;

  function arrived(mail: ReceivedMail): void {
    if (!tells(mail)) return;
    mails.push(mail);
    for (const one of waiting) {
      if (one.to !== undefined && one.to !== mail.to) continue;
      waiting.delete(one);
      given.add(mail);
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
    given = answerOf(step, to),
  ) {
    if (given === null) return next();
    if (given === "silence") return;
    if (given === "cut" || given === "lost") {
      for (const connection of server.connections) {
        if (connection.id === session.id) connection._socket.destroy();
      }
      return;
    }
    next(Object.assign(new Error(given.message), { responseCode: given.code }));
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
        const given = answerOf("data", to);
        if (given === null || given === "lost") arrived(mail);
        answer("data", session, to, next, given);
      });
    },
  });
  // A client that breaks off is what some tests are about.
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
      const mail = mails.find((one) => !given.has(one) && (to === undefined || one.to === to));
      if (mail === undefined) return new Promise((resolve) => waiting.add({ to, resolve }));
      given.add(mail);
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
