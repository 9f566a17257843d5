import { okAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { memberId, pageQuery, projectId } from "../parameters.ts";
import {
  Member,
  MEMBER_EXAMPLE,
  MemberList,
  RemovedMember,
  RoleChange,
} from "../schemas/project.ts";
import { projectMember } from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Members";

export const listMembers = contract({
  operationId: "listMembers",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/members",
  summary: "List a project's members for its members",
  description: "The members of the project, newest first.",
  security: projectMember("viewer"),
  params: { projectId },
  query: pageQuery,
  success: okAnswer("Members listed", "A page of members.", {
    data: MemberList,
    example: { items: [MEMBER_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const changeMember = contract({
  operationId: "changeMember",
  tag: TAG,
  method: "patch",
  path: "/api/projects/{projectId}/members/{accountId}",
  summary: "Change a member's role for the project's owner",
  description: "Changes a viewer to an admin or an admin to a viewer, whose invitations then " +
    "end. The owner's role cannot be changed.",
  security: projectMember("admin"),
  params: { projectId, accountId: memberId },
  body: {
    schema: RoleChange,
    example: { role: "viewer" },
    description: "The new role.",
  },
  success: okAnswer("Member changed", "The changed member.", {
    data: Member,
    example: { ...MEMBER_EXAMPLE, role: "viewer" },
  }),
  problems: ["MEMBER_NOT_FOUND", "OWNER_STAYS"],
});

export const removeMember = contract({
  operationId: "removeMember",
  tag: TAG,
  method: "delete",
  path: "/api/projects/{projectId}/members/{accountId}",
  summary: "Remove a member for the project's owner, or leave",
  description: "Admins and the owner remove others; every member can remove their own account. " +
    "Open invitations of the member end. The owner cannot leave: another member must first " +
    "accept the ownership.",
  security: projectMember("viewer"),
  params: { projectId, accountId: memberId },
  success: okAnswer("Member removed", "The account that is not a member any more.", {
    data: RemovedMember,
    example: { accountId: EXAMPLE_ID },
  }),
  problems: ["ROLE_REQUIRED", "MEMBER_NOT_FOUND", "OWNER_STAYS"],
});

export const MEMBERS = { listMembers, changeMember, removeMember };
