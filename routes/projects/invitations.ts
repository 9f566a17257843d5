import { NO_STORE, ok } from "@/lib/http/respond.ts";
import {
  acceptInvitation,
  declineInvitation,
  previewInvitation,
} from "@/lib/projects/answer_invitation.ts";
import { inviteMember, offerOwnership, revokeInvitation } from "@/lib/projects/invite.ts";
import { listInvitations } from "@/lib/projects/shown_invitation.ts";
import { shownProject } from "@/lib/projects/shown_project.ts";
import type * as invitations from "@/openapi/paths/invitations.ts";
import type { HandlerOf } from "../call.ts";

export const handleInviteMember: HandlerOf<typeof invitations.inviteMember> = async (call) => {
  const sent = await inviteMember(call.services, call.principal, call.input);
  return { ...ok(201, JSON.stringify(sent), "Member invited"), headers: [NO_STORE] };
};

export const handleOfferOwnership: HandlerOf<typeof invitations.offerOwnership> = async (call) => {
  const sent = await offerOwnership(call.services, call.principal, call.input.accountId);
  return { ...ok(200, JSON.stringify(sent), "Project offered"), headers: [NO_STORE] };
};

export const handleListInvitations: HandlerOf<typeof invitations.listInvitations> = async (
  { services, principal, query },
) => {
  const page = await listInvitations(services, principal.project._id, query);
  return ok(200, JSON.stringify(page), "Invitations listed");
};

export const handleRevokeInvitation: HandlerOf<typeof invitations.revokeInvitation> = async (
  { services, principal, params: { invitationId } },
) => {
  await revokeInvitation(services, principal, invitationId);
  return ok(200, JSON.stringify({ invitationId }), "Invitation withdrawn");
};

export const handlePreviewInvitation: HandlerOf<typeof invitations.previewInvitation> = async (
  call,
) => {
  const preview = await previewInvitation(call.services, call.principal, call.input.token);
  return ok(200, JSON.stringify(preview), "Invitation found");
};

export const handleAcceptInvitation: HandlerOf<typeof invitations.acceptInvitation> = async (
  call,
) => {
  const accepted = await acceptInvitation(call.services, call.principal, call.input.token);
  const shown = await shownProject(call.services, accepted);
  return ok(200, JSON.stringify(shown), "Invitation accepted");
};

export const handleDeclineInvitation: HandlerOf<typeof invitations.declineInvitation> = async (
  call,
) => {
  await declineInvitation(call.services, call.principal, call.input.token);
  return ok(200, "{}", "Invitation declined");
};
