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

/** A part of the plan's bytes that messages may take, so that documents have the rest. */
const PARTS = 4;
/** Messages that lose their bodies in one step. */
const STEP = 500;

/**
 * How many bytes of messages a project may still have waiting. What all its messages take is
 * known at once; only where that is half of what may wait are those that wait added up, and those that
 * have ended lose their bodies, the oldest first.
 */
export async function messageRoom(
  { engine, plans }: BodyServices,
  projectId: Id,
): Promise<number> {
  const { documentBytes } = await plans.of(projectId);
  const max = Math.min(WEBHOOK_MESSAGES_BYTES_MAX, documentBytes / PARTS);
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

/** Takes the bodies of messages that were delivered a day ago; their rows stay in the log. */
export async function dropOldBodies(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<void> {
  const dayAgo = new Date(clock.now() - WEBHOOK_BODY_MS).toISOString();
  // Earlier versions did not store how long a body is kept.
  const isOfEarlier = and(eq("bodyBytes", null), compare("endedAt", "lte", dayAgo));
  const isOld = and(
    eq("state", "delivered"),
    or(compare("bodyUntil", "lte", timestamp(clock)), isOfEarlier),
  );
  while (await dropBodies(engine, projectId, isOld) === STEP);
}

/** Resolves to how many there were, the oldest first, no more than a step. */
async function dropBodies(engine: Engine, projectId: Id, which: Filter): Promise<number> {
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  const page = await deliveries.list({
    filter: which,
    sort: [{ path: "bodyUntil", descending: false }],
    limit: STEP,
  });
  const found = page.records();
  if (found.length === 0) return 0;
  await engine.transaction(projectId, async (tx) => {
    for (const { _id } of found) {
      // One that was queued again in this moment keeps its body.
      await tx.records<DeliveryRecord>(DELIVERIES)
        .updateOne(and(eq("_id", _id), within("state", ENDED)), {
          set: { body: null, bodyBytes: 0, bodyUntil: null },
        });
    }
  });
  return found.length;
}
