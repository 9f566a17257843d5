import type { AccountPrincipal } from "./account_records.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Actor, Engine, Id } from "../store/port.ts";
import { isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** What an account may do in a project; each includes those before it. */
export const ROLES = ["viewer", "admin", "owner"] as const;

export type Role = (typeof ROLES)[number];

/** A role that can be given: there is one owner, who changes only by the offer of the project. */
export type GivenRole = Exclude<Role, "owner">;

export const includes = (role: Role, asked: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(asked);

/** In the control space. */
export const MEMBERS = recordKind({
  name: "members",
  fields: {
    projectId: field.ref,
    accountId: field.ref,
    /** `<projectId> <accountId>`: nobody is a member twice. */
    member: field.text,
    role: field.textOf<Role>(),
    /** The address that the accepted invitation was for; left out where there was none. */
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

/** An account at work in a project of which it is a member. @template A By what it came in. */
export interface ProjectMember<A extends AccountPrincipal = AccountPrincipal> {
  readonly account: A;
  readonly role: Role;
  readonly project: ProjectRecord;
}

/** Who is said to have done what a member does. */
export const memberActor = ({ account }: ProjectMember): Actor => ({
  kind: "member",
  id: account.accountId,
});

/**
 * The account as a member of the project, as it is stored now. Throws `PROJECT_NOT_FOUND` for a
 * project that does not exist, is in the trash, or is none of its own.
 */
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
