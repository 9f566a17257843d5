import { CODE_PAUSE_MS, CODES_PER_HOUR } from "@/lib/limits.ts";
import { createdAnswer, okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { invitationId, pageQuery, projectId } from "../parameters.ts";
import {
  DeclinedInvitation,
  INVITATION_EXAMPLE,
  InvitationList,
  InvitationPreview,
  InvitationToken,
  MemberInvitation,
  PREVIEW_EXAMPLE,
  RevokedInvitation,
  SENT_INVITATION_EXAMPLE,
  SentInvitation,
} from "../schemas/invitation.ts";
import { NewOwner, Project, PROJECT_EXAMPLE } from "../schemas/project.ts";
import {
  countedByAddress,
  DASHBOARD_RATE_NOTE,
  dashboardSession,
  projectMember,
} from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Members";

export const inviteMember = contract({
  operationId: "inviteMember",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/members",
  summary: "Invite a member for the project's owner",
  description:
    "Creates a link that makes an account a member, once and within 7 days. Every signed-in " +
    "account that has the link can accept. The answer is the same whether or not the address has " +
    "an account; only the address of a member is refused. If the server can send mail, the link is " +
    `mailed to the address: at most one mail in ${CODE_PAUSE_MS / 1000} seconds and ` +
    `${CODES_PER_HOUR} in an hour, for all inviters. Otherwise, hand the link over yourself. A new ` +
    "invitation of the same address replaces the open one. A viewer reads everything; an admin " +
    `changes everything except the owner, and cannot delete the project. ${DASHBOARD_RATE_NOTE}`,
  security: countedByAddress(projectMember("admin")),
  params: { projectId },
  body: {
    schema: MemberInvitation,
    example: { email: INVITATION_EXAMPLE.email, role: "admin" },
    description: "The address and the role.",
  },
  success: createdAnswer("Member invited", "The invitation with its link.", {
    data: SentInvitation,
    example: SENT_INVITATION_EXAMPLE,
  }),
  problems: ["MEMBER_EXISTS", "INVITATION_LIMIT_REACHED"],
});

export const offerOwnership = contract({
  operationId: "offerOwnership",
  tag: TAG,
  method: "put",
  path: "/api/projects/{projectId}/owner",
  summary: "Offer the project to another member for its owner",
  description:
    "Creates a link with which only the named member can become the owner, within 7 days. " +
    "Nothing changes until they accept. Their plan, which must allow one more project, then applies " +
    "to the project, and the previous owner stays as an admin. A new offer replaces the open one.",
  security: projectMember("owner"),
  params: { projectId },
  body: {
    schema: NewOwner,
    example: { accountId: EXAMPLE_ID },
    description: "A member of the project.",
  },
  success: okAnswer("Project offered", "The offer with its link.", {
    data: SentInvitation,
    example: { ...SENT_INVITATION_EXAMPLE, role: "owner", mailed: false },
  }),
  problems: ["MEMBER_NOT_FOUND", "INVITATION_LIMIT_REACHED"],
});

export const listInvitations = contract({
  operationId: "listInvitations",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/invitations",
  summary: "List open invitations for the project's admins",
  description: "Invitations and the offer of ownership that can still be accepted, newest first. " +
    "Their links are not shown again.",
  security: projectMember("admin"),
  params: { projectId },
  query: pageQuery,
  success: okAnswer("Invitations listed", "A page of invitations.", {
    data: InvitationList,
    example: { items: [INVITATION_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const revokeInvitation = contract({
  operationId: "revokeInvitation",
  tag: TAG,
  method: "delete",
  path: "/api/projects/{projectId}/invitations/{invitationId}",
  summary: "Withdraw an invitation for the project's owner",
  description: "The link stops working. Only the owner can withdraw the offer of ownership.",
  security: projectMember("admin"),
  params: { projectId, invitationId },
  success: okAnswer("Invitation withdrawn", "The withdrawn invitation.", {
    data: RevokedInvitation,
    example: { invitationId: EXAMPLE_ID },
  }),
  problems: ["INVITATION_NOT_FOUND"],
});

const body = {
  schema: InvitationToken,
  example: { token: SENT_INVITATION_EXAMPLE.token },
  description: "The end of the link.",
};

export const previewInvitation = contract({
  operationId: "previewInvitation",
  tag: TAG,
  method: "post",
  path: "/api/invitations/preview",
  summary: "Preview an invitation for the invited account",
  description: "Shows the inviter, the project and the role, and changes nothing. The link's " +
    "token is in the body, because addresses are stored in many places.",
  security: dashboardSession,
  body,
  success: okAnswer("Invitation found", "The invitation.", {
    data: InvitationPreview,
    example: PREVIEW_EXAMPLE,
  }),
  problems: ["INVITATION_NOT_FOUND"],
});

export const acceptInvitation = contract({
  operationId: "acceptInvitation",
  tag: TAG,
  method: "post",
  path: "/api/invitations/accept",
  summary: "Accept an invitation for the invited account",
  description: "Makes the signed-in account a member, or the owner. An invitation is accepted " +
    "once; the account that accepted it gets the same answer again while it is a member. After a " +
    "refusal, the invitation stays open.",
  security: dashboardSession,
  body,
  success: okAnswer("Invitation accepted", "The project as its new member sees it.", {
    data: Project,
    example: { ...PROJECT_EXAMPLE, role: "admin" },
  }),
  problems: ["INVITATION_NOT_FOUND", "MEMBER_EXISTS", "PLAN_LIMIT_REACHED"],
});

export const declineInvitation = contract({
  operationId: "declineInvitation",
  tag: TAG,
  method: "post",
  path: "/api/invitations/decline",
  summary: "Decline an invitation for the invited account",
  description: "The invitation cannot be accepted any more.",
  security: dashboardSession,
  body,
  success: okAnswer("Invitation declined", "The invitation is deleted.", {
    data: DeclinedInvitation,
    example: {},
  }),
  problems: ["INVITATION_NOT_FOUND"],
});

export const INVITATIONS = {
  inviteMember,
  listInvitations,
  revokeInvitation,
  offerOwnership,
  previewInvitation,
  acceptInvitation,
  declineInvitation,
};
