import {
  type CodePlace,
  type CodePurpose,
  type CodeServices,
  type CodeTarget,
  issueCode,
} from "../credentials/codes.ts";
import { canonicalEmail } from "../emails.ts";
import { endJob, enqueue, type JobQueue, type JobRecord } from "../jobs/jobs.ts";
import { CODE_MS } from "../limits.ts";
import { parseJson } from "../store/json_text.ts";
import type { Id, Space, Transaction } from "../store/port.ts";
import { type AdmissionServices, admitMail } from "./admission.ts";
import {
  enqueueMail,
  findMailContext,
  type MailContext,
  mailContext,
  type OutboxServices,
} from "./outbox.ts";

/** What sends codes, to users and accounts alike. */
export interface CodeMailServices extends CodeServices, OutboxServices, AdmissionServices {
  readonly jobRunner: JobQueue;
}

/** What somebody asked to have sent to an address. */
export interface CodeRequest {
  readonly purpose: CodePurpose;
  readonly email: string;
  readonly language: string | null;
  /** Who asks, of `emailChange`. */
  readonly userId?: Id;
}

/**
 * Notes that a code was asked for. All that depends on who has the address happens behind the
 * answer, in a job of this kind, so that neither the answer nor its time tells. Throws
 * `MAIL_NOT_CONFIGURED`.
 */
export async function noteCodeRequest(
  services: CodeMailServices,
  space: Space,
  request: CodeRequest,
  kind: string,
): Promise<void> {
  const { engine, jobRunner } = services;
  const { purpose, language } = request;
  await mailContext(services, space, { kinds: [purpose], language });
  await jobRunner.announce(space);
  const job = await engine.transaction(
    space,
    (tx) => enqueueCodeRequest(tx, services, request, kind),
  );
  jobRunner.begin(space, job);
}

/** As {@linkcode noteCodeRequest}, in the transaction of its cause. The caller begins the job. */
export async function enqueueCodeRequest(
  tx: Transaction,
  services: Pick<CodeMailServices, "clock" | "newId">,
  request: CodeRequest,
  kind: string,
): Promise<JobRecord> {
  const noted = { subject: JSON.stringify(request), lane: request.email };
  const [job] = await enqueue(tx, services, [noted], { kind });
  return job!;
}

/** What the job was noted for. */
export const codeRequestOf = ({ subject }: JobRecord): CodeRequest =>
  parseJson(subject) as unknown as CodeRequest; // Written by `enqueueCodeRequest` alone.

interface CodeToSend extends CodeTarget, Omit<CodeRequest, "userId" | "email"> {
  /** The job that this is done in, which ends with it: one that is done twice sends nothing twice. */
  readonly job?: JobRecord;
}

/**
 * Sends a code, unless one was sent of late; nobody is told which. Resolves to false where no mail
 * can be sent.
 */
export async function sendCode(
  services: CodeMailServices,
  space: Space,
  { purpose, language, email, subjectId, job: cause }: CodeToSend,
): Promise<boolean> {
  const { engine, jobRunner } = services;
  const found = await findMailContext(services, space, { kinds: [purpose], language });
  if (found === null) return false;
  const projectId = space === "control" ? null : space;
  const mail = { projectId, purpose, to: email, jobId: cause?._id };
  const context = await admitMail(services, found, mail);
  if (context === null) return true;
  await jobRunner.announce(space);
  // A new address is its user's only when they confirm it, signed in.
  const holder = purpose === "emailChange" ? subjectId! : canonicalEmail(email);
  const place = { space, purpose, holder };
  const job = await engine.transaction(space, async (tx) => {
    if (cause !== undefined && !await endJob(tx, cause)) return null;
    return await enqueueCode(tx, services, context, { place, email, subjectId });
  });
  if (job !== null) jobRunner.begin(space, job);
  return true;
}

/** Issues a code and the mail with it, in the transaction of their cause. */
async function enqueueCode(
  tx: Transaction,
  services: CodeMailServices,
  context: MailContext,
  { place, email, subjectId }: CodeTarget & { readonly place: CodePlace },
): Promise<JobRecord | null> {
  const { purpose } = place;
  const code = await issueCode(tx, services, place, { email, subjectId });
  const minutes = String(CODE_MS / 60_000);
  const link = codeLink(context, { purpose, email, code });
  const variables = { code, minutes, email, ...(link !== null && { link }) };
  return await enqueueMail(tx, services, context, {
    kind: purpose,
    to: email,
    variables,
    hasCode: true,
  });
}

/** Opening it spends nothing: the page that it leads to reads the code, which no server is sent. */
function codeLink(
  { codePage }: MailContext,
  { purpose, email, code }: { purpose: CodePurpose; email: string; code: string },
): string | null {
  if (codePage === null) return null;
  const link = new URL(codePage);
  link.searchParams.set("purpose", purpose);
  link.searchParams.set("email", email);
  link.hash = `code=${code}`;
  return link.href;
}
