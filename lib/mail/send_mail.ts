import { timestamp } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import { type JobKind, retryTime } from "../jobs/jobs.ts";
import { isInUse } from "../projects/projects.ts";
import { and, eq } from "../store/filter.ts";
import type { Filter, Id, Space } from "../store/port.ts";
import { type Mailbox, parseMailbox, parseSmtpUrl } from "../text/mail_addresses.ts";
import { type MailRecord, MAILS, textsOf } from "./mails.ts";
import { type OutboxServices, SEND_MAIL_JOB } from "./outbox.ts";
import { findMailSettings, openMailServer } from "./settings.ts";
import { MailDelayed, MailRefused, type MailTransport } from "./transport.ts";
import type { MailTransports } from "./transports.ts";
import { countMails, uncountMails } from "./usage.ts";

export interface MailServices extends OutboxServices {
  readonly keyRing: KeyRing;
  readonly mailTransports: MailTransports;
}

const MINUTE_MS = 60_000;

/** After the first try, and after each one more, until it is given up. */
const PAUSES_MS = [1, 5, 15, 60, 240].map((minutes) => minutes * MINUTE_MS);

/**
 * Sends the mail that is the job's subject. If the server may still accept it, it is retried after
 * 1, 5, 15, 60 and 240 minutes, for as long as the mail is useful.
 */
export const SEND_MAIL: JobKind<MailServices> = {
  name: SEND_MAIL_JOB,
  atOnce: 4,
  async run(services, space, { subject: mailId }) {
    // Asked for a project that is gone, an engine would make its space anew.
    if (space !== "control" && !await isInUse(services, space)) return null;
    const taken = await beginTry(services, space, mailId);
    if (taken === null) return null;
    const mail = await withCount(services, space, taken);
    const now = timestamp(services.clock);
    if (mail.usefulUntil !== null && mail.usefulUntil <= now) {
      return await fail(services, space, mail, mail.answer ?? "It was too late to be of use.");
    }
    try {
      const { transport, from } = await senderOf(services, space, mail);
      const { to, replyTo, subject, messageId, createdAt } = mail;
      const { text, html } = await textsOf(services.engine, space, mail);
      const content = { from, to, replyTo, subject, html, messageId, date: Date.parse(createdAt) };
      // Only mails that nobody sends any more have no text.
      const answer = await transport.send({ ...content, text: text! });
      await end(services, space, mail, {
        state: "sent",
        sentAt: timestamp(services.clock),
        answer,
      });
      return null;
    } catch (error) {
      if (error instanceof MailRefused) return await fail(services, space, mail, error.answer);
      if (error instanceof MailDelayed) return await delay(services, space, mail, error.answer);
      throw error;
    }
  },
};

/** Counts a try, and returns the mail; null if it is not to be sent any more. */
async function beginTry(
  { engine }: MailServices,
  space: Space,
  mailId: Id,
): Promise<MailRecord | null> {
  const isQueued = and(eq("_id", mailId), eq("state", "queued"));
  const begun = await engine.records<MailRecord>(space, MAILS)
    .updateOne(isQueued, { increment: { tries: 1 } });
  return begun?.value ?? null;
}

/** Every mail by the platform's server counts; those of sign-in are not refused for it. */
async function withCount(
  services: MailServices,
  space: Space,
  mail: MailRecord,
): Promise<MailRecord> {
  if (space === "control" || mail.provider !== "default" || mail.countedIn !== null) return mail;
  const counted = await countMails(services, space, { count: 1, limit: Number.MAX_SAFE_INTEGER });
  const countedIn = counted!.month; // There is always room for one more.
  await services.engine.records<MailRecord>(space, MAILS)
    .updateOne(eq("_id", mail._id), { set: { countedIn } });
  return { ...mail, countedIn };
}

interface MailSender {
  readonly transport: MailTransport;
  readonly from: Mailbox;
}

/** The server that it was written for, as it is set now. */
async function senderOf(
  services: MailServices,
  space: Space,
  { provider }: MailRecord,
): Promise<MailSender> {
  if (provider === "byok") {
    const own = await ownSender(services, space as Id); // Accounts have no server of their own.
    if (own === null) throw new MailRefused("The project has no mail server any more.");
    return own;
  }
  const { config: { mail }, mailTransports: { platform: transport } } = services;
  // Started with other settings, it may have one again.
  if (transport === null) throw new MailDelayed("This server has no mail server at present.");
  return { transport, from: parseMailbox(mail.from)! }; // Checked at the start.
}

/** The project's own server; null without one. */
export async function ownSender(
  services: Pick<MailServices, "engine" | "keyRing" | "mailTransports">,
  projectId: Id,
): Promise<MailSender | null> {
  const settings = await findMailSettings(services, projectId);
  const own = settings && await openMailServer(services, projectId, settings);
  if (own === null) return null;
  const transport = services.mailTransports.own(parseSmtpUrl(own.url.reveal())!);
  return { transport, from: parseMailbox(own.from)! }; // Both were checked when they were set.
}

/** Matches the mail as long as no other try has begun since. */
const isStillTried = ({ _id, tries }: MailRecord): Filter =>
  and(eq("_id", _id), eq("state", "queued"), eq("tries", tries));

/** Resolves to whether it was this call that ended it. */
async function end(
  { engine }: MailServices,
  space: Space,
  mail: MailRecord,
  change: Pick<MailRecord, "state" | "answer"> & Partial<MailRecord>,
): Promise<boolean> {
  const ended = await engine.records<MailRecord>(space, MAILS).updateOne(isStillTried(mail), {
    set: {
      ...change,
      // Where codes are told, the subject may have one too.
      ...(mail.hasCode && { subject: WITHOUT_CODE }),
      // Only a mail that has failed may be sent again, unless it had a code.
      ...((mail.hasCode || change.state === "sent") && { text: null, html: null }),
    },
  });
  return ended !== null;
}

/** In the place of a subject that may have a code in it. */
export const WITHOUT_CODE = "(had a code)";

async function fail(
  services: MailServices,
  space: Space,
  mail: MailRecord,
  answer: string,
): Promise<null> {
  note(services, "A mail has failed", space, { ...mail, answer });
  if (await end(services, space, mail, { state: "failed", answer }) && mail.countedIn !== null) {
    await uncountMails(services, space as Id, { month: mail.countedIn, count: 1 });
  }
  return null;
}

/** Resolves to when it is tried next; null where it is given up. */
async function delay(
  services: MailServices,
  space: Space,
  mail: MailRecord,
  answer: string,
): Promise<number | null> {
  const pause = PAUSES_MS[mail.tries - 1];
  const next = retryTime(services.clock, pause ?? 0, mail._id);
  const isLate = mail.usefulUntil !== null && next >= Date.parse(mail.usefulUntil);
  if (pause === undefined || isLate) return await fail(services, space, mail, answer);
  note(services, "A mail is tried again later", space, { ...mail, answer });
  await services.engine.records<MailRecord>(space, MAILS)
    .updateOne(isStillTried(mail), { set: { answer } });
  return next;
}

/** For who runs this server: what became of a mail to an account stands nowhere else. */
function note(
  { log }: MailServices,
  message: string,
  space: Space,
  { _id: mail, kind, provider, tries, answer }: MailRecord,
): void {
  log.write("warn", message, { space, mail, kind, provider, tries, answer });
}
