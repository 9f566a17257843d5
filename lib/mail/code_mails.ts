import {
  type CodePurpose,
  type CodeServices,
  type CodeSlot,
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
  type OutboxServices,
  requireMailContext,
} from "./outbox.ts";

export interface CodeMailServices extends CodeServices, OutboxServices, AdmissionServices {
  readonly jobRunner: JobQueue;
}

export interface CodeRequest {
  readonly purpose: CodePurpose;
  readonly email: string;
  readonly language: string | null;
  /** The signed-in user, for `emailChange`. */
  readonly userId?: Id;
}

/** Lets a job run after the response, whose time reveals no user. Throws `MAIL_NOT_CONFIGURED`. */
export async function storeCodeRequest(
  services: CodeMailServices,
  space: Space,
  request: CodeRequest,
  kind: string,
): Promise<void> {
  const { engine, jobRunner } = services;
  const { purpose, language } = request;
  await requireMailContext(services, space, { kinds: [purpose], language });
  await jobRunner.announce(space);
  const job = await engine.transaction(
    space,
    (tx) => enqueueCodeRequest(tx, services, request, kind),
  );
  jobRunner.begin(space, job);
}

/** Enqueues the job of a request for a code in a transaction. The caller begins the job. */
export async function enqueueCodeRequest(
  tx: Transaction,
  services: Pick<CodeMailServices, "clock" | "newId">,
  request: CodeRequest,
  kind: string,
): Promise<JobRecord> {
  const entry = { subject: JSON.stringify(request), lane: request.email };
  const [job] = await enqueue(tx, services, [entry], { kind });
  return job!;
}

export const codeRequestOf = ({ subject }: JobRecord): CodeRequest =>
  parseJson(subject) as unknown as CodeRequest; // Only `enqueueCodeRequest` writes it.

interface CodeToSend extends CodeTarget, Omit<CodeRequest, "userId" | "email"> {
  /** Job that sends the code. It ends in the same transaction, so it sends no code twice. */
  readonly job?: JobRecord;
}

/** Sends a code if the limits allow it, which callers must not reveal; false without a server. */
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
  // A user has to be signed in to confirm a new address.
  const holder = purpose === "emailChange" ? subjectId! : canonicalEmail(email);
  const slot = { space, purpose, holder };
  const job = await engine.transaction(space, async (tx) => {
    if (cause !== undefined && !await endJob(tx, cause)) return null;
    return await enqueueCode(tx, services, context, { slot, email, subjectId });
  });
  if (job !== null) jobRunner.begin(space, job);
  return true;
}

async function enqueueCode(
  tx: Transaction,
  services: CodeMailServices,
  context: MailContext,
  { slot, email, subjectId }: CodeTarget & { readonly slot: CodeSlot },
): Promise<JobRecord | null> {
  const { purpose } = slot;
  const code = await issueCode(tx, services, slot, { email, subjectId });
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

/** Returns a link that does not use the code up. The code is in the fragment, unseen by servers. */
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
