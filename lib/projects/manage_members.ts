import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { and, eq, not, within } from "../store/filter.ts";
import type { Engine, Filter, Id, Transaction } from "../store/port.ts";
import { revokeInvitationsBy } from "./invitations.ts";
import {
  type GivenRole,
  includes,
  memberKey,
  type MemberRecord,
  MEMBERS,
  type ProjectMember,
  type Role,
} from "./members.ts";
import { lockProject } from "./ownership.ts";

/** A member as the others see them. */
export interface ShownMember {
  readonly accountId: Id;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** The address that the invitation was for, which need not be the account's; null without one. */
  readonly invitedAs: string | null;
  readonly createdAt: string;
}

const shownMember = (
  { accountId, role, invitedAs, createdAt }: MemberRecord,
  { email, name }: AccountRecord,
): ShownMember => ({ accountId, email, name, role, invitedAs: invitedAs ?? null, createdAt });

/** The members, the latest first. Throws `INVALID_CURSOR`. */
export async function listMembers(
  services: { engine: Engine; cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<ShownMember>> {
  const { engine } = services;
  const asked = eq("projectId", projectId);
  const list = { space: "control", definition: MEMBERS, asked } as const;
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
    return account === undefined ? [] : [shownMember(member, account)];
  });
  return { items, nextCursor };
}

const memberIs = (projectId: Id, accountId: Id): Filter =>
  eq("member", memberKey(projectId, accountId));

const notOwner = not(eq("role", "owner"));

/**
 * Gives a member another role; invitations by whoever may invite no more end. Throws
 * `MEMBER_NOT_FOUND`, and `OWNER_STAYS` for the owner's.
 */
export async function changeRole(
  { engine }: { engine: Engine },
  projectId: Id,
  { accountId, role }: { readonly accountId: Id; readonly role: GivenRole },
): Promise<ShownMember> {
  return await engine.transaction("control", async (tx) => {
    if (await lockProject(tx, projectId) === null) throw new Problem("PROJECT_NOT_FOUND");
    const changed = await tx.records<MemberRecord>(MEMBERS)
      .updateOne(and(memberIs(projectId, accountId), notOwner), { set: { role } });
    if (changed === null) throw await refusal(tx, projectId, accountId);
    if (role === "viewer") await revokeInvitationsBy(tx, projectId, accountId);
    const account = await tx.records<AccountRecord>(ACCOUNTS).get(accountId);
    if (account === null) throw new Problem("MEMBER_NOT_FOUND");
    return shownMember(changed.value, account.value);
  });
}

/**
 * Removes a member, with the invitations they made; each may remove themself. Throws
 * `ROLE_REQUIRED`, `MEMBER_NOT_FOUND`, and `OWNER_STAYS` for the owner.
 */
export async function removeMember(
  { engine }: { engine: Engine },
  { project, account, role }: ProjectMember,
  accountId: Id,
): Promise<void> {
  const { _id: projectId } = project;
  const leaves = accountId === account.accountId;
  if (!leaves && !includes(role, "admin")) throw new Problem("ROLE_REQUIRED");
  await engine.transaction("control", async (tx) => {
    if (await lockProject(tx, projectId) === null) throw new Problem("PROJECT_NOT_FOUND");
    const removed = await tx.records<MemberRecord>(MEMBERS)
      .deleteOne(and(memberIs(projectId, accountId), notOwner));
    if (removed === null) throw await refusal(tx, projectId, accountId);
    await revokeInvitationsBy(tx, projectId, accountId);
  });
}

async function refusal(tx: Transaction, projectId: Id, accountId: Id): Promise<Problem> {
  const member = await tx.records<MemberRecord>(MEMBERS).findOne(memberIs(projectId, accountId));
  return new Problem(member === null ? "MEMBER_NOT_FOUND" : "OWNER_STAYS");
}
