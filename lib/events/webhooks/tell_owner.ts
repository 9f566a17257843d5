import { type AccountRecord, ACCOUNTS } from "../../projects/account_records.ts";
import type { JobKind } from "../../jobs/jobs.ts";
import type { JobRunner } from "../../jobs/runner.ts";
import { enqueueMail, findMailContext, type OutboxServices } from "../../mail/outbox.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "../../projects/records.ts";
import { TELL_OWNER_JOB } from "./deliver.ts";
import { type WebhookRecord, WEBHOOKS } from "./records.ts";

interface TellServices extends OutboxServices {
  readonly jobRunner: Pick<JobRunner, "announce" | "begin">;
}

/**
 * Writes to a project's owner that messages to a webhook do not get through. Names of projects and
 * webhooks are not in it: who signs up with somebody else's address must not write to them.
 */
export const TELL_OWNER: JobKind<TellServices> = {
  name: TELL_OWNER_JOB,
  async run(services, space, job) {
    const { engine, config, jobRunner } = services;
    if (space === "control") return null;
    const project = (await engine.records<ProjectRecord>("control", PROJECTS).get(space))?.value;
    if (project === undefined || isTrashed(project)) return null;
    const { ownerId = null } = project; // Projects of earlier versions name none.
    const owner = ownerId === null
      ? null
      : await engine.records<AccountRecord>("control", ACCOUNTS).get(ownerId);
    const webhook = await engine.records<WebhookRecord>(space, WEBHOOKS).get(job.subject);
    if (owner === null || webhook === null) return null;
    const kinds = ["webhookFailed"] as const;
    const context = await findMailContext(services, "control", { kinds, language: null });
    if (context === null) return null;
    const path = `/dashboard/projects/${space}/webhooks/${job.subject}`;
    const variables = { url: `${config.publicUrl}${path}` };
    await jobRunner.announce("control");
    const sending = await engine.transaction(
      "control",
      (tx) =>
        enqueueMail(tx, services, context, { kind: kinds[0], to: owner.value.email, variables }),
    );
    if (sending !== null) jobRunner.begin("control", sending);
    return null;
  },
};
