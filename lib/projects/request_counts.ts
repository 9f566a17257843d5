import type { Clock } from "../clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NewId } from "../ids.ts";
import { REQUEST_DAYS, REQUEST_MINUTES } from "../limits.ts";
import { createDelayedTask } from "../delayed_task.ts";
import { eq, within } from "../store/filter.ts";
import type { Engine, Id, Records } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Request counts per project and time window. Stored in the control space. */
export const REQUEST_COUNTS = recordKind({
  name: "requestCounts",
  fields: {
    projectId: field.ref,
    /** `<projectId> 2026-01-31T12:00` for a minute, `<projectId> 2026-01-31` for a day. */
    window: field.text,
    requests: field.number,
    errors: field.number,
    expiresAt: field.date,
  },
  indexes: [
    { keys: [{ path: "window", descending: false }], unique: true },
    { keys: [{ path: "projectId", descending: false }] },
  ],
  trash: false,
  expiry: "expiresAt",
});

type RequestCountRecord = RecordOf<typeof REQUEST_COUNTS>;

/** Number of requests that a project's applications sent in a time window. */
export interface RequestCount {
  /** Start of the minute or day, in UTC. */
  readonly from: string;
  readonly requests: number;
  /** Number of requests with a status of 400 or more. */
  readonly errors: number;
}

/** Counts the requests of each project in memory and stores the counts in batches. */
export interface RequestCounts extends AsyncDisposable {
  count(projectId: Id, status: number): void;
  /** Runs automatically within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

/** Milliseconds between writes. A killed process loses at most the counts of this time. */
const STORE_AFTER_MS = 10_000;
/** Number of concurrent writes. */
const WRITES_AT_ONCE = 50;
/** Number of pending windows. Further counts are dropped, as when the store is down. */
const PENDING_WINDOWS_MAX = 100_000;

interface WindowCount {
  readonly projectId: Id;
  requests: number;
  errors: number;
  readonly expiresAt: number;
}

interface CurrentMinute {
  readonly at: number;
  readonly names: { readonly minute: string; readonly day: string };
  readonly of: Map<Id, readonly WindowCount[]>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Length of a window's name, its duration, and the number of windows that are shown. */
const WINDOWS = {
  minute: { length: "2026-01-31T12:00".length, ms: MINUTE_MS, windows: REQUEST_MINUTES },
  day: { length: "2026-01-31".length, ms: DAY_MS, windows: REQUEST_DAYS },
} as const;

type WindowKind = keyof typeof WINDOWS;

const windowName = (kind: WindowKind, at: number): string =>
  new Date(at).toISOString().slice(0, WINDOWS[kind].length);

export function createRequestCounts(
  services: { engine: Engine; clock: Clock; newId: NewId; log: Log },
): RequestCounts {
  const { engine, clock, newId, log } = services;
  let pending = new Map<string, WindowCount>();
  const storing = createDelayedTask(storeAll, STORE_AFTER_MS);
  let currentMinute: CurrentMinute = { at: -1, names: { minute: "", day: "" }, of: new Map() };

  function add(window: string, count: WindowCount): void {
    const counted = pending.get(window);
    if (counted !== undefined) {
      counted.requests += count.requests;
      counted.errors += count.errors;
    } else if (pending.size < PENDING_WINDOWS_MAX) pending.set(window, count);
  }

  /** Caches the current windows for the minute. */
  function windowsOf(projectId: Id): readonly WindowCount[] {
    const now = clock.now();
    const at = Math.floor(now / MINUTE_MS);
    if (at !== currentMinute.at) {
      const names = { minute: windowName("minute", now), day: windowName("day", now) };
      currentMinute = { at, names, of: new Map() };
    }
    const cached = currentMinute.of.get(projectId);
    if (cached !== undefined) return cached;
    const counts = (["minute", "day"] as const).map((kind) => {
      const { ms, windows } = WINDOWS[kind];
      const window = `${projectId} ${currentMinute.names[kind]}`;
      // Kept for twice the time in which it is read, so that no concurrent reader misses it.
      add(window, { projectId, requests: 0, errors: 0, expiresAt: now + 2 * windows * ms });
      return pending.get(window);
    }).filter((count) => count !== undefined);
    currentMinute.of.set(projectId, counts);
    return counts;
  }

  async function storeAll(): Promise<void> {
    const all = [...pending];
    pending = new Map();
    currentMinute.of.clear();
    const records = engine.records<RequestCountRecord>("control", REQUEST_COUNTS);
    for (let from = 0; from < all.length; from += WRITES_AT_ONCE) {
      const batch = all.slice(from, from + WRITES_AT_ONCE);
      const results = await Promise.allSettled(
        batch.map(([window, count]) => addToStored(records, newId, window, count)),
      );
      const failed = results.findIndex(({ status }) => status === "rejected");
      if (failed < 0) continue;
      // The failed counts are stored with the next ones.
      batch.forEach(([window, count], i) => {
        if (results[i]!.status === "rejected") add(window, count);
      });
      for (const [window, count] of all.slice(from + WRITES_AT_ONCE)) add(window, count);
      const { reason } = results[failed] as PromiseRejectedResult;
      return log.write("warn", "Request counts could not be stored", { error: String(reason) });
    }
  }

  return {
    count(projectId, status) {
      for (const count of windowsOf(projectId)) {
        count.requests++;
        if (status >= 400) count.errors++;
      }
      storing.schedule();
    },
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}

/** Adds a count to the stored count, to which all processes add. */
async function addToStored(
  records: Records<RequestCountRecord>,
  newId: NewId,
  window: string,
  { projectId, requests, errors, expiresAt }: WindowCount,
): Promise<void> {
  const counts = { requests, errors };
  const expires = new Date(expiresAt).toISOString();
  const first = { _id: newId(), projectId, window, ...counts, expiresAt: expires };
  await records.upsert(eq("window", window), { increment: counts }, first);
}

/** Returns counts of the last hour by minute and of the last 30 days by day, oldest first. */
export async function readRequestCounts(
  { engine, clock }: { engine: Engine; clock: Clock },
  projectId: Id,
): Promise<{ minutes: RequestCount[]; days: RequestCount[] }> {
  const [minutes, days] = [windowsUntil(clock.now(), "minute"), windowsUntil(clock.now(), "day")];
  const names = [...minutes, ...days].map(({ name }) => `${projectId} ${name}`);
  const records = engine.records<RequestCountRecord>("control", REQUEST_COUNTS);
  const found = new Map<string, RequestCountRecord>();
  for await (const record of records.find({ filter: within("window", names) })) {
    found.set(record.window, record);
  }
  const toRequestCount = ({ name, from }: { name: string; from: string }): RequestCount => {
    const { requests = 0, errors = 0 } = found.get(`${projectId} ${name}`) ?? {};
    return { from, requests, errors };
  };
  return { minutes: minutes.map(toRequestCount), days: days.map(toRequestCount) };
}

function windowsUntil(now: number, kind: WindowKind): { name: string; from: string }[] {
  const { ms, windows } = WINDOWS[kind];
  return Array.from({ length: windows }, (_, i) => {
    const at = now - (windows - 1 - i) * ms;
    return { name: windowName(kind, at), from: new Date(at - at % ms).toISOString() };
  });
}
