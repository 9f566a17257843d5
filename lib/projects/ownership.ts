import type { AccountPrincipal } from "./account_records.ts";
import { type AccountRecord, ACCOUNTS } from "./account_records.ts";
import { PROJECT_TRASH_DAYS, PROJECTS_PER_HOUR } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq, not } from "../store/filter.ts";
import type { Engine, Filter, Id, Transaction } from "../store/port.ts";
import type { Plans } from "./plans.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";

/**
 * Excludes other changes of the account's memberships and its deletion until the transaction ends.
 * Returns null if the account does not exist.
 */
export async function lockAccount(tx: Transaction, accountId: Id): Promise<AccountRecord | null> {
  const touched = await tx.records<AccountRecord>(ACCOUNTS)
    .updateOne(eq("_id", accountId), { increment: { turns: 1 } });
  return touched?.value ?? null;
}

/**
 * Excludes other changes of the project's owner, members and invitations, and its deletion. Returns
 * null if the project does not exist or is in the trash.
 */
export async function lockProject(tx: Transaction, projectId: Id): Promise<ProjectRecord | null> {
  const touched = await tx.records<ProjectRecord>(PROJECTS)
    .updateOne(and(eq("_id", projectId), IN_USE), { increment: { turns: 1 } });
  return touched?.value ?? null;
}

/** Includes projects in the trash, because they use disk space. */
const ownedBy = (accountId: Id): Filter => eq("ownerId", accountId);

export const countProjectsInUse = (tx: Transaction, accountId: Id): Promise<number> =>
  tx.records<ProjectRecord>(PROJECTS).count(and(ownedBy(accountId), IN_USE));

/** Returns the number of projects, including the trash, and the limit of the account's plan. */
export async function ownedProjects(
  { engine, plans }: { engine: Engine; plans: Plans },
  { accountId, plan }: AccountPrincipal,
): Promise<{ used: number; limit: number; trashed: number }> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  const [used, trashed] = await Promise.all([
    projects.count(ownedBy(accountId)),
    projects.count(and(ownedBy(accountId), not(IN_USE))),
  ]);
  return { used, limit: plans.named(plan).projects, trashed };
}

/** Throws `PLAN_LIMIT_REACHED`. */
export async function checkProjectLimit(
  tx: Transaction,
  plans: Plans,
  { _id: accountId, plan }: AccountRecord,
): Promise<void> {
  const { projects } = plans.named(plan);
  if (await tx.records<ProjectRecord>(PROJECTS).count(ownedBy(accountId)) < projects) return;
  throw new Problem("PLAN_LIMIT_REACHED", {
    message: `The ${plan} plan allows ${projects} projects of an account, those in the trash ` +
      `included: a deleted one counts for ${PROJECT_TRASH_DAYS} days.`,
  });
}

const HOUR_MS = 3_600_000;

/** Returns the times of the last hour. Throws `RATE_LIMITED` if they are `PROJECTS_PER_HOUR`. */
export function checkCreationRate(
  { projectsCreatedAt = [] }: AccountRecord,
  now: string,
): readonly string[] {
  const begin = Date.parse(now) - HOUR_MS;
  const recent = projectsCreatedAt.filter((at) => Date.parse(at) > begin);
  if (recent.length < PROJECTS_PER_HOUR) return recent;
  throw new Problem("RATE_LIMITED", {
    message: `An account creates at most ${PROJECTS_PER_HOUR} projects within an hour: wait as ` +
      "long as Retry-After says.",
    retryAfter: Math.max(1, Math.ceil((Date.parse(recent[0]!) - begin) / 1000)),
  });
}
