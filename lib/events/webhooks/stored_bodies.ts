import { type Clock, timestamp } from "../../clock.ts";
import { WEBHOOK_BODY_MS, WEBHOOK_MESSAGES_BYTES_MAX } from "../../limits.ts";
import type { Plans } from "../../projects/plans.ts";
import { and, compare, eq, not, or, within } from "../../store/filter.ts";
import type { Engine, Filter, Id } from "../../store/port.ts";
import { DELIVERIES, type DeliveryRecord, ENDED } from "./records.ts";

interface BodyServices {
  readonly engine: Engine;
  readonly plans: Plans;
}

/** Messages may take one part in this number of the plan's bytes. */
const PLAN_SHARE = 4;
/** Number of messages whose bodies are removed in one transaction. */
const BATCH_SIZE = 500;

/** Returns the bytes that may be queued. Above half of the quota, old ended bodies are removed. */
export async function messageByteQuota(
  { engine, plans }: BodyServices,
  projectId: Id,
): Promise<number> {
  const { documentBytes } = await plans.ofProject(projectId);
  const max = Math.min(WEBHOOK_MESSAGES_BYTES_MAX, documentBytes / PLAN_SHARE);
  const stored = await engine.bytesOf(projectId, DELIVERIES);
  if (stored <= max / 2) return max / 2;
  await dropBodies(engine, projectId, and(within("state", ENDED), not(eq("bodyUntil", null))));
  const { groups } = await engine.records<DeliveryRecord>(projectId, DELIVERIES).aggregate({
    filter: eq("state", "queued"),
    keys: [],
    figures: [{ op: "sum", path: "bodyBytes" }],
    sort: [],
    limit: 1,
  });
  return max - Number(groups[0]?.figures[0] ?? 0);
}

/** Removes the bodies of messages that were delivered a day ago. Their log entries remain. */
export async function dropOldBodies(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<void> {
  const dayAgo = new Date(clock.now() - WEBHOOK_BODY_MS).toISOString();
  // Earlier versions of Corbel did not store `bodyUntil`.
  const isOfEarlier = and(eq("bodyBytes", null), compare("endedAt", "lte", dayAgo));
  const isOld = and(
    eq("state", "delivered"),
    or(compare("bodyUntil", "lte", timestamp(clock)), isOfEarlier),
  );
  while (await dropBodies(engine, projectId, isOld) === BATCH_SIZE);
}

/** Removes up to {@linkcode BATCH_SIZE} bodies, oldest first. Returns the number of messages. */
async function dropBodies(engine: Engine, projectId: Id, which: Filter): Promise<number> {
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  const page = await deliveries.list({
    filter: which,
    sort: [{ path: "bodyUntil", descending: false }],
    limit: BATCH_SIZE,
  });
  const found = page.records();
  if (found.length === 0) return 0;
  await engine.transaction(projectId, async (tx) => {
    for (const { _id } of found) {
      // A message that was queued again since then keeps its body.
      await tx.records<DeliveryRecord>(DELIVERIES)
        .updateOne(and(eq("_id", _id), within("state", ENDED)), {
          set: { body: null, bodyBytes: 0, bodyUntil: null },
        });
    }
  });
  return found.length;
}
