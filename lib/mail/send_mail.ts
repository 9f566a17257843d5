import { timestamp } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import { type JobKind, retryTime } from "../jobs/jobs.ts";
import { isInUse } from "../projects/projects.ts";
import { and, eq } from "../store/filter.ts";
import type { Filter, Id, Space } from "../store/port.ts";
import { type Mailbox, parseMailbox, parseSmtpUrl } from "../text/mail_addresses.ts";
import { type MailRecord, MAILS, readTexts } from "./mails.ts";
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

/** Milliseconds between a failed try and the next one. After one more try, the mail has failed. */
const PAUSES_MS = [1, 5, 15, 60, 240].map((minutes) => minutes * MINUTE_MS);

/** Sends a mail, with retries after 1, 5, 15, 60 and 240 minutes while it is useful. */
export const SEND_MAIL: JobKind<MailServices> = {
  name: SEND_MAIL_JOB,
  atOnce: 4,
  async run(services, space, { subject: mailId }) {
    // The engine would create the space of a deleted project again.
    if (space !== "control" && !await isInUse(services, space)) return null;
    const begun = await beginTry(services, space, mailId);
    if (begun === null) return null;
    const mail = await countMail(services, space, begun);
    const now = timestamp(services.clock);
    if (mail.usefulUntil !== null && mail.usefulUntil <= now) {
      return await failMail(services, space, mail, mail.answer ?? "It was too late to be of use.");
    }
    try {
      const { transport, from } = await findSender(services, space, mail);
      const { to, replyTo, subject, messageId, createdAt } = mail;
      const { text, html } = await readTexts(services.engine, space, mail);
      const content = { from, to, replyTo, subject, html, messageId, date: Date.parse(createdAt) };
      // A queued mail always has a text.
      const answer = await transport.send({ ...content, text: text! });
      await finishMail(services, space, mail, {
        state: "sent",
        sentAt: timestamp(services.clock),
        answer,
      });
      return null;
    } catch (error) {
      if (error instanceof MailRefused) return await failMail(services, space, mail, error.answer);
      if (error instanceof MailDelayed) return await delayMail(services, space, mail, error.answer);
      throw error;
    }
  },
};

/** Counts a try and returns the mail; null if it is no longer queued. */
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

/** Counts a mail by the platform's server if it is not counted yet, without a limit. */
async function countMail(
  services: MailServices,
  space: Space,
  mail: MailRecord,
): Promise<MailRecord> {
  if (space === "control" || mail.provider !== "default" || mail.countedIn !== null) return mail;
  const counted = await countMails(services, space, { count: 1, limit: Number.MAX_SAFE_INTEGER });
  const countedIn = counted!.month; // The limit cannot be reached.
  await services.engine.records<MailRecord>(space, MAILS)
    .updateOne(eq("_id", mail._id), { set: { countedIn } });
  return { ...mail, countedIn };
}

interface MailSender {
  readonly transport: MailTransport;
  readonly from: Mailbox;
}

/** Returns the server of a mail by the current settings. Throws `MailRefused` and `MailDelayed`. */
async function findSender(
  services: MailServices,
  space: Space,
  { provider }: MailRecord,
): Promise<MailSender> {
  if (provider === "byok") {
    const own = await findOwnSender(services, space as Id); // Only projects have their own server.
    if (own === null) throw new MailRefused("The project has no mail server any more.");
    return own;
  }
  const { config: { mail }, mailTransports: { platform: transport } } = services;
  // The operator may configure a mail server again.
  if (transport === null) throw new MailDelayed("This server has no mail server at present.");
  return { transport, from: parseMailbox(mail.from)! }; // It was checked at the start.
}

export async function findOwnSender(
  services: Pick<MailServices, "engine" | "keyRing" | "mailTransports">,
  projectId: Id,
): Promise<MailSender | null> {
  const settings = await findMailSettings(services, projectId);
  const own = settings && await openMailServer(services, projectId, settings);
  if (own === null) return null;
  const transport = services.mailTransports.own(parseSmtpUrl(own.url.reveal())!);
  return { transport, from: parseMailbox(own.from)! }; // Values were checked when they were set.
}

/** Matches the mail unless another try has begun. */
const isCurrentTry = ({ _id, tries }: MailRecord): Filter =>
  and(eq("_id", _id), eq("state", "queued"), eq("tries", tries));

/** Sets the final state of a mail. Returns false if another try has begun or ended. */
async function finishMail(
  { engine }: MailServices,
  space: Space,
  mail: MailRecord,
  change: Pick<MailRecord, "state" | "answer"> & Partial<MailRecord>,
): Promise<boolean> {
  const finished = await engine.records<MailRecord>(space, MAILS).updateOne(isCurrentTry(mail), {
    set: {
      ...change,
      // The subject of a mail with a code may contain it, too.
      ...(mail.hasCode && { subject: WITHOUT_CODE }),
      // Texts are kept only for failed mails without a code, which may be sent again.
      ...((mail.hasCode || change.state === "sent") && { text: null, html: null }),
    },
  });
  return finished !== null;
}

/** Replacement of a subject that may contain a code. */
export const WITHOUT_CODE = "(had a code)";

async function failMail(
  services: MailServices,
  space: Space,
  mail: MailRecord,
  answer: string,
): Promise<null> {
  logFailure(services, "A mail has failed", space, { ...mail, answer });
  if (
    await finishMail(services, space, mail, { state: "failed", answer }) && mail.countedIn !== null
  ) {
    await uncountMails(services, space as Id, { month: mail.countedIn, count: 1 });
  }
  return null;
}

/** Returns the time of the next try, in milliseconds since 1970; null if the mail has failed. */
async function delayMail(
  services: MailServices,
  space: Space,
  mail: MailRecord,
  answer: string,
): Promise<number | null> {
  const pause = PAUSES_MS[mail.tries - 1];
  const next = retryTime(services.clock, pause ?? 0, mail._id);
  const isLate = mail.usefulUntil !== null && next >= Date.parse(mail.usefulUntil);
  if (pause === undefined || isLate) return await failMail(services, space, mail, answer);
  logFailure(services, "A mail is tried again later", space, { ...mail, answer });
  await services.engine.records<MailRecord>(space, MAILS)
    .updateOne(isCurrentTry(mail), { set: { answer } });
  return next;
}

/** Logs a failure for the operator, who cannot see mails to accounts in the dashboard. */
function logFailure(
  { log }: MailServices,
  message: string,
  space: Space,
  { _id: mail, kind, provider, tries, answer }: MailRecord,
): void {
  log.write("warn", message, { space, mail, kind, provider, tries, answer });
}
