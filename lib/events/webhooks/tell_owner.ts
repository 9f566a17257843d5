import type { JobKind } from "../../jobs/jobs.ts";
import { mailOwner, type MailOwnerServices } from "../../mail/mail_owner.ts";
import { TELL_OWNER_JOB } from "./deliver.ts";
import { WEBHOOKS } from "./records.ts";

/** Writes to a project's owner that messages to a webhook do not get through. */
export const TELL_OWNER: JobKind<MailOwnerServices> = {
  name: TELL_OWNER_JOB,
  atOnce: 1,
  async run(services, space, { subject }) {
    if (space === "control") return null;
    if (await services.engine.records(space, WEBHOOKS).get(subject) === null) return null;
    await mailOwner(services, space, { kind: "webhookFailed", page: `/webhooks/${subject}` });
    return null;
  },
};
