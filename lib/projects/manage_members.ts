import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { and, eq, not, within } from "../store/filter.ts";
import type { Engine, Filter, Id, Transaction } from "../store/port.ts";
import { revokeInvitationsBy } from "./invitations.ts";
import {
  type GivenRole,
  memberKey,
  type MemberRecord,
  MEMBERS,
  type ProjectMember,
  type Role,
  roleIncludes,
} from "./members.ts";
import { lockProject } from "./ownership.ts";

export interface MemberDetails {
  readonly accountId: Id;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** The invited address, which may differ from the account's; null if not invited. */
  readonly invitedAs: string | null;
  readonly createdAt: string;
}

const toMemberDetails = (
  { accountId, role, invitedAs, createdAt }: MemberRecord,
  { email, name }: AccountRecord,
): MemberDetails => ({ accountId, email, name, role, invitedAs: invitedAs ?? null, createdAt });

/** Lists members, newest first. Throws `INVALID_CURSOR`. */
export async function listMembers(
  services: { engine: Engine; cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<MemberDetails>> {
  const { engine } = services;
  const asked = eq("projectId", projectId);
  const list = { space: "control", definition: MEMBERS, filter: asked } as const;
  const { items: members, nextCursor } = await readPage<MemberRecord>(services, list, request);
  const ids = members.map(({ accountId }) => accountId);
  const accounts = new Map<Id, AccountRecord>();
  if (ids.length > 0) {
    const found = engine.records<AccountRecord>("control", ACCOUNTS)
      .find({ filter: within("_id", ids) });
    for await (const account of found) accounts.set(account._id, account);
  }
  const items = members.flatMap((member) => {
    const account = accounts.get(member.accountId);
    return account === undefined ? [] : [toMemberDetails(member, account)];
  });
  return { items, nextCursor };
}

const isMember = (projectId: Id, accountId: Id): Filter =>
  eq("member", memberKey(projectId, accountId));

const isNotOwner = not(eq("role", "owner"));

/**
 * Deletes the member's open invitations if they may no longer invite. Throws `MEMBER_NOT_FOUND`,
 * and `OWNER_STAYS` for the owner.
 */
export async function changeRole(
  { engine }: { engine: Engine },
  projectId: Id,
  { accountId, role }: { readonly accountId: Id; readonly role: GivenRole },
): Promise<MemberDetails> {
  return await engine.transaction("control", async (tx) => {
    if (await lockProject(tx, projectId) === null) throw new Problem("PROJECT_NOT_FOUND");
    const changed = await tx.records<MemberRecord>(MEMBERS)
      .updateOne(and(isMember(projectId, accountId), isNotOwner), { set: { role } });
    if (changed === null) throw await explainRefusal(tx, projectId, accountId);
    if (role === "viewer") await revokeInvitationsBy(tx, projectId, accountId);
    const account = await tx.records<AccountRecord>(ACCOUNTS).get(accountId);
    if (account === null) throw new Problem("MEMBER_NOT_FOUND");
    return toMemberDetails(changed.value, account.value);
  });
}

/**
 * Removes a member and their open invitations. Members may remove themselves. Throws
 * `ROLE_REQUIRED`, `MEMBER_NOT_FOUND`, and `OWNER_STAYS` for the owner.
 */
export async function removeMember(
  { engine }: { engine: Engine },
  { project, account, role }: ProjectMember,
  accountId: Id,
): Promise<void> {
  const { _id: projectId } = project;
  const leaves = accountId === account.accountId;
  if (!leaves && !roleIncludes(role, "admin")) throw new Problem("ROLE_REQUIRED");
  await engine.transaction("control", async (tx) => {
    if (await lockProject(tx, projectId) === null) throw new Problem("PROJECT_NOT_FOUND");
    const removed = await tx.records<MemberRecord>(MEMBERS)
      .deleteOne(and(isMember(projectId, accountId), isNotOwner));
    if (removed === null) throw await explainRefusal(tx, projectId, accountId);
    await revokeInvitationsBy(tx, projectId, accountId);
  });
}

async function explainRefusal(tx: Transaction, projectId: Id, accountId: Id): Promise<Problem> {
  const member = await tx.records<MemberRecord>(MEMBERS).findOne(isMember(projectId, accountId));
  return new Problem(member === null ? "MEMBER_NOT_FOUND" : "OWNER_STAYS");
}
