import type { JobQueue, JobRecord } from "../jobs/jobs.ts";
import { INVITATION_MS } from "../limits.ts";
import { type AdmissionServices, admitMail } from "../mail/admission.ts";
import { enqueueMail, findMailContext, type OutboxServices } from "../mail/outbox.ts";
import { findMailSettings } from "../mail/settings.ts";
import { chooseTemplates } from "../mail/template_store.ts";
import {
  type GivenInvitation,
  type InvitationMail,
  inviteMember,
  type SentInvitation,
} from "../projects/invite.ts";
import type { ProjectMember } from "../projects/members.ts";

interface MailInvitationServices extends OutboxServices, AdmissionServices {
  readonly jobRunner: JobQueue;
}

/** Invites like `inviteMember`, and mails the link if mail is set up and `admitMail` allows it. */
export async function inviteByMail(
  services: MailInvitationServices,
  inviter: ProjectMember,
  given: GivenInvitation,
): Promise<SentInvitation> {
  const { jobRunner } = services;
  const kind = "invitation";
  const written: { job: JobRecord | null } = { job: null };
  const mailFor = async (to: string): Promise<InvitationMail | null> => {
    const found = await findMailContext(services, "control", { kinds: [kind], language: null });
    if (found === null) return null;
    const { _id: projectId } = inviter.project;
    const settings = await findMailSettings(services, projectId);
    const wanted = settings?.language ? [settings.language] : [];
    const templateOf = await chooseTemplates(services, projectId, { kinds: [kind], wanted });
    const mail = { projectId, purpose: kind, to } as const;
    const context = await admitMail(services, { ...found, templateOf }, mail);
    if (context === null) return null;
    await jobRunner.announce("control");
    return async (tx, url) => {
      const variables = { url, project: inviter.project.name };
      // Anyone with the link can accept, so it is treated like a code.
      const secret = { hasCode: true, usefulMs: INVITATION_MS };
      written.job = await enqueueMail(tx, services, context, { kind, to, variables, ...secret });
    };
  };
  const sent = await inviteMember(services, inviter, { ...given, mailFor });
  if (written.job !== null) jobRunner.begin("control", written.job);
  return sent;
}
