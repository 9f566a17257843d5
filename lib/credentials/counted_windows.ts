import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Space, StoredRecord, Transaction } from "../store/port.ts";

/** How often something happened within a window of time, which the first time opens. */
type WindowRecord = StoredRecord & {
  lastAt: string;
  count: number;
  expiresAt: string;
  /** See {@linkcode CountedWindow}. */
  jobId?: Id;
};

/** What the definitions of all collections of windows have. A window is deleted when it has ended. */
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

/** What is counted, and how often it may happen. */
export interface CountedWindow {
  readonly space: Space;
  readonly definition: Definition;
  /** Names what is counted, among all that the collection counts. */
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
  /** Milliseconds between two of them; none if left out. */
  readonly pauseMs?: number;
  /**
   * The job that counts, if one does. When it runs again because its process was killed, it has
   * room without being counted again, as long as nothing else was counted since.
   */
  readonly jobId?: Id | undefined;
}

const recordsOf = ({ engine }: WindowServices, { space, definition }: CountedWindow) =>
  engine.records<WindowRecord>(space, definition);

/**
 * Counts one more, if the window has room for it: each step is one statement that finds and changes,
 * so that of many at once no more than `max` are let through. Resolves to how many are counted then,
 * or null, and counts nothing, where there is no room.
 */
export async function countInWindow(
  services: WindowServices,
  window: CountedWindow,
): Promise<number | null> {
  const { clock } = services;
  const { key, max, windowMs, pauseMs = 0, jobId } = window;
  const records = recordsOf(services, window);
  const _id = hashedId(key);
  const now = timestamp(clock);
  const paused = compare("lastAt", "lte", new Date(clock.now() - pauseMs).toISOString());
  const isOpen = compare("expiresAt", "gt", now);
  const known = and(eq("_id", _id), paused, compare("count", "lt", max), isOpen);
  const last = { lastAt: now, ...(jobId !== undefined && { jobId }) };
  const change = { set: last, increment: { count: 1 } };
  const countOne = async () => (await records.updateOne(known, change))?.value.count ?? null;
  const counted = await countOne();
  if (counted !== null) return counted;
  const expiresAt = new Date(clock.now() + windowMs).toISOString();
  const fresh = { ...last, count: 1, expiresAt };
  const expired = and(eq("_id", _id), paused, compare("expiresAt", "lte", now));
  try {
    await records.upsert(expired, { set: fresh }, { _id, ...fresh });
    return 1;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    // The window is full or pausing, or another request has opened it in this moment.
    const again = await countOne();
    if (again !== null || jobId === undefined) return again;
    const found = await records.get(_id);
    return found?.value.jobId === jobId ? found.value.count : null;
  }
}

/**
 * As {@linkcode countInWindow}, in the transaction of what is counted: if that is refused, nothing is
 * counted. Resolves to whether there was room.
 */
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
  const fresh = { lastAt: now, count: 1, expiresAt };
  const change = isOpen ? { set: { lastAt: now }, increment: { count: 1 } } : { set: fresh };
  await records.upsert(eq("_id", _id), change, { _id, ...fresh });
  return true;
}

/** Takes one from the count: what was counted before it was known did not happen. */
export async function uncountInWindow(
  services: WindowServices,
  window: CountedWindow,
): Promise<void> {
  const its = and(eq("_id", hashedId(window.key)), compare("count", "gt", 0));
  await recordsOf(services, window).updateOne(its, { increment: { count: -1 } });
}

/** Seconds until the window ends; one at least. */
export async function secondsLeft(
  services: WindowServices,
  window: CountedWindow,
): Promise<number> {
  const found = await recordsOf(services, window).get(hashedId(window.key));
  const ends = found === null ? 0 : Date.parse(found.value.expiresAt);
  return Math.max(Math.ceil((ends - services.clock.now()) / 1000), 1);
}
