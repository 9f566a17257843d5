import { type Clock, timestamp } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import type { KeyDirectory } from "./api_keys.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";
import { type EndedRequest, type LoggedRequestRecord, REQUEST_LOG } from "./request_log.ts";

export interface LoggedRequest extends Omit<EndedRequest, "projectId"> {
  readonly leftOut: number;
  readonly at: string;
}

/** Conditions that a listed request meets. */
export interface RequestFilter {
  readonly operation?: string | undefined;
  /** A status such as `404`, or a class of statuses such as `4xx`. */
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly caller?: string | undefined;
  readonly requestId?: string | undefined;
  /** Earliest end of a request, ISO 8601. */
  readonly since?: string | undefined;
}

export const STATUS_FILTER = /^[1-5](?:\d\d|xx)$/;

export const CALLER_KINDS = ["publishable", "secret", "account", "accountToken"] as const;

interface ListServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly cursors: Cursors;
}

/** Lists requests of the last `REQUEST_LOG_DAYS` days, newest first. Throws `INVALID_CURSOR`. */
export async function listRequests(
  services: ListServices,
  projectId: Id,
  { limit, cursor, ...asked }: PageRequest & RequestFilter,
): Promise<RecordPage<LoggedRequest>> {
  const { items, nextCursor } = await readPage<LoggedRequestRecord>(services, {
    space: "control",
    definition: REQUEST_LOG,
    filter: and(eq("projectId", projectId), ...toConditions(asked)),
    visible: compare("expiresAt", "gt", timestamp(services.clock)),
  }, { limit, cursor });
  return { items: items.map(toLoggedRequest), nextCursor };
}

function toConditions({ status, since, ...equal }: RequestFilter): Filter[] {
  const conditions: Filter[] = Object.entries(equal)
    .flatMap(([path, value]) => value === undefined ? [] : [eq(path, value)]);
  if (since !== undefined) conditions.push(compare("createdAt", "gte", since));
  if (status === undefined) return conditions;
  if (!status.endsWith("xx")) return [...conditions, eq("status", Number(status))];
  const from = Number(status[0]) * 100;
  return [...conditions, compare("status", "gte", from), compare("status", "lt", from + 100)];
}

const toLoggedRequest = (
  { requestId, operation, method, status, code, caller, ms, leftOut, createdAt }:
    LoggedRequestRecord,
): LoggedRequest => ({
  requestId,
  operation,
  method,
  status,
  code,
  caller,
  ms,
  leftOut,
  at: createdAt,
});

/** Returns null if only failures are logged. */
export function recordsUntil({ clock }: { clock: Clock }, project: ProjectRecord): string | null {
  const until = project.recordsRequestsUntil ?? null;
  return until !== null && until > timestamp(clock) ? until : null;
}

/** Logs all requests for `minutes`. Returns when it ends. Throws `PROJECT_NOT_FOUND`. */
export async function recordRequests(
  { engine, keys, clock }: { engine: Engine; keys: KeyDirectory; clock: Clock },
  projectId: Id,
  minutes: number,
): Promise<string | null> {
  const until = minutes === 0 ? null : new Date(clock.now() + minutes * 60_000).toISOString();
  const changed = await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(and(eq("_id", projectId), IN_USE), { set: { recordsRequestsUntil: until } });
  if (changed === null) throw new Problem("PROJECT_NOT_FOUND");
  keys.forget(projectId);
  return until;
}
