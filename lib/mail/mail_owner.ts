import type { JobQueue } from "../jobs/jobs.ts";
import { type AccountRecord, ACCOUNTS } from "../projects/account_records.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "../projects/records.ts";
import type { Id } from "../store/port.ts";
import { countAccountMail } from "./admission.ts";
import type { MailKind } from "./mails.ts";
import { enqueueMail, findMailContext, type OutboxServices } from "./outbox.ts";

export interface MailOwnerServices extends OutboxServices {
  readonly jobRunner: JobQueue;
}

/**
 * Mails a link to a page, without names of the project, which could carry messages to strangers.
 * @param page Path below the project's page, such as `/webhooks`; empty for its overview.
 */
export async function mailOwner(
  services: MailOwnerServices,
  projectId: Id,
  { kind, page, what }: { readonly kind: MailKind; readonly page: string; readonly what?: string },
): Promise<void> {
  const { engine, config, jobRunner } = services;
  const project = (await engine.records<ProjectRecord>("control", PROJECTS).get(projectId))?.value;
  if (project === undefined || isTrashed(project)) return;
  const { ownerId = null } = project; // Projects of earlier versions have none.
  const owner = ownerId === null
    ? null
    : await engine.records<AccountRecord>("control", ACCOUNTS).get(ownerId);
  if (owner === null) return;
  const context = await findMailContext(services, "control", { kinds: [kind], language: null });
  if (context === null) return;
  const { email: to } = owner.value;
  if (!await countAccountMail(services, to)) return;
  const url = `${config.publicUrl}/dashboard/projects/${projectId}${page}`;
  const variables = { url, ...(what !== undefined && { what }) };
  await jobRunner.announce("control");
  const sending = await engine.transaction(
    "control",
    (tx) => enqueueMail(tx, services, context, { kind, to, variables }),
  );
  if (sending !== null) jobRunner.begin("control", sending);
}
