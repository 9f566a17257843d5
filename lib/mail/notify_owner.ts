import type { JobKind } from "../jobs/jobs.ts";
import { type NoticedLimit, NOTIFY_OWNER_JOB } from "../jobs/limit_notices.ts";
import { mailOwner, type MailOwnerServices } from "./mail_owner.ts";

interface Notice {
  readonly page: string;
  readonly what: string;
}

const NOTICES: Readonly<Record<NoticedLimit, Notice>> = {
  signInMails: {
    page: "/mail",
    what:
      "Its mails of sign-in and its invitations of this day are used up: for up to 24 hours none " +
      "are sent, and nobody who asks for a code gets one. A mail server of the project's own has no " +
      "such limit.",
  },
  wrongCodes: {
    page: "/requests",
    what:
      "So many wrong codes were entered within an hour that somebody may be guessing: until the " +
      "hour is over no code is taken, right or wrong.",
  },
};

/** Writes to a project's owner that it has reached a limit. */
export const NOTIFY_OWNER: JobKind<MailOwnerServices> = {
  name: NOTIFY_OWNER_JOB,
  atOnce: 1,
  async run(services, space, { subject }) {
    if (space === "control") return null;
    const notice = NOTICES[subject as NoticedLimit]; // Written by `noteLimitReached` alone.
    await mailOwner(services, space, { kind: "limitReached", ...notice });
    return null;
  },
};
