import type { AccountPrincipal, PlanName } from "../projects/account_records.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import type { SharedCounts } from "../http/rate_limit.ts";
import type { Log } from "../runtime/log.ts";
import type { NewId } from "../ids.ts";
import { AI_REQUESTS_PER_MINUTE } from "../limits.ts";
import { Problem } from "../problems.ts";
import { type Plan, type Plans, toJsonLimit } from "../projects/plans.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq, or } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

export type AiCounter = "queries" | "designs" | "turns";

/** Usage of the server's key per month. Stored in the control space. */
export const AI_USAGE = recordKind({
  name: "aiUsage",
  fields: {
    /** The account; null in the record of the deployment. */
    accountId: nullable(field.ref),
    /** `<accountId> <month>`, or `deployment <month>`. */
    usage: field.text,
    queries: field.number,
    designs: field.number,
    /** Missing in records of earlier versions. */
    turns: optional(field.number),
    /** Number of requests of all accounts, in the record of the deployment. May be missing. */
    requests: optional(field.number),
  },
  indexes: [{ keys: [{ path: "usage", descending: false }], unique: true }],
  trash: false,
});

export type AiUsageRecord = RecordOf<typeof AI_USAGE>;

export interface AiUsageServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly config: Pick<Config, "ai" | "ratePerMinute">;
  readonly storedCounts: SharedCounts;
  readonly plans: Plans;
}

/** A counted request, which can be released for the month in which it was counted. */
export interface Reservation {
  /** Releases the request, or only some of the account's counters. */
  release(counters?: readonly AiCounter[]): Promise<void>;
}

const CAPS: Record<AiCounter, { readonly cap: (plan: Plan) => number; readonly what: string }> = {
  queries: { cap: (plan) => plan.aiQueriesPerMonth, what: "requests to the query builder" },
  designs: { cap: (plan) => plan.aiDesignsPerMonth, what: "designs of the collection creator" },
  turns: { cap: (plan) => plan.aiTurnsPerMonth, what: "turns with the collection creator" },
};

/** Returns the month in UTC, such as `2026-01`. */
const monthOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 7);

const usageKey = (accountId: Id | null, month: string): string =>
  `${accountId ?? "deployment"} ${month}`;

const MINUTE_MS = 60_000;

/** Counts in the current minute, for all keys and processes. Throws `RATE_LIMITED`. */
export async function countAiRequest(
  { config, clock, storedCounts }: Pick<AiUsageServices, "config" | "clock" | "storedCounts">,
  { accountId }: AccountPrincipal,
): Promise<void> {
  if (config.ratePerMinute === null) return;
  const now = clock.now();
  const endsAt = now - now % MINUTE_MS + MINUTE_MS;
  if (await storedCounts.add(`ai ${accountId}`, endsAt, 1) <= AI_REQUESTS_PER_MINUTE) return;
  throw new Problem("RATE_LIMITED", {
    message: `An account makes at most ${AI_REQUESTS_PER_MINUTE} AI requests a minute: wait as ` +
      "long as Retry-After says.",
    retryAfter: Math.ceil((endsAt - now) / 1000),
  });
}

/** Counts conditionally, so that concurrent requests stay below caps. Throws `AI_CAP_REACHED`. */
export async function reserveRequest(
  services: AiUsageServices,
  { accountId, plan }: AccountPrincipal,
  counters: readonly AiCounter[],
): Promise<Reservation> {
  const month = monthOf(services.clock);
  const caps = Object.fromEntries(
    counters.map((one) => [one, CAPS[one].cap(services.plans.named(plan))]),
  );
  if (!await incrementBelowCaps(services, { accountId, month, caps })) {
    throw await capReachedProblem(services, { accountId, month, plan }, counters);
  }
  const back = (counters: readonly string[], of: Id | null) =>
    decrement(services, usageKey(of, month), counters);
  const { monthlyLimit } = services.config.ai;
  if (monthlyLimit === null) return { release: (some = counters) => back(some, accountId) };
  try {
    const all = { accountId: null, month, caps: { requests: monthlyLimit } };
    if (!await incrementBelowCaps(services, all)) throw deploymentCapReached(monthlyLimit);
  } catch (error) {
    await back(counters, accountId);
    throw error;
  }
  return {
    async release(some) {
      await back(some ?? counters, accountId);
      if (some === undefined) await back(["requests"], null);
    },
  };
}

