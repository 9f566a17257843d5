import { type AccountRecord, ACCOUNTS } from "../accounts/records.ts";
import { type Clock, timestamp } from "../clock.ts";
import type { Cursors } from "../documents/cursor.ts";
import { canonicalEmail } from "../emails.ts";
import type { NewId } from "../ids.ts";
import { parsePageQuery, readPage, type RecordPage } from "../page.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, eq, not, within } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import {
  includes,
  memberKey,
  type MemberRecord,
  MEMBERS,
  type ProjectMember,
  type Role,
} from "./members.ts";
import { accountInTurn, refuseMoreProjects } from "./ownership.ts";
import type { Plans } from "./plans.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";

/** A role that can be given: there is one owner, and he changes only by transfer. */
export type GivenRole = Exclude<Role, "owner">;

/** A member as the others see him. */
export interface ShownMember {
  readonly accountId: Id;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: string;
}

interface MemberServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

const shownMember = (
  { accountId, role, createdAt }: MemberRecord,
  { email, name }: AccountRecord,
): ShownMember => ({ accountId, email, name, role, createdAt });

/** The members, the latest first. Throws `INVALID_QUERY` and `INVALID_CURSOR`. */
export async function listMembers(
  services: { engine: Engine; cursors: Cursors },
  projectId: Id,
  query: string,
): Promise<RecordPage<ShownMember>> {
  const { engine } = services;
  const its = eq("projectId", projectId);
  const records = engine.records<MemberRecord>("control", MEMBERS);
  const list = { projectId, name: MEMBERS.name, records, asked: its, filter: its };
  const { items: members, nextCursor } = await readPage(services, list, parsePageQuery(query));
  const ids = members.map(({ accountId }) => accountId);
  const accounts = new Map<Id, AccountRecord>();
  if (ids.length > 0) {
    const page = await engine.records<AccountRecord>("control", ACCOUNTS)
      .list({ filter: within("_id", ids), sort: [], limit: ids.length });
    for (const account of parseJson(`[${page.items}]`) as AccountRecord[]) {
      accounts.set(account._id, account);
    }
  }
  const items = members.flatMap((member) => {
    const account = accounts.get(member.accountId);
    return account === undefined ? [] : [shownMember(member, account)];
  });
  return { items, nextCursor };
}

/** Makes an account a member. Throws `ACCOUNT_NOT_FOUND` and `MEMBER_EXISTS`. */
export async function inviteMember(
  { engine, clock, newId }: MemberServices,
  projectId: Id,
  { email, role }: { readonly email: string; readonly role: GivenRole },
): Promise<ShownMember> {
  const invited = await engine.records<AccountRecord>("control", ACCOUNTS)
    .findOne(eq("emailLower", canonicalEmail(email)));
  if (invited === null) throw new Problem("ACCOUNT_NOT_FOUND");
  const { _id: accountId } = invited.value;
  const member: MemberRecord = {
    _id: newId(),
    projectId,
    accountId,
    member: memberKey(projectId, accountId),
    role,
    createdAt: timestamp(clock),
  };
  try {
    const account = await engine.transaction("control", async (tx) => {
      const account = await accountInTurn(tx, accountId);
      if (account === null) throw new Problem("ACCOUNT_NOT_FOUND");
      await tx.records<MemberRecord>(MEMBERS).insert(member);
      return account;
    });
    return shownMember(member, account);
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Problem("MEMBER_EXISTS", { cause: error });
    throw error;
  }
}

const memberIs = (projectId: Id, accountId: Id): Filter =>
  eq("member", memberKey(projectId, accountId));

const notOwner = not(eq("role", "owner"));

/** Gives a member another role. Throws `MEMBER_NOT_FOUND`, and `OWNER_STAYS` for the owner's. */
export async function changeRole(
  services: { engine: Engine },
  projectId: Id,
  { accountId, role }: { readonly accountId: Id; readonly role: GivenRole },
): Promise<ShownMember> {
  const { engine } = services;
  const changed = await engine.records<MemberRecord>("control", MEMBERS)
    .updateOne(and(memberIs(projectId, accountId), notOwner), { set: { role } });
  if (changed === null) throw await refusal(services, projectId, accountId);
  const account = await engine.records<AccountRecord>("control", ACCOUNTS).get(accountId);
  if (account === null) throw new Problem("MEMBER_NOT_FOUND");
  return shownMember(changed.value, account.value);
}

/**
 * Removes a member; each may remove himself. Throws `ROLE_REQUIRED`, `MEMBER_NOT_FOUND`, and
 * `OWNER_STAYS` for the owner.
 */
export async function removeMember(
  services: { engine: Engine },
  { project, account, role }: ProjectMember,
  accountId: Id,
): Promise<void> {
  const { _id: projectId } = project;
  const leaves = accountId === account.accountId;
  if (!leaves && !includes(role, "admin")) throw new Problem("ROLE_REQUIRED");
  const removed = await services.engine.records<MemberRecord>("control", MEMBERS)
    .deleteOne(and(memberIs(projectId, accountId), notOwner));
  if (removed === null) throw await refusal(services, projectId, accountId);
}

async function refusal(
  { engine }: { engine: Engine },
  projectId: Id,
  accountId: Id,
): Promise<Problem> {
  const member = await engine.records<MemberRecord>("control", MEMBERS)
    .findOne(memberIs(projectId, accountId));
  return new Problem(member === null ? "MEMBER_NOT_FOUND" : "OWNER_STAYS");
}

/**
 * Makes another member the owner, whose plan rules the project from now on; who owned it so far
 * stays as an admin. All or nothing: there is one owner at any time. Throws `MEMBER_NOT_FOUND`,
 * `PLAN_LIMIT_REACHED` by the new owner's plan, and `ROLE_REQUIRED` where the caller has just
 * ceased to be the owner.
 */
export async function transferProject(
  { engine, plans }: { engine: Engine; plans: Plans },
  { project, account }: ProjectMember,
  newOwnerId: Id,
): Promise<Pick<ProjectMember, "project" | "role">> {
  const { _id: projectId } = project;
  const { accountId: oldOwnerId } = account;
  if (newOwnerId === oldOwnerId) return { project, role: "owner" };
  const transferred = await engine.transaction("control", async (tx) => {
    const members = tx.records<MemberRecord>(MEMBERS);
    const newOwner = await accountInTurn(tx, newOwnerId);
    const raised = newOwner &&
      await members.updateOne(memberIs(projectId, newOwnerId), { set: { role: "owner" } });
    if (newOwner === null || raised === null) throw new Problem("MEMBER_NOT_FOUND");
    await refuseMoreProjects(tx, newOwner);
    const owned = await tx.records<ProjectRecord>(PROJECTS).updateOne(
      and(eq("_id", projectId), eq("ownerId", oldOwnerId), IN_USE),
      { set: { ownerId: newOwnerId } },
    );
    if (owned === null) throw new Problem("ROLE_REQUIRED");
    await members.updateOne(memberIs(projectId, oldOwnerId), { set: { role: "admin" } });
    return owned.value;
  });
  plans.forgetProject(projectId);
  return { project: transferred, role: "admin" };
}
