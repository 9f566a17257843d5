import type { PlanName } from "@/lib/projects/account_records.ts";
import type { LoggedMail } from "@/lib/mail/log.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openAccount, ownedProject } from "../support/dashboard.ts";
import {
  type ReceivedMail,
  type SmtpServerOptions,
  startSmtpServer,
  type TestSmtpServer,
} from "../support/smtp_server.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import type { TestOptions } from "../support/test_services.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok } from "./test_collection.ts";

export const MAIL_FROM = "Corbel <no-reply@corbel.example>";

/** An app with a mail server of its own, and a project in it. */
export interface MailFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly smtp: TestSmtpServer;
  readonly owner: TestOwner;
  readonly projectId: string;
  /** With the secret key. */
  send(body: unknown): Promise<Answer>;
  /** The log, once all that was begun has been done. */
  logged(): Promise<LoggedMail[]>;
  /** Runs what is due after so many minutes. */
  later(minutes: number): Promise<void>;
}

/** Whoever registers gets a mail, too. */
const isNoAccounts = ({ subject }: ReceivedMail): boolean => !subject.endsWith("for Corbel");

export async function openMail(
  { plan = "free", env = {}, smtp: smtpOptions, ...options }: TestOptions & {
    plan?: PlanName;
    smtp?: SmtpServerOptions;
  } = {},
): Promise<MailFixture> {
  await using opening = new AsyncDisposableStack();
  const smtp = opening.use(await startSmtpServer({ ...smtpOptions, tells: isNoAccounts }));
  const app = opening.use(
    await openTestApp({
      ...options,
      env: { MAIL_URL: smtp.url, MAIL_FROM, ALLOW_PRIVATE_ENDPOINTS: "true", ...env },
    }),
  );
  const account = await openAccount(app, { plan });
  const { projectId, secretKey, publishableKey } = await ownedProject(account);
  const project = await app.project();
  const owner = await createTestOwner(app, {
    ...project,
    projectId,
    secretKey,
    publishableKey,
    owner: () => Promise.resolve(account),
  });
  const asSecret = (call: { path: string; body?: unknown }) =>
    app.send({ ...call, headers: { "x-api-key": secretKey } });
  const { jobRunner } = app.services;
  const opened = opening.move();
  return {
    app,
    smtp,
    owner,
    projectId,
    send: (body) => asSecret({ path: "/api/mail/send", body }),
    async logged() {
      await jobRunner.idle();
      return ok(await asSecret({ path: "/api/mail/logs" })).items;
    },
    async later(minutes) {
      app.clock.advance(minutes * 66_000); // Pauses have up to a tenth of jitter.
      await jobRunner.runDue();
      await jobRunner.idle();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export const TO = "ada@example.com";
export const MAIL = { to: TO, subject: "Hello", text: "How are you?" };

/** What a project sets to send by this server. */
export const ownServer = ({ url }: TestSmtpServer) => ({
  url,
  from: "Blog <blog@blog.example>",
  replyTo: "answers@blog.example",
});
