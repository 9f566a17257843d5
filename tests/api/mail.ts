import type { PlanName } from "@/lib/projects/account_records.ts";
import type { LoggedMail } from "@/lib/mail/log.ts";
import type { Answer } from "../support/conforming_client.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
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

/** An app with its own mail server, and a project in the app. */
export interface MailFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly smtp: TestSmtpServer;
  readonly owner: TestOwner;
  readonly projectId: string;
  send(body: unknown): Promise<Answer>;
  /** Waits until all jobs have run and returns the mail log. */
  logged(): Promise<LoggedMail[]>;
  /** Advances the clock and runs the jobs that are due. */
  later(minutes: number): Promise<void>;
}

/** Excludes the mails that an account gets when it registers. */
const isProjectMail = ({ subject }: ReceivedMail): boolean => !subject.endsWith("for Corbel");

export async function openMail(
  { plan = "free", env = {}, smtp: smtpOptions, ...options }: TestOptions & {
    plan?: PlanName;
    smtp?: SmtpServerOptions;
  } = {},
): Promise<MailFixture> {
  await using opening = new AsyncDisposableStack();
  const smtp = opening.use(await startSmtpServer({ ...smtpOptions, isRecorded: isProjectMail }));
  const app = opening.use(
    await openTestApp({
      ...options,
      env: { MAIL_URL: smtp.url, MAIL_FROM, ALLOW_PRIVATE_ENDPOINTS: "true", ...env },
    }),
  );
  const account = await openAccount(app, { plan });
  const { projectId, secretKey, publishableKey } = await createOwnedProject(account);
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

/** Mail settings of a project that sends through this server. */
export const ownServer = ({ url }: TestSmtpServer) => ({
  url,
  from: "Blog <blog@blog.example>",
  replyTo: "answers@blog.example",
});
