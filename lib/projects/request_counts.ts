import type { Clock } from "../clock.ts";
import type { Log } from "../runtime/log.ts";
import type { NewId } from "../ids.ts";
import { REQUEST_DAYS, REQUEST_MINUTES } from "../limits.ts";
import { postponed } from "../postponed.ts";
import { eq, within } from "../store/filter.ts";
import type { Engine, Id, Records } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** In the control space. */
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

/** What the applications of a project asked for. */
export interface RequestCount {
  /** When it begins: a minute, or a day, in UTC. */
  readonly from: string;
  readonly requests: number;
  /** Those of them that were refused or failed. */
  readonly errors: number;
}

/** Counts the requests of each project, in memory; what is counted is stored soon after. */
export interface RequestCounts extends AsyncDisposable {
  count(projectId: Id, status: number): void;
  /** Stores what was counted so far; happens by itself within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

/** A process that is killed loses no more than this. */
const STORE_AFTER_MS = 10_000;
/** Records that are written at once: a store that is busy is not flooded. */
const WRITES_AT_ONCE = 50;
/** Beyond this, counts are lost rather than kept for a store that takes none. */
const WINDOWS_KEPT = 100_000;

interface WindowCount {
  readonly projectId: Id;
  requests: number;
  errors: number;
  readonly expiresAt: number;
}

/** The windows of projects in one minute. */
interface Minute {
  readonly at: number;
  readonly names: { readonly minute: string; readonly day: string };
  readonly of: Map<Id, readonly WindowCount[]>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** How the two kinds of windows are named, and how long they are shown. */
const WINDOWS = {
  minute: { length: "2026-01-31T12:00".length, ms: MINUTE_MS, shown: REQUEST_MINUTES },
  day: { length: "2026-01-31".length, ms: DAY_MS, shown: REQUEST_DAYS },
} as const;

type Kind = keyof typeof WINDOWS;

const nameOf = (kind: Kind, at: number): string =>
  new Date(at).toISOString().slice(0, WINDOWS[kind].length);

export function createRequestCounts(
  services: { engine: Engine; clock: Clock; newId: NewId; log: Log },
): RequestCounts {
  const { engine, clock, newId, log } = services;
  let counted = new Map<string, WindowCount>();
  const storing = postponed(storeAll, STORE_AFTER_MS);
  let minute: Minute = { at: -1, names: { minute: "", day: "" }, of: new Map() };

  function add(window: string, count: WindowCount): void {
    const known = counted.get(window);
    if (known !== undefined) {
      known.requests += count.requests;
      known.errors += count.errors;
    } else if (counted.size < WINDOWS_KEPT) counted.set(window, count);
  }

  /** What the requests of a project are counted in now: many are of the same minute. */
  function windowsOf(projectId: Id): readonly WindowCount[] {
    const now = clock.now();
    const at = Math.floor(now / MINUTE_MS);
    if (at !== minute.at) {
      const names = { minute: nameOf("minute", now), day: nameOf("day", now) };
      minute = { at, names, of: new Map() };
    }
    const known = minute.of.get(projectId);
    if (known !== undefined) return known;
    const windows = (["minute", "day"] as const).map((kind) => {
      const { ms, shown } = WINDOWS[kind];
      const window = `${projectId} ${minute.names[kind]}`;
      // Twice as long as it is shown: whoever reads it in this moment finds it whole.
      add(window, { projectId, requests: 0, errors: 0, expiresAt: now + 2 * shown * ms });
      return counted.get(window);
    }).filter((count) => count !== undefined);
    minute.of.set(projectId, windows);
    return windows;
  }

  async function storeAll(): Promise<void> {
    const all = [...counted];
    counted = new Map();
    minute.of.clear();
    const records = engine.records<RequestCountRecord>("control", REQUEST_COUNTS);
    for (let from = 0; from < all.length; from += WRITES_AT_ONCE) {
      const batch = all.slice(from, from + WRITES_AT_ONCE);
      const results = await Promise.allSettled(
        batch.map(([window, count]) => addStored(records, newId, window, count)),
      );
      const failed = results.findIndex(({ status }) => status === "rejected");
      if (failed < 0) continue;
      // They come along with what is counted next.
      batch.forEach(([window, count], i) => {
        if (results[i]!.status === "rejected") add(window, count);
      });
      for (const [window, count] of all.slice(from + WRITES_AT_ONCE)) add(window, count);
      const { reason } = results[failed] as PromiseRejectedResult;
      return log.write("warn", "Requests were counted but not stored", { error: String(reason) });
    }
  }

  return {
    count(projectId, status) {
      for (const count of windowsOf(projectId)) {
        count.requests++;
        if (status >= 400) count.errors++;
      }
      storing.later();
    },
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}

/** Adds to what all processes have counted. */
async function addStored(
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

/** The last hour by minutes and the last 30 days, the present ones last. */
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
  const shown = ({ name, from }: { name: string; from: string }): RequestCount => {
    const { requests = 0, errors = 0 } = found.get(`${projectId} ${name}`) ?? {};
    return { from, requests, errors };
  };
  return { minutes: minutes.map(shown), days: days.map(shown) };
}

function windowsUntil(now: number, kind: Kind): { name: string; from: string }[] {
  const { ms, shown } = WINDOWS[kind];
  return Array.from({ length: shown }, (_, i) => {
    const at = now - (shown - 1 - i) * ms;
    return { name: nameOf(kind, at), from: new Date(at - at % ms).toISOString() };
  });
}
