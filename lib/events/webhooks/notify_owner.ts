import type { JobKind } from "../../jobs/jobs.ts";
import { mailOwner, type MailOwnerServices } from "../../mail/mail_owner.ts";
import { NOTIFY_WEBHOOK_OWNER_JOB } from "./deliver.ts";
import { WEBHOOKS } from "./records.ts";

export const NOTIFY_WEBHOOK_OWNER: JobKind<MailOwnerServices> = {
  name: NOTIFY_WEBHOOK_OWNER_JOB,
  atOnce: 1,
  async run(services, space, { subject }) {
    if (space === "control") return null;
    if (await services.engine.records(space, WEBHOOKS).get(subject) === null) return null;
    await mailOwner(services, space, { kind: "webhookFailed", page: `/webhooks/${subject}` });
    return null;
  },
};
