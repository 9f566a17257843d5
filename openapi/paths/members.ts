import { SMALL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { contract } from "../contract.ts";
import { memberId, paging, projectId } from "../parameters.ts";
import { EXAMPLE_ID } from "../schemas/document.ts";
import {
  Invitation,
  Member,
  MEMBER_EXAMPLE,
  MemberList,
  NewOwner,
  Project,
  PROJECT_EXAMPLE,
  RemovedMember,
  RoleChange,
} from "../schemas/project.ts";
import { countedByAddress, projectMember } from "../security.ts";

const TAG = "Projects";

export const listMembers = contract({
  operationId: "listMembers",
  tag: TAG,
  method: "get",
  path: "/api/projects/{projectId}/members",
  summary: "List members",
  description: "The accounts that have a part in the project, the latest first.",
  security: projectMember("viewer"),
  parameters: [projectId, ...paging],
  body: null,
  success: [{
    status: 200,
    description: "A page of members.",
    data: MemberList,
    example: { items: [MEMBER_EXAMPLE], nextCursor: null },
    message: "Members listed",
  }],
  problems: ["INVALID_QUERY", "INVALID_CURSOR"],
});

export const inviteMember = contract({
  operationId: "inviteMember",
  tag: TAG,
  method: "post",
  path: "/api/projects/{projectId}/members",
  summary: "Invite a member",
  description: "Gives an existing account a part in the project, at once. A viewer reads " +
    "everything; an admin changes everything but who owns the project, and cannot delete it.",
  security: countedByAddress(projectMember("admin")),
  parameters: [projectId],
  body: {
    schema: Invitation,
    example: { email: MEMBER_EXAMPLE.email, role: "admin" },
    description: "Whom, and as what.",
    bytesMax: SMALL_BODY_BYTES_MAX,
  },
  success: [{
    status: 201,
    description: "The member.",
    data: Member,
    example: MEMBER_EXAMPLE,
    message: "Member added",
  }],
  problems: ["ACCOUNT_NOT_FOUND", "MEMBER_EXISTS"],
});

export const changeMember = contract({
  operationId: "changeMember",
  tag: TAG,
  method: "patch",
  path: "/api/projects/{projectId}/members/{accountId}",
  summary: "Change a member's role",
  description: "Makes an admin of a viewer, or the other way round.",
  security: projectMember("admin"),
  parameters: [projectId, memberId],
  body: {
    schema: RoleChange,
    example: { role: "viewer" },
    description: "The new role.",
    bytesMax: SMALL_BODY_BYTES_MAX,
  },
  success: [{
    status: 200,
    description: "The member as he is now.",
    data: Member,
    example: { ...MEMBER_EXAMPLE, role: "viewer" },
    message: "Member changed",
  }],
  problems: ["INVALID_ID", "MEMBER_NOT_FOUND", "OWNER_STAYS"],
});

export const removeMember = contract({
  operationId: "removeMember",
  tag: TAG,
  method: "delete",
  path: "/api/projects/{projectId}/members/{accountId}",
  summary: "Remove a member, or leave",
  description: "Admins and the owner remove others; whoever names himself leaves the project.",
  security: projectMember("viewer"),
  parameters: [projectId, memberId],
  body: null,
  success: [{
    status: 200,
    description: "Who is no member any more.",
    data: RemovedMember,
    example: { accountId: EXAMPLE_ID },
    message: "Member removed",
  }],
  problems: ["ROLE_REQUIRED", "INVALID_ID", "MEMBER_NOT_FOUND", "OWNER_STAYS"],
});

export const transferProject = contract({
  operationId: "transferProject",
  tag: TAG,
  method: "put",
  path: "/api/projects/{projectId}/owner",
  summary: "Transfer a project",
  description: "Makes another member the owner, whose plan rules the project from now on. Who " +
    "owned it so far stays as an admin.",
  security: projectMember("owner"),
  parameters: [projectId],
  body: {
    schema: NewOwner,
    example: { accountId: EXAMPLE_ID },
    description: "A member of the project.",
    bytesMax: SMALL_BODY_BYTES_MAX,
  },
  success: [{
    status: 200,
    description: "The project as the caller sees it now.",
    data: Project,
    example: { ...PROJECT_EXAMPLE, role: "admin" },
    message: "Project transferred",
  }],
  problems: ["MEMBER_NOT_FOUND", "PLAN_LIMIT_REACHED"],
});

/** In the order of the reference. */
export const MEMBERS = [listMembers, inviteMember, changeMember, removeMember, transferProject];
