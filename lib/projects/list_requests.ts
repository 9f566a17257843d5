import { type Clock, timestamp } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import type { KeyDirectory } from "./api_keys.ts";
import { IN_USE, type ProjectRecord, PROJECTS } from "./records.ts";
import { type EndedRequest, type LoggedRequestRecord, REQUEST_LOG } from "./request_log.ts";

/** A request, as a project's members see it. */
export interface ShownRequest extends Omit<EndedRequest, "projectId"> {
  readonly leftOut: number;
  readonly at: string;
}

/** Which requests are listed: those that match all that are given. */
export interface RequestFilter {
  readonly operation?: string | undefined;
  /** `404`, or `4xx` for all of a hundred. */
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly caller?: string | undefined;
  readonly requestId?: string | undefined;
  /** Those that ended then or later. */
  readonly since?: string | undefined;
}

/** What a status may be filtered by. */
export const STATUS_FILTER = /^[1-5](?:\d\d|xx)$/;

/** The kinds of callers, as the log has them. */
export const CALLER_KINDS = ["publishable", "secret", "account", "accountToken"] as const;

interface ListServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly cursors: Cursors;
}

/** Requests of the last `REQUEST_LOG_DAYS` that were kept, the newest first. Throws `INVALID_CURSOR`. */
export async function listRequests(
  services: ListServices,
  projectId: Id,
  { limit, cursor, ...asked }: PageRequest & RequestFilter,
): Promise<RecordPage<ShownRequest>> {
  const { items, nextCursor } = await readPage<LoggedRequestRecord>(services, {
    space: "control",
    definition: REQUEST_LOG,
    asked: and(eq("projectId", projectId), ...conditionsOf(asked)),
    present: compare("expiresAt", "gt", timestamp(services.clock)),
  }, { limit, cursor });
  return { items: items.map(shownRequest), nextCursor };
}

function conditionsOf({ status, since, ...equal }: RequestFilter): Filter[] {
  const conditions: Filter[] = Object.entries(equal)
    .flatMap(([path, value]) => value === undefined ? [] : [eq(path, value)]);
  if (since !== undefined) conditions.push(compare("createdAt", "gte", since));
  if (status === undefined) return conditions;
  if (!status.endsWith("xx")) return [...conditions, eq("status", Number(status))];
  const from = Number(status[0]) * 100;
  return [...conditions, compare("status", "gte", from), compare("status", "lt", from + 100)];
}

const shownRequest = (
  { requestId, operation, method, status, code, caller, ms, leftOut, createdAt }:
    LoggedRequestRecord,
): ShownRequest => ({
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

/** Until when all requests of a project are kept, not only those that fail; null if they are not. */
export function recordsUntil({ clock }: { clock: Clock }, project: ProjectRecord): string | null {
  const until = project.recordsRequestsUntil ?? null;
  return until !== null && until > timestamp(clock) ? until : null;
}

/** Keeps all requests of a project for so many minutes; with 0 only those that fail. */
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
