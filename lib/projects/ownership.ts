import type { SignedInAccount } from "../accounts/account_sessions.ts";
import { type AccountRecord, ACCOUNTS } from "../accounts/records.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Filter, Id, Transaction } from "../store/port.ts";
import { PLANS } from "./plans.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";

/**
 * The account, for a change of what it has a part in; null where there is none any more. Such
 * changes of one account, and its deletion, wait for each other: each touches the account's record,
 * so that what one has counted still holds when it commits.
 */
export async function accountInTurn(tx: Transaction, accountId: Id): Promise<AccountRecord | null> {
  const touched = await tx.records<AccountRecord>(ACCOUNTS)
    .updateOne(eq("_id", accountId), { increment: { turns: 1 } });
  return touched?.value ?? null;
}

/**
 * The project, for a change of who has a part in it; null where it is not in use. Such changes, and
 * its deletion, wait for each other.
 */
export async function lockProject(tx: Transaction, projectId: Id): Promise<ProjectRecord | null> {
  const touched = await tx.records<ProjectRecord>(PROJECTS)
    .updateOne(and(eq("_id", projectId), IN_USE), { increment: { turns: 1 } });
  return touched?.value ?? null;
}

/** Projects that the account owns, those in the trash apart. */
const ownedBy = (accountId: Id): Filter => and(eq("ownerId", accountId), IN_USE);

export const countOwned = (tx: Transaction, accountId: Id): Promise<number> =>
  tx.records<ProjectRecord>(PROJECTS).count(ownedBy(accountId));

/** How many projects the account owns, beside how many its plan allows. */
export async function ownedProjects(
  { engine }: { engine: Engine },
  { accountId, plan }: SignedInAccount,
): Promise<{ used: number; limit: number }> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  return { used: await projects.count(ownedBy(accountId)), limit: PLANS[plan].projects };
}

/** Throws `PLAN_LIMIT_REACHED` where the account's plan allows it no more projects. */
export async function refuseMoreProjects(
  tx: Transaction,
  { _id: accountId, plan }: AccountRecord,
): Promise<void> {
  const { projects } = PLANS[plan];
  if (await countOwned(tx, accountId) < projects) return;
  throw new Problem("PLAN_LIMIT_REACHED", {
    message: `The ${plan} plan allows ${projects} projects of an account.`,
  });
}
