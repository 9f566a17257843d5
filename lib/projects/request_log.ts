import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { REQUEST_LOG_MAX, REQUEST_LOG_MS, REQUEST_LOG_PER_SECOND_MAX } from "../limits.ts";
import { createLru } from "../lru.ts";
import { createDelayedTask } from "../delayed_task.ts";
import type { ProblemCode } from "../problems.ts";
import type { Log } from "../runtime/log.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Records, StoredRecord } from "../store/port.ts";

/** A finished request, without its body, its response and the client's address. */
export type EndedRequest = {
  readonly projectId: Id;
  /** The value of `x-request-id`. */
  readonly requestId: string;
  /** Operation id; null if the address matched no operation. */
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  readonly code: ProblemCode | null;
  /** Kind of the caller's credentials; null without credentials. */
  readonly caller: string | null;
  readonly ms: number;
};

export type LoggedRequestRecord = StoredRecord & EndedRequest & {
  /** Number of further requests in that second, which were not stored. */
  leftOut: number;
  createdAt: string;
  expiresAt: string;
};

/** Logged requests of all projects. Stored in the control space, like slow queries. */
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

/** Buffers requests in memory and stores them in batches, outside of any request. */
export interface RequestLog extends AsyncDisposable {
  note(request: EndedRequest): void;
  /** Runs automatically within {@linkcode STORE_AFTER_MS}. */
  store(): Promise<void>;
}

/** Milliseconds between writes of a process, however many requests fail. */
const STORE_AFTER_MS = 1_000;
/** Rows that are buffered for all projects, and stored by one write. */
const PENDING_ROWS_MAX = 300;
/** Number of projects with buffered requests. Requests of further projects are not even counted. */
const PENDING_PROJECTS_MAX = 1_000;
/** Number of rows that a process stores for a project before it removes the project's oldest. */
const TRIM_INTERVAL_ROWS = 1_000;
const TRIMS_KEPT = 10_000;

interface PendingRequests {
  readonly rows: LoggedRequestRecord[];
  leftOut: number;
}

export function createRequestLog(
  { engine, clock, newId, log }: { engine: Engine; clock: Clock; newId: NewId; log: Log },
): RequestLog {
  let [pending, pendingRows] = [new Map<Id, PendingRequests>(), 0];
  const rowsUntilTrim = createLru<Id, number>(TRIMS_KEPT);
  const storing = createDelayedTask(storeAll, STORE_AFTER_MS);

  function note(request: EndedRequest): void {
    let of = pending.get(request.projectId);
    if (of === undefined) {
      if (pending.size >= PENDING_PROJECTS_MAX) return;
      pending.set(request.projectId, of = { rows: [], leftOut: 0 });
    }
    storing.schedule();
    if (of.rows.length >= REQUEST_LOG_PER_SECOND_MAX || pendingRows >= PENDING_ROWS_MAX) {
      of.leftOut++;
      return;
    }
    pendingRows++;
    of.rows.push({
      _id: newId(),
      ...request,
      leftOut: 0,
      createdAt: timestamp(clock),
      expiresAt: new Date(clock.now() + REQUEST_LOG_MS).toISOString(),
    });
  }

  async function storeAll(): Promise<void> {
    const all = pending;
    [pending, pendingRows] = [new Map(), 0];
    const rows: LoggedRequestRecord[] = [];
    for (const [projectId, { rows: requests, leftOut }] of all) {
      // Without a row to store it in, the count waits for the project's next row.
      if (requests.length === 0) pending.set(projectId, { rows: [], leftOut });
      else rows.push(...requests.with(-1, { ...requests.at(-1)!, leftOut }));
    }
    if (rows.length === 0) return;
    const records = engine.records<LoggedRequestRecord>("control", REQUEST_LOG);
    try {
      await records.insertMany(rows);
      for (const [projectId, { rows: { length } }] of all) await trim(records, projectId, length);
    } catch (error) {
      log.write("warn", "Requests could not be logged", {
        requests: rows.length,
        error: String(error),
      });
    }
  }

  /** Keeps about the newest `REQUEST_LOG_MAX` rows of a project: other processes may add some. */
  async function trim(
    records: Records<LoggedRequestRecord>,
    projectId: Id,
    stored: number,
  ): Promise<void> {
    // A process that has just started does not know the number of rows, so it trims at once.
    const left = (rowsUntilTrim.get(projectId) ?? 0) - stored;
    if (left > 0) return void rowsUntilTrim.set(projectId, left);
    rowsUntilTrim.set(projectId, TRIM_INTERVAL_ROWS);
    const inProject = eq("projectId", projectId);
    const { filter, sort } = { filter: inProject, sort: [{ path: "createdAt", descending: true }] };
    const page = await records.list({ filter, sort, limit: 1, offset: REQUEST_LOG_MAX });
    const [first] = page.records();
    if (first === undefined) return;
    await deleteAll(records, and(inProject, compare("createdAt", "lte", first.createdAt)));
  }

  return {
    note,
    store: storing.now,
    [Symbol.asyncDispose]: () => storing[Symbol.asyncDispose](),
  };
}
