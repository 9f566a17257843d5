import type { AccountPrincipal } from "./account_records.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Actor, Engine, Id } from "../store/port.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Roles of a project's members. Each role includes the permissions of those before it. */
export const ROLES = ["viewer", "admin", "owner"] as const;

export type Role = (typeof ROLES)[number];

/** A role that can be assigned. The owner changes only by an accepted offer. */
export type GivenRole = Exclude<Role, "owner">;

export const roleIncludes = (role: Role, asked: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(asked);

/** Memberships of accounts in projects. Stored in the control space. */
export const MEMBERS = recordKind({
  name: "members",
  fields: {
    projectId: field.ref,
    accountId: field.ref,
    /** `<projectId> <accountId>`, unique: an account cannot be a member twice. */
    member: field.text,
    role: field.oneOf<Role>(),
    /** The address of the accepted invitation; omitted if the member was not invited. */
    invitedAs: optional(field.text),
    createdAt: field.date,
  },
  indexes: [
    { keys: [{ path: "member", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }] },
    { keys: [{ path: "accountId", descending: false }, { path: "createdAt", descending: true }] },
  ],
  trash: false,
});

export type MemberRecord = RecordOf<typeof MEMBERS>;

export const memberKey = (projectId: Id, accountId: Id): string => `${projectId} ${accountId}`;

/** @template A The principal by which the account was authenticated. */
export interface ProjectMember<A extends AccountPrincipal = AccountPrincipal> {
  readonly account: A;
  readonly role: Role;
  readonly project: ProjectRecord;
}

export const memberActor = ({ account }: ProjectMember): Actor => ({
  kind: "member",
  id: account.accountId,
});

/** Throws `PROJECT_NOT_FOUND` if the project is missing, in the trash, or lacks this member. */
export async function memberOf<A extends AccountPrincipal>(
  { engine }: { engine: Engine },
  account: A,
  projectId: Id,
): Promise<ProjectMember<A>> {
  const member = await engine.records<MemberRecord>("control", MEMBERS)
    .findOne(eq("member", memberKey(projectId, account.accountId)));
  const project = member === null
    ? null
    : await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
  if (member === null || project === null || isTrashed(project.value)) {
    throw new Problem("PROJECT_NOT_FOUND");
  }
  return { account, role: member.value.role, project: project.value };
}
