import type { SignedInAccount } from "@/lib/accounts/account_sessions.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import { requiredId } from "@/lib/ids.ts";
import {
  acceptInvitation,
  declineInvitation,
  previewInvitation,
} from "@/lib/projects/answer_invitation.ts";
import { inviteMember, offerOwnership, revokeInvitation } from "@/lib/projects/invite.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { listInvitations } from "@/lib/projects/shown_invitation.ts";
import { shownProject } from "@/lib/projects/shown_project.ts";
import type { Handler } from "../call.ts";
import type { InvitationToken, MemberInvitation } from "@/openapi/schemas/invitation.ts";
import type { NewOwner } from "@/openapi/schemas/project.ts";
import type { z } from "zod";

export const handleInviteMember: Handler<
  ProjectMember,
  z.infer<typeof MemberInvitation>
> = async (call) => {
  const sent = await inviteMember(call.services, call.principal, call.input);
  return { ...ok(201, JSON.stringify(sent), "Member invited"), headers: [NO_STORE] };
};

export const handleOfferOwnership: Handler<ProjectMember, z.infer<typeof NewOwner>> = async (
  call,
) => {
  const sent = await offerOwnership(call.services, call.principal, call.input.accountId);
  return { ...ok(200, JSON.stringify(sent), "Project offered"), headers: [NO_STORE] };
};

export const handleListInvitations: Handler<ProjectMember> = async (call) => {
  const page = await listInvitations(call.services, call.principal.project._id, call.query);
  return ok(200, JSON.stringify(page), "Invitations listed");
};

export const handleRevokeInvitation: Handler<ProjectMember> = async (call) => {
  const invitationId = requiredId(call.param("invitationId"));
  await revokeInvitation(call.services, call.principal, invitationId);
  return ok(200, JSON.stringify({ invitationId }), "Invitation withdrawn");
};

type Token = z.infer<typeof InvitationToken>;

export const handlePreviewInvitation: Handler<SignedInAccount, Token> = async (call) => {
  const preview = await previewInvitation(call.services, call.principal, call.input.token);
  return ok(200, JSON.stringify(preview), "Invitation found");
};

export const handleAcceptInvitation: Handler<SignedInAccount, Token> = async (call) => {
  const accepted = await acceptInvitation(call.services, call.principal, call.input.token);
  const shown = await shownProject(call.services, accepted);
  return ok(200, JSON.stringify(shown), "Invitation accepted");
};

export const handleDeclineInvitation: Handler<SignedInAccount, Token> = async (call) => {
  await declineInvitation(call.services, call.principal, call.input.token);
  return ok(200, "{}", "Invitation declined");
};
