import { inviteByMail } from "@/lib/accounts/mail_invitation.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import {
  acceptInvitation,
  declineInvitation,
  previewInvitation,
} from "@/lib/projects/answer_invitation.ts";
import { offerOwnership, revokeInvitation } from "@/lib/projects/invite.ts";
import { listInvitations } from "@/lib/projects/list_invitations.ts";
import { getProjectDetails } from "@/lib/projects/project_details.ts";
import type { INVITATIONS } from "@/openapi/paths/invitations.ts";
import type { HandlersOf } from "../handler.ts";

export const invitations: HandlersOf<typeof INVITATIONS> = {
  inviteMember: async (c) => {
    const { services, principal } = c.var;
    const sent = await inviteByMail(services, principal, c.req.valid("json"));
    return { ...ok(201, JSON.stringify(sent), "Member invited"), headers: [NO_STORE] };
  },

  listInvitations: async (c) => {
    const { services, principal } = c.var;
    const query = c.req.valid("query");
    const page = await listInvitations(services, principal.project._id, query);
    return ok(200, JSON.stringify(page), "Invitations listed");
  },

  revokeInvitation: async (c) => {
    const { services, principal } = c.var;
    const { invitationId } = c.req.valid("param");
    await revokeInvitation(services, principal, invitationId);
    return ok(200, JSON.stringify({ invitationId }), "Invitation withdrawn");
  },

  offerOwnership: async (c) => {
    const { services, principal } = c.var;
    const sent = await offerOwnership(services, principal, c.req.valid("json").accountId);
    return { ...ok(200, JSON.stringify(sent), "Project offered"), headers: [NO_STORE] };
  },

  previewInvitation: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const preview = await previewInvitation(services, principal, c.req.valid("json").token);
    return ok(200, JSON.stringify(preview), "Invitation found");
  },

  acceptInvitation: async (
    c,
  ) => {
    const { services, principal } = c.var;
    const accepted = await acceptInvitation(services, principal, c.req.valid("json").token);
    const details = await getProjectDetails(services, accepted);
    return ok(200, JSON.stringify(details), "Invitation accepted");
  },

  declineInvitation: async (
    c,
  ) => {
    const { services, principal } = c.var;
    await declineInvitation(services, principal, c.req.valid("json").token);
    return ok(200, "{}", "Invitation declined");
  },
};
