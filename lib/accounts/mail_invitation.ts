import { maySend } from "../credentials/codes.ts";
import { canonicalEmail } from "../emails.ts";
import type { JobRecord } from "../jobs/jobs.ts";
import type { JobRunner } from "../jobs/runner.ts";
import { INVITATION_MS } from "../limits.ts";
import { enqueueMail, findMailContext, type OutboxServices } from "../mail/outbox.ts";
import {
  type GivenInvitation,
  type InvitationMail,
  inviteMember,
  type SentInvitation,
} from "../projects/invite.ts";
import type { ProjectMember } from "../projects/members.ts";

interface MailInvitationServices extends OutboxServices {
  readonly jobRunner: JobRunner;
}

/**
 * Invites as `inviteMember` does, and mails the link where mail can be sent: to one address one a
 * minute and five an hour, whoever invites it. Throws what `inviteMember` throws.
 */
export async function inviteByMail(
  services: MailInvitationServices,
  inviter: ProjectMember,
  given: GivenInvitation,
): Promise<SentInvitation> {
  const { jobRunner } = services;
  const kind = "invitation";
  const written: { job: JobRecord | null } = { job: null };
  const mailFor = async (to: string): Promise<InvitationMail | null> => {
    const context = await findMailContext(services, "control", { kinds: [kind], language: null });
    if (context === null) return null;
    const place = { space: "control", purpose: kind, holder: canonicalEmail(to) } as const;
    if (!await maySend(services, place)) return null;
    await jobRunner.announce("control");
    return async (tx, url) => {
      const variables = { url, project: inviter.project.name };
      // The link is as good as a code: whoever has it accepts.
      const secret = { hasCode: true, usefulMs: INVITATION_MS };
      written.job = await enqueueMail(tx, services, context, { kind, to, variables, ...secret });
    };
  };
  const sent = await inviteMember(services, inviter, { ...given, mailFor });
  if (written.job !== null) jobRunner.begin("control", written.job);
  return sent;
}