/** Matches records whose counter is below the cap. A missing counter counts as 0. */
const isBelow = (counter: string, cap: number): Filter =>
  or(compare(counter, "lt", cap), eq(counter, null));

/** Increments all counters if each is below its cap, or none. Returns whether it did. */
async function incrementBelowCaps(
  { engine, newId }: AiUsageServices,
  { accountId, month, caps }: {
    readonly accountId: Id | null;
    readonly month: string;
    readonly caps: Readonly<Record<string, number>>;
  },
): Promise<boolean> {
  const records = engine.records<AiUsageRecord>("control", AI_USAGE);
  const usage = usageKey(accountId, month);
  const belowAll = Object.entries(caps).map(([counter, cap]) => isBelow(counter, cap));
  const ones = Object.fromEntries(Object.keys(caps).map((counter) => [counter, 1]));
  const first = { _id: newId(), accountId, usage, queries: 0, designs: 0, ...ones };
  try {
    await records.upsert(and(eq("usage", usage), ...belowAll), { increment: ones }, first);
    return true;
  } catch (error) {
    // The record exists, and a counter is at its cap.
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}

const RESET_ADVICE = "further ones are refused until the counter resets on the first of the next " +
  "month (UTC) or a user key is configured.";

async function capReachedProblem(
  services: Pick<AiUsageServices, "engine" | "plans">,
  { accountId, month, plan }: { accountId: Id; month: string; plan: PlanName },
  counters: readonly AiCounter[],
): Promise<Problem> {
  const used = await findUsage(services, accountId, month);
  const capOf = (counter: AiCounter) => CAPS[counter].cap(services.plans.named(plan));
  const full = counters.find((one) => (used?.[one] ?? 0) >= capOf(one)) ?? counters[0]!;
  return new Problem("AI_CAP_REACHED", {
    message: `The ${plan} plan's ${capOf(full)} ${CAPS[full].what} of this month are used up: ` +
      RESET_ADVICE,
  });
}

const deploymentCapReached = (limit: number) =>
  new Problem("AI_CAP_REACHED", {
    message: `This server's ${limit} AI requests of this month are used up: ${RESET_ADVICE}`,
  });

/** Decrements counters. Only logs a failure, because the caller reports the original error. */
async function decrement(
  { engine, log }: AiUsageServices,
  usage: string,
  counters: readonly string[],
): Promise<void> {
  try {
    const records = engine.records<AiUsageRecord>("control", AI_USAGE);
    for (const counter of counters) {
      await records.updateOne(and(eq("usage", usage), compare(counter, "gt", 0)), {
        increment: { [counter]: -1 },
      });
    }
  } catch (error) {
    log.write("error", "A failed AI request could not be released and stays counted", {
      error: String(error),
    });
  }
}

async function findUsage(
  { engine }: Pick<AiUsageServices, "engine">,
  accountId: Id,
  month: string,
): Promise<AiUsageRecord | undefined> {
  const found = await engine.records<AiUsageRecord>("control", AI_USAGE)
    .findOne(eq("usage", usageKey(accountId, month)));
  return found?.value;
}

export async function getAiUsage(
  services: Pick<AiUsageServices, "engine" | "clock" | "plans">,
  { accountId, plan }: AccountPrincipal,
) {
  const month = monthOf(services.clock);
  const used = await findUsage(services, accountId, month);
  const [year, ordinal] = month.split("-").map(Number);
  const counter = (name: AiCounter) => ({
    used: used?.[name] ?? 0,
    limit: toJsonLimit(CAPS[name].cap(services.plans.named(plan))),
  });
  return {
    month,
    resetsAt: new Date(Date.UTC(year!, ordinal!)).toISOString(),
    plan,
    queries: counter("queries"),
    designs: counter("designs"),
    turns: counter("turns"),
  };
}
