import type { SignedInAccount } from "./account_records.ts";
import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import {
  hasToken,
  type InvitationRecord,
  INVITATIONS,
  isOpenAt,
  projectOfInvitation,
} from "./invitations.ts";
import { memberKey, type MemberRecord, MEMBERS, type ProjectMember, type Role } from "./members.ts";
import { checkProjectLimit, lockAccount, lockProject } from "./ownership.ts";
import type { Plans } from "./plans.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

/** An invitation for an account that opened its link. */
export interface InvitationPreview {
  readonly projectName: string;
  readonly role: Role;
  readonly email: string;
  readonly invitedBy: { readonly name: string | null; readonly email: string };
  readonly expiresAt: string;
}

/** Unknown, used, revoked and expired links, and links for other accounts, get the same problem. */
const notFound = () => new Problem("INVITATION_NOT_FOUND");

/** Throws `INVITATION_NOT_FOUND`. */
export async function previewInvitation(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: SignedInAccount,
  token: string,
): Promise<InvitationPreview> {
  const found = await engine.records<InvitationRecord>("control", INVITATIONS)
    .findOne(and(hasToken(token, accountId), isOpenAt(clock)));
  if (found === null) throw notFound();
  const { role, email, invitedBy, expiresAt } = found.value;
  const project = await projectOfInvitation(
    { records: (definition) => engine.records("control", definition) },
    found.value,
  );
  const inviter = await engine.records<AccountRecord>("control", ACCOUNTS).get(invitedBy);
  if (project === null || inviter === null) throw notFound();
  const { name, email: from } = inviter.value;
  return {
    projectName: project.name,
    role,
    email,
    invitedBy: { name, email: from },
    expiresAt,
  };
}

/**
 * Only one of several concurrent callers succeeds. If the account has accepted before and is still
 * a member, it gets the same result again. Throws `INVITATION_NOT_FOUND`, `MEMBER_EXISTS`,
 * `PLAN_LIMIT_REACHED` by a new owner's plan, and `SIGN_IN_REQUIRED` if the account was deleted.
 */
export async function acceptInvitation(
  services: { engine: Engine; clock: Clock; newId: NewId; plans: Plans },
  { accountId }: SignedInAccount,
  token: string,
): Promise<Pick<ProjectMember, "project" | "role">> {
  const { engine, clock, newId, plans } = services;
  const member = { _id: newId(), createdAt: timestamp(clock) };
  try {
    const accepted = await engine.transaction("control", async (tx) => {
      const invitations = tx.records<InvitationRecord>(INVITATIONS);
      const found = await invitations.findOne(hasToken(token, accountId));
      if (found === null || await lockProject(tx, found.value.projectId) === null) throw notFound();
      const invitation = found.value;
      const taken = await invitations.updateOne(
        and(eq("_id", invitation._id), isOpenAt(clock)),
        { set: { acceptedBy: accountId } },
      );
      if (taken === null) return await findEarlierAcceptance(tx, invitation, accountId);
      const project = await projectOfInvitation(tx, invitation);
      if (project === null) throw notFound();
      const account = await lockAccount(tx, accountId);
      if (account === null) throw new Problem("SIGN_IN_REQUIRED");
      return invitation.role === "owner"
        ? await transferOwnership(tx, plans, { invitation, account })
        : await addMember(tx, project, invitation, { ...member, accountId });
    });
    plans.forgetProject(accepted.project._id);
    return accepted;
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("MEMBER_EXISTS", { cause: error });
    throw error;
  }
}

type AcceptedMembership = Pick<ProjectMember, "project" | "role">;

async function findEarlierAcceptance(
  tx: Transaction,
  { _id, projectId, role }: InvitationRecord,
  accountId: Id,
): Promise<AcceptedMembership> {
  const own = and(eq("_id", _id), eq("acceptedBy", accountId));
  const invitation = await tx.records<InvitationRecord>(INVITATIONS).findOne(own);
  const member = await tx.records<MemberRecord>(MEMBERS)
    .findOne(eq("member", memberKey(projectId, accountId)));
  const project = await tx.records<ProjectRecord>(PROJECTS).get(projectId);
  if (invitation === null || member === null || project === null) throw notFound();
  // The account has given the ownership to another member since it accepted.
  if (role === "owner" && member.value.role !== "owner") throw notFound();
  return { project: project.value, role: member.value.role };
}

async function addMember(
  tx: Transaction,
  project: ProjectRecord,
  { role, email }: InvitationRecord,
  { _id, accountId, createdAt }: Pick<MemberRecord, "_id" | "accountId" | "createdAt">,
): Promise<AcceptedMembership> {
  const { _id: projectId } = project;
  const member = memberKey(projectId, accountId);
  const record = { _id, projectId, accountId, member, role, invitedAs: email, createdAt };
  await tx.records<MemberRecord>(MEMBERS).insert(record);
  return { project, role };
}

/** The new owner's plan applies, and the former owner becomes an admin. */
async function transferOwnership(
  tx: Transaction,
  plans: Plans,
  { invitation: { projectId, invitedBy }, account }: {
    invitation: InvitationRecord;
    account: AccountRecord;
  },
): Promise<AcceptedMembership> {
  const members = tx.records<MemberRecord>(MEMBERS);
  const memberIs = (accountId: Id) => eq("member", memberKey(projectId, accountId));
  const raised = await members.updateOne(memberIs(account._id), { set: { role: "owner" } });
  if (raised === null) throw notFound();
  await checkProjectLimit(tx, plans, account);
  const owned = await tx.records<ProjectRecord>(PROJECTS).updateOne(
    and(eq("_id", projectId), eq("ownerId", invitedBy)),
    { set: { ownerId: account._id } },
  );
  if (owned === null) throw notFound();
  await members.updateOne(memberIs(invitedBy), { set: { role: "admin" } });
  return { project: owned.value, role: "owner" };
}

/** Throws `INVITATION_NOT_FOUND`. */
export async function declineInvitation(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: SignedInAccount,
  token: string,
): Promise<void> {
  const declined = await engine.records<InvitationRecord>("control", INVITATIONS)
    .deleteOne(and(hasToken(token, accountId), isOpenAt(clock)));
  if (declined === null) throw notFound();
}
