import type { SignedInAccount } from "./account_records.ts";
import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import {
  byToken,
  type InvitationRecord,
  INVITATIONS,
  openAt,
  projectOfInvitation,
} from "./invitations.ts";
import { memberKey, type MemberRecord, MEMBERS, type ProjectMember, type Role } from "./members.ts";
import { lockAccount, lockProject, refuseMoreProjects } from "./ownership.ts";
import type { Plans } from "./plans.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

/** What whoever has the link sees of an invitation before they answer. */
export interface InvitationPreview {
  readonly projectName: string;
  readonly role: Role;
  readonly email: string;
  readonly invitedBy: { readonly name: string | null; readonly email: string };
  readonly expiresAt: string;
}

/** One refusal for unknown, used, withdrawn and expired links, and for those of somebody else. */
const notFound = () => new Problem("INVITATION_NOT_FOUND");

/** Throws `INVITATION_NOT_FOUND`. */
export async function previewInvitation(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: SignedInAccount,
  token: string,
): Promise<InvitationPreview> {
  const found = await engine.records<InvitationRecord>("control", INVITATIONS)
    .findOne(and(byToken(token, accountId), openAt(clock)));
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
 * Makes the account a member, or the owner; once, whoever tries at the same time. Whoever has
 * accepted and is still a member gets the same answer again. Throws `INVITATION_NOT_FOUND`,
 * `MEMBER_EXISTS`, `PLAN_LIMIT_REACHED` by a new owner's plan, and `SIGN_IN_REQUIRED` where the
 * account was just deleted; after a refusal the invitation is still open.
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
      const found = await invitations.findOne(byToken(token, accountId));
      // Changes of who has a part in the project wait for each other.
      if (found === null || await lockProject(tx, found.value.projectId) === null) throw notFound();
      const invitation = found.value;
      const taken = await invitations.updateOne(
        and(eq("_id", invitation._id), openAt(clock)),
        { set: { acceptedBy: accountId } },
      );
      if (taken === null) return await acceptedBefore(tx, invitation, accountId);
      const project = await projectOfInvitation(tx, invitation);
      if (project === null) throw notFound();
      const account = await lockAccount(tx, accountId);
      if (account === null) throw new Problem("SIGN_IN_REQUIRED");
      return invitation.role === "owner"
        ? await takeOver(tx, plans, { invitation, account })
        : await join(tx, project, invitation, { ...member, accountId });
    });
    plans.forgetProject(accepted.project._id);
    return accepted;
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("MEMBER_EXISTS", { cause: error });
    throw error;
  }
}

type Part = Pick<ProjectMember, "project" | "role">;

/** What accepting it has led to, for the account that did so. */
async function acceptedBefore(
  tx: Transaction,
  { _id, projectId, role }: InvitationRecord,
  accountId: Id,
): Promise<Part> {
  const own = and(eq("_id", _id), eq("acceptedBy", accountId));
  const invitation = await tx.records<InvitationRecord>(INVITATIONS).findOne(own);
  const member = await tx.records<MemberRecord>(MEMBERS)
    .findOne(eq("member", memberKey(projectId, accountId)));
  const project = await tx.records<ProjectRecord>(PROJECTS).get(projectId);
  if (invitation === null || member === null || project === null) throw notFound();
  // Whoever has given the project away again no longer has what they accepted.
  if (role === "owner" && member.value.role !== "owner") throw notFound();
  return { project: project.value, role: member.value.role };
}

async function join(
  tx: Transaction,
  project: ProjectRecord,
  { role, email }: InvitationRecord,
  { _id, accountId, createdAt }: Pick<MemberRecord, "_id" | "accountId" | "createdAt">,
): Promise<Part> {
  const { _id: projectId } = project;
  const member = memberKey(projectId, accountId);
  const record = { _id, projectId, accountId, member, role, invitedAs: email, createdAt };
  await tx.records<MemberRecord>(MEMBERS).insert(record);
  return { project, role };
}

/** The plan of the new owner rules the project from now on; who owned it so far stays as an admin. */
async function takeOver(
  tx: Transaction,
  plans: Plans,
  { invitation: { projectId, invitedBy }, account }: {
    invitation: InvitationRecord;
    account: AccountRecord;
  },
): Promise<Part> {
  const members = tx.records<MemberRecord>(MEMBERS);
  const memberIs = (accountId: Id) => eq("member", memberKey(projectId, accountId));
  const raised = await members.updateOne(memberIs(account._id), { set: { role: "owner" } });
  if (raised === null) throw notFound();
  await refuseMoreProjects(tx, plans, account);
  const owned = await tx.records<ProjectRecord>(PROJECTS).updateOne(
    and(eq("_id", projectId), eq("ownerId", invitedBy)),
    { set: { ownerId: account._id } },
  );
  if (owned === null) throw notFound();
  await members.updateOne(memberIs(invitedBy), { set: { role: "admin" } });
  return { project: owned.value, role: "owner" };
}

/** Nobody can accept it from now on. Throws `INVITATION_NOT_FOUND`. */
export async function declineInvitation(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: SignedInAccount,
  token: string,
): Promise<void> {
  const declined = await engine.records<InvitationRecord>("control", INVITATIONS)
    .deleteOne(and(byToken(token, accountId), openAt(clock)));
  if (declined === null) throw notFound();
}
