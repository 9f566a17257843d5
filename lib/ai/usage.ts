import type { SignedInAccount } from "../accounts/account_sessions.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../http/log.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { type Plan, PLANS } from "../projects/plans.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, StoredRecord } from "../store/port.ts";

/** What is counted of the platform's key, by account and month. */
export type AiCounter = "queries" | "designs";

export type AiUsageRecord = StoredRecord & {
  accountId: Id;
  /** `<accountId> <month>`. */
  usage: string;
  queries: number;
  designs: number;
};

/** In the control space. A new month is a new record. */
export const AI_USAGE: Definition = {
  name: "aiUsage",
  fields: {
    accountId: { type: "Ref" },
    usage: { type: "String" },
    queries: { type: "Number" },
    designs: { type: "Number" },
  },
  indexes: [{ keys: [{ path: "usage", descending: false }], unique: true }],
  trash: false,
};

export interface AiUsageServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

/** A request that is counted already; it goes back to the month that it was taken from. */
export interface Reservation {
  giveBack(): Promise<void>;
}

const CAPS: Record<AiCounter, { readonly cap: (plan: Plan) => number; readonly what: string }> = {
  queries: { cap: (plan) => plan.aiQueriesPerMonth, what: "requests to the query builder" },
  designs: { cap: (plan) => plan.aiDesignsPerMonth, what: "designs of the collection creator" },
};

/** `2026-01`, in UTC. */
const monthOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 7);

const usageKey = (accountId: Id, month: string): string => `${accountId} ${month}`;

/**
 * Counts a request before it is made, by one conditional statement, so that of many at once no more
 * pass than the plan allows. Throws `AI_CAP_REACHED`.
 */
export async function reserve(
  services: AiUsageServices,
  { accountId, plan }: SignedInAccount,
  counter: AiCounter,
): Promise<Reservation> {
  const { engine, clock, newId } = services;
  const records = engine.records<AiUsageRecord>("control", AI_USAGE);
  const month = monthOf(clock);
  const usage = usageKey(accountId, month);
  const cap = CAPS[counter].cap(PLANS[plan]);
  const count = () =>
    records.updateOne(and(eq("usage", usage), compare(counter, "lt", cap)), {
      increment: { [counter]: 1 },
    });
  const begin = async () => {
    const none = { queries: 0, designs: 0 };
    try {
      return await records.insert({ _id: newId(), accountId, usage, ...none, [counter]: 1 });
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
      return await count(); // The month has begun already, or just now.
    }
  };
  if (await count() === null && await begin() === null) throw capReached(counter, plan, cap);
  return { giveBack: () => giveBack(services, usage, counter) };
}

const capReached = (counter: AiCounter, plan: string, cap: number) =>
  new Problem("AI_CAP_REACHED", {
    message: `The ${plan} plan's ${cap} ${CAPS[counter].what} of this month are used up: ` +
      "further ones are refused until the counter resets on the first of the next month (UTC) " +
      "or a user key is configured.",
  });

/** What it is given back for has failed already: that is what the caller shall learn. */
async function giveBack(
  { engine, log }: AiUsageServices,
  usage: string,
  counter: AiCounter,
): Promise<void> {
  try {
    await engine.records<AiUsageRecord>("control", AI_USAGE).updateOne(
      and(eq("usage", usage), compare(counter, "gt", 0)),
      { increment: { [counter]: -1 } },
    );
  } catch (error) {
    log.write("error", "An AI request that failed stays counted", { error: String(error) });
  }
}

/** What the account has used of the platform's key this month, beside its caps. */
export async function aiUsage(
  { engine, clock }: Pick<AiUsageServices, "engine" | "clock">,
  { accountId, plan }: SignedInAccount,
) {
  const month = monthOf(clock);
  const found = await engine.records<AiUsageRecord>("control", AI_USAGE)
    .findOne(eq("usage", usageKey(accountId, month)));
  const [year, ordinal] = month.split("-").map(Number);
  return {
    month,
    resetsAt: new Date(Date.UTC(year!, ordinal!)).toISOString(),
    plan,
    queries: { used: found?.value.queries ?? 0, limit: PLANS[plan].aiQueriesPerMonth },
    designs: { used: found?.value.designs ?? 0, limit: PLANS[plan].aiDesignsPerMonth },
  };
}
