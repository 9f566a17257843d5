import { inviteByMail } from "@/lib/accounts/mail_invitation.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import {
  acceptInvitation,
  declineInvitation,
  previewInvitation,
} from "@/lib/projects/answer_invitation.ts";
import { offerOwnership, revokeInvitation } from "@/lib/projects/invite.ts";
import { listInvitations } from "@/lib/projects/shown_invitation.ts";
import { shownProject } from "@/lib/projects/shown_project.ts";
import type * as invitations from "@/openapi/paths/invitations.ts";
import type { HandlerOf } from "../handler.ts";

export const handleInviteMember: HandlerOf<typeof invitations.inviteMember> = async (c) => {
  const { services, principal } = c.var;
  const sent = await inviteByMail(services, principal, c.req.valid("json"));
  return { ...ok(201, JSON.stringify(sent), "Member invited"), headers: [NO_STORE] };
};

export const handleOfferOwnership: HandlerOf<typeof invitations.offerOwnership> = async (c) => {
  const { services, principal } = c.var;
  const sent = await offerOwnership(services, principal, c.req.valid("json").accountId);
  return { ...ok(200, JSON.stringify(sent), "Project offered"), headers: [NO_STORE] };
};

export const handleListInvitations: HandlerOf<typeof invitations.listInvitations> = async (c) => {
  const { services, principal } = c.var;
  const query = c.req.valid("query");
  const page = await listInvitations(services, principal.project._id, query);
  return ok(200, JSON.stringify(page), "Invitations listed");
};

export const handleRevokeInvitation: HandlerOf<typeof invitations.revokeInvitation> = async (c) => {
  const { services, principal } = c.var;
  const { invitationId } = c.req.valid("param");
  await revokeInvitation(services, principal, invitationId);
  return ok(200, JSON.stringify({ invitationId }), "Invitation withdrawn");
};

export const handlePreviewInvitation: HandlerOf<typeof invitations.previewInvitation> = async (
  c,
) => {
  const { services, principal } = c.var;
  const preview = await previewInvitation(services, principal, c.req.valid("json").token);
  return ok(200, JSON.stringify(preview), "Invitation found");
};

export const handleAcceptInvitation: HandlerOf<typeof invitations.acceptInvitation> = async (
  c,
) => {
  const { services, principal } = c.var;
  const accepted = await acceptInvitation(services, principal, c.req.valid("json").token);
  const shown = await shownProject(services, accepted);
  return ok(200, JSON.stringify(shown), "Invitation accepted");
};

export const handleDeclineInvitation: HandlerOf<typeof invitations.declineInvitation> = async (
  c,
) => {
  const { services, principal } = c.var;
  await declineInvitation(services, principal, c.req.valid("json").token);
  return ok(200, "{}", "Invitation declined");
};
