import { answered } from "../answers.ts";
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
  description: "The accounts that have a part in the project, the latest first.",
  security: projectMember("viewer"),
  params: { projectId },
  query: pageQuery,
  success: answered("Members listed", "A page of members.", {
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
  description:
    "Makes an admin of a viewer, or the other way round: then the invitations they made end. The " +
    "owner's role stays.",
  security: projectMember("admin"),
  params: { projectId, accountId: memberId },
  body: {
    schema: RoleChange,
    example: { role: "viewer" },
    description: "The new role.",
  },
  success: answered("Member changed", "The member as it is now.", {
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
  description: "Admins and the owner remove others; whoever names their own account leaves the " +
    "project. Open invitations that the member made end. The owner cannot leave: another member " +
    "must accept the project first.",
  security: projectMember("viewer"),
  params: { projectId, accountId: memberId },
  success: answered("Member removed", "Who is no member any more.", {
    data: RemovedMember,
    example: { accountId: EXAMPLE_ID },
  }),
  problems: ["ROLE_REQUIRED", "MEMBER_NOT_FOUND", "OWNER_STAYS"],
});

/** In the order of the reference. */
export const MEMBERS = { listMembers, changeMember, removeMember };
