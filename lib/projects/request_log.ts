import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { REQUEST_LOG_MAX, REQUEST_LOG_MS, REQUEST_LOG_PER_SECOND_MAX } from "../limits.ts";
import { createLru } from "../lru.ts";
import { postponed } from "../postponed.ts";
import type { ProblemCode } from "../problems.ts";
import type { Log } from "../runtime/log.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Records, StoredRecord } from "../store/port.ts";

/** What is told of a request when it ends: nothing of what was sent or answered, and no address. */
export type EndedRequest = {
  readonly projectId: Id;
  /** As `x-request-id` had it. */
  readonly requestId: string;
  /** Null where the request was for no operation. */
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  readonly code: ProblemCode | null;
  /** What kind of credentials it came with. */
  readonly caller: string | null;
  readonly ms: number;
};

export type LoggedRequestRecord = StoredRecord & EndedRequest & {
  /** How many more there were within the same second, of which nothing else is kept. */
  leftOut: number;
  createdAt: string;
  expiresAt: string;
};

/** In the control space, as slow questions are, and for the same reasons. */
export const REQUEST_LOG: Definition = {
  name: "requestLog",
  fields: {
    projectId: { type: "Ref" },
    requestId: { type: "String" },
    operation: { type: "String" },
    status: { type: "Number" },
    code: { type: "String" },
    caller: { type: "String" },
    createdAt: { type: "Date" },
    expiresAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "projectId", descending: false }, { path: "createdAt", descending: true }] },
  ],
  trash: false,
  expiry: "expiresAt",
};

/** Keeps requests of projects, in memory first; they are stored soon after, on nobody's way. */
export interface RequestLog extends AsyncDisposable {
  note(request: EndedRequest): void;
  /** Stores what was noted so far; happens by itself within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

/** So a process writes at most once a second, however many requests fail. */
const STORE_AFTER_MS = 1_000;
/** Of all projects, in one write: it takes a few milliseconds. */
const ROWS_AT_ONCE = 300;
/** Projects that something is known of until it is stored; of others nothing is counted. */
const PROJECTS_AT_ONCE = 1_000;
/** A project's oldest requests are removed after so many new ones of a process. */
const TRIM_EVERY = 1_000;
const TRIMS_KEPT = 10_000;

interface Waiting {
  readonly rows: LoggedRequestRecord[];
  leftOut: number;
}

export function createRequestLog(
  { engine, clock, newId, log }: { engine: Engine; clock: Clock; newId: NewId; log: Log },
): RequestLog {
  let [waiting, size] = [new Map<Id, Waiting>(), 0];
  /** How many each project may store before it is trimmed. */
  const untilTrim = createLru<Id, number>(TRIMS_KEPT);
  const storing = postponed(storeAll, STORE_AFTER_MS);

  function note(request: EndedRequest): void {
    let of = waiting.get(request.projectId);
    if (of === undefined) {
      if (waiting.size >= PROJECTS_AT_ONCE) return;
      waiting.set(request.projectId, of = { rows: [], leftOut: 0 });
    }
    storing.later();
    if (of.rows.length >= REQUEST_LOG_PER_SECOND_MAX || size >= ROWS_AT_ONCE) {
      of.leftOut++;
      return;
    }
    size++;
    of.rows.push({
      _id: newId(),
      ...request,
      leftOut: 0,
      createdAt: timestamp(clock),
      expiresAt: new Date(clock.now() + REQUEST_LOG_MS).toISOString(),
    });
  }

  async function storeAll(): Promise<void> {
    const all = waiting;
    [waiting, size] = [new Map(), 0];
    const rows: LoggedRequestRecord[] = [];
    for (const [projectId, { rows: those, leftOut }] of all) {
      // Of one that found no room at all the count comes along with what is noted next.
      if (those.length === 0) waiting.set(projectId, { rows: [], leftOut });
      else rows.push(...those.with(-1, { ...those.at(-1)!, leftOut }));
    }
    if (rows.length === 0) return;
    const records = engine.records<LoggedRequestRecord>("control", REQUEST_LOG);
    try {
      await records.insertMany(rows);
      for (const [projectId, { rows: { length } }] of all) await trim(records, projectId, length);
    } catch (error) {
      log.write("warn", "Requests are not stored", { requests: rows.length, error: String(error) });
    }
  }

  /** Keeps the newest `REQUEST_LOG_MAX` of a project, give or take what is stored meanwhile. */
  async function trim(
    records: Records<LoggedRequestRecord>,
    projectId: Id,
    stored: number,
  ): Promise<void> {
    // A process that was just started does not know how many there are.
    const left = (untilTrim.get(projectId) ?? 0) - stored;
    if (left > 0) return void untilTrim.set(projectId, left);
    untilTrim.set(projectId, TRIM_EVERY);
    const its = eq("projectId", projectId);
    const { filter, sort } = { filter: its, sort: [{ path: "createdAt", descending: true }] };
    const page = await records.list({ filter, sort, limit: 1, offset: REQUEST_LOG_MAX });
    const [first] = page.records();
    if (first === undefined) return;
    await deleteAll(records, and(its, compare("createdAt", "lte", first.createdAt)));
  }

  return {
    note,
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}
