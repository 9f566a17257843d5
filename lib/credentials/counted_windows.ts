import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Space, StoredRecord, Transaction } from "../store/port.ts";

/** Number of events in a window of time, which begins with the first event. */
type WindowRecord = StoredRecord & {
  lastAt: string;
  count: number;
  expiresAt: string;
  /** See {@linkcode CountedWindow}. */
  jobId?: Id;
};

/** Common part of all definitions of windows. A window is deleted after its end. */
export const WINDOWS: Omit<Definition, "name"> = {
  fields: {
    lastAt: { type: "Date" },
    count: { type: "Number" },
    expiresAt: { type: "Date" },
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
};

export interface WindowServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

export interface CountedWindow {
  readonly space: Space;
  readonly definition: Definition;
  /** Identifies the events among all that the definition's records count. */
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
  /** Minimum time between two events, in milliseconds. Default: 0. */
  readonly pauseMs?: number;
  /** A job that runs again is not counted again, unless another event was counted since. */
  readonly jobId?: Id | undefined;
}

const recordsOf = ({ engine }: WindowServices, { space, definition }: CountedWindow) =>
  engine.records<WindowRecord>(space, definition);

/** Returns the count; null if not admitted. Each step is atomic, so races cannot exceed `max`. */
export async function countInWindow(
  services: WindowServices,
  window: CountedWindow,
): Promise<number | null> {
  const { clock } = services;
  const { key, max, windowMs, pauseMs = 0, jobId } = window;
  const records = recordsOf(services, window);
  const _id = hashedId(key);
  const now = timestamp(clock);
  const isPauseOver = compare("lastAt", "lte", new Date(clock.now() - pauseMs).toISOString());
  const isOpen = compare("expiresAt", "gt", now);
  const isAdmitted = and(eq("_id", _id), isPauseOver, compare("count", "lt", max), isOpen);
  const last = { lastAt: now, ...(jobId !== undefined && { jobId }) };
  const change = { set: last, increment: { count: 1 } };
  const countOne = async () => (await records.updateOne(isAdmitted, change))?.value.count ?? null;
  const counted = await countOne();
  if (counted !== null) return counted;
  const expiresAt = new Date(clock.now() + windowMs).toISOString();
  const first = { ...last, count: 1, expiresAt };
  const isOver = and(eq("_id", _id), isPauseOver, compare("expiresAt", "lte", now));
  try {
    await records.upsert(isOver, { set: first }, { _id, ...first });
    return 1;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    // The window is full or pausing, or another request has opened it at the same time.
    const again = await countOne();
    if (again !== null || jobId === undefined) return again;
    const found = await records.get(_id);
    return found?.value.jobId === jobId ? found.value.count : null;
  }
}

/** Counts in the transaction of the event, so that a failed one is not counted. */
export async function countInTransaction(
  tx: Transaction,
  clock: Clock,
  { definition, key, max, windowMs }: Omit<CountedWindow, "space" | "pauseMs" | "jobId">,
): Promise<boolean> {
  const records = tx.records<WindowRecord>(definition);
  const _id = hashedId(key);
  const now = timestamp(clock);
  const found = (await records.get(_id))?.value;
  const isOpen = found !== undefined && found.expiresAt > now;
  if (isOpen && found.count >= max) return false;
  const expiresAt = new Date(clock.now() + windowMs).toISOString();
  const first = { lastAt: now, count: 1, expiresAt };
  const change = isOpen ? { set: { lastAt: now }, increment: { count: 1 } } : { set: first };
  await records.upsert(eq("_id", _id), change, { _id, ...first });
  return true;
}

/** Takes back an event that was counted in advance and did not happen. */
export async function uncountInWindow(
  services: WindowServices,
  window: CountedWindow,
): Promise<void> {
  const isCounted = and(eq("_id", hashedId(window.key)), compare("count", "gt", 0));
  await recordsOf(services, window).updateOne(isCounted, { increment: { count: -1 } });
}

/** Returns the seconds until the window ends; at least 1. */
export async function secondsLeft(
  services: WindowServices,
  window: CountedWindow,
): Promise<number> {
  const found = await recordsOf(services, window).get(hashedId(window.key));
  const endsAt = found === null ? 0 : Date.parse(found.value.expiresAt);
  return Math.max(Math.ceil((endsAt - services.clock.now()) / 1000), 1);
}
