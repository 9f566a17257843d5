/** Mails in the outbox, with a mail server that accepts or refuses them as a test requires. */

import { JOBS } from "@/lib/jobs/jobs.ts";
import { getMailsThisMonth } from "@/lib/mail/usage.ts";
import { enqueueMail, type NewMail, requireMailContext } from "@/lib/mail/outbox.ts";
import type { MailRecord } from "@/lib/mail/mails.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { mailsOf } from "../support/mailbox.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp_server.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import type { TestOptions } from "../support/test_services.ts";

export const MINUTE_MS = 60_000;
/** Milliseconds after which a mail that waits for `minutes` has been tried again. */
export const afterPause = (minutes: number): number => 1.1 * minutes * MINUTE_MS;

export const TO = "ada@example.com";

/** A mail without and a mail with a code, which expires after ten minutes. */
export const NOTE: NewMail = { kind: "accountExists", to: TO, variables: { email: TO } };
export const CODE: NewMail = {
  kind: "verify",
  to: TO,
  variables: { code: "314159", minutes: "10", email: TO },
  hasCode: true,
};

export interface Outbox extends AsyncDisposable {
  readonly app: TestApp;
  readonly services: Services;
  readonly project: TestProject;
  readonly server: TestSmtpServer;
  /** Stores mails in this process's outbox without sending them. */
  write(...mails: readonly NewMail[]): Promise<void>;
  send(...mails: readonly NewMail[]): Promise<void>;
  /** Runs the jobs that are due and returns the newest mail as it is stored afterwards. */
  pass(): Promise<MailRecord>;
  /** Waits until all jobs have run and returns the newest mail. */
  stored(): Promise<MailRecord>;
  jobs(): Promise<number>;
  /** The number of mails counted this month. */
  counted(): Promise<number>;
}

export const mailEnv = ({ url }: { readonly url: string }) => ({
  MAIL_URL: url,
  MAIL_FROM: "Corbel <no-reply@corbel.example>",
});

export async function openOutbox(options: TestOptions = {}): Promise<Outbox> {
  await using opening = new AsyncDisposableStack();
  const server = opening.use(await startSmtpServer());
  const env = { ...mailEnv(server), ...options.env };
  const app = opening.use(await openTestApp({ ...options, env }));
  const { services } = app;
  const project = await app.project();
  const { projectId } = project;
  const stored = async () => (await mailsOf(services, projectId)).at(-1)!;
  const opened = opening.move();
  return {
    app,
    services,
    project,
    server,
    write: (...mails) => writeMails(services, projectId, mails).then(() => {}),
    async send(...mails) {
      for (const job of await writeMails(services, projectId, mails)) {
        services.jobRunner.begin(projectId, job);
      }
      await services.jobRunner.idle();
    },
    async pass() {
      await services.jobRunner.runDue();
      return await stored();
    },
    stored,
    jobs: () => services.engine.records(projectId, JOBS).count(ALL),
    counted: () => getMailsThisMonth(services, projectId),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function writeMails(services: Services, projectId: Id, mails: readonly NewMail[]) {
  const kinds = mails.map(({ kind }) => kind);
  const context = await requireMailContext(services, projectId, { kinds, language: null });
  await services.jobRunner.announce(projectId);
  return await services.engine.transaction(projectId, async (tx) => {
    const jobs = [];
    for (const mail of mails) jobs.push(await enqueueMail(tx, services, context, mail));
    return jobs.filter((job) => job !== null);
  });
}
