import { CODE_PAUSE_MS, CODES_PER_HOUR } from "@/lib/limits.ts";
import { answered, created } from "../answers.ts";
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
import { COUNTED, countedByAddress, dashboardSession, projectMember } from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Members";

export const inviteMember = contract({
  operationId: "inviteMember",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/members",
  summary: "Invite a member for the project's owner",
  description: "Makes a link by which somebody gets a part in the project, once and within 7 " +
    "days: whoever has it accepts, signed in, with whatever account. The answer is the same " +
    "whether or not the address has one; only the address of a member is refused. Where this " +
    "server can send mail, the link is mailed to the address, too: one mail within " +
    `${
      CODE_PAUSE_MS / 1000
    } seconds and ${CODES_PER_HOUR} within an hour, whoever invites it. Else ` +
    "hand it over yourself. A new invitation of the same address replaces the open one. A viewer reads everything; an admin " +
    `changes everything but who owns the project, and cannot delete it. ${COUNTED}`,
  security: countedByAddress(projectMember("admin")),
  params: { projectId },
  body: {
    schema: MemberInvitation,
    example: { email: INVITATION_EXAMPLE.email, role: "admin" },
    description: "Whom, and as what.",
  },
  success: created("Member invited", "The invitation with its link.", {
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
  description: "Makes a link by which the named member, and nobody else, becomes the owner, " +
    "within 7 days. Until they accept nothing changes; then their plan, which must allow one more " +
    "project, rules this one, and " +
    "who owned it stays as an admin. A new offer replaces the open one.",
  security: projectMember("owner"),
  params: { projectId },
  body: {
    schema: NewOwner,
    example: { accountId: EXAMPLE_ID },
    description: "A member of the project.",
  },
  success: answered("Project offered", "The offer with its link.", {
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
  description:
    "Invitations, and the offer of the project, that can still be accepted, the latest " +
    "first. Their links are not shown again.",
  security: projectMember("admin"),
  params: { projectId },
  query: pageQuery,
  success: answered("Invitations listed", "A page of invitations.", {
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
  description: "Its link leads nowhere from now on. The owner alone withdraws the offer of the " +
    "project.",
  security: projectMember("admin"),
  params: { projectId, invitationId },
  success: answered("Invitation withdrawn", "What can be accepted no more.", {
    data: RevokedInvitation,
    example: { invitationId: EXAMPLE_ID },
  }),
  problems: ["INVITATION_NOT_FOUND"],
});

const body = {
  schema: InvitationToken,
  example: { token: SENT_INVITATION_EXAMPLE.token },
  description: "What the link ends with.",
};

export const previewInvitation = contract({
  operationId: "previewInvitation",
  tag: TAG,
  method: "post",
  path: "/api/invitations/preview",
  summary: "Preview an invitation for the invited account",
  description: "Tells who invites to what, and changes nothing. The link's token is in the body, " +
    "because addresses are kept in many places.",
  security: dashboardSession,
  body,
  success: answered("Invitation found", "What would be accepted.", {
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
  description: "Makes the signed-in account a member, or the owner. It takes effect once; the " +
    "account that has accepted gets the same answer again as long as that holds. After a refusal " +
    "the invitation is still open.",
  security: dashboardSession,
  body,
  success: answered("Invitation accepted", "The project as its new member sees it.", {
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
  description: "Nobody can accept it from now on.",
  security: dashboardSession,
  body,
  success: answered("Invitation declined", "It is gone.", {
    data: DeclinedInvitation,
    example: {},
  }),
  problems: ["INVITATION_NOT_FOUND"],
});

/** In the order of the reference. */
export const INVITATIONS = {
  inviteMember,
  listInvitations,
  revokeInvitation,
  offerOwnership,
  previewInvitation,
  acceptInvitation,
  declineInvitation,
};
