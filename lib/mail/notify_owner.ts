import type { JobKind } from "../jobs/jobs.ts";
import { type NoticedLimit, NOTIFY_OWNER_JOB } from "../jobs/limit_notices.ts";
import { mailOwner, type MailOwnerServices } from "./mail_owner.ts";

interface LimitNotice {
  readonly page: string;
  readonly what: string;
}

const NOTICES: Readonly<Record<NoticedLimit, LimitNotice>> = {
  signInMails: {
    page: "/mail",
    what:
      "The project has sent all its sign-in mails and invitations of this day: for up to 24 hours " +
      "no more are sent, and users who request a code do not get one. With a mail server of its own, " +
      "a project does not have this limit.",
  },
  wrongCodes: {
    page: "/requests",
    what:
      "So many wrong codes were entered within an hour that an attacker may be guessing: until the " +
      "hour is over no code is accepted, right or wrong.",
  },
};

export const NOTIFY_OWNER: JobKind<MailOwnerServices> = {
  name: NOTIFY_OWNER_JOB,
  atOnce: 1,
  async run(services, space, { subject }) {
    if (space === "control") return null;
    const notice = NOTICES[subject as NoticedLimit]; // Only `noteLimitReached` enqueues these jobs.
    await mailOwner(services, space, { kind: "limitReached", ...notice });
    return null;
  },
};
