import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Json } from "../store/port.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { activeSessions, type SessionRecord, SESSIONS } from "./sessions.ts";

export interface SessionOwner {
  readonly projectId: Id;
  readonly userId: Id;
  /** The session that asks; null where it is not the user who asks. */
  readonly sessionId: Id | null;
}

/**
 * The user's sessions that stand, the newest first; `current` marks the one that asks. Throws
 * `INVALID_CURSOR`.
 */
export async function listSessions(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  { projectId, userId, sessionId }: SessionOwner,
  request: PageRequest,
): Promise<RecordPage<{ [name: string]: Json }>> {
  const { items, nextCursor } = await readPage<SessionRecord>(services, {
    space: projectId,
    definition: SESSIONS,
    asked: eq("userId", userId),
    present: activeSessions(services.clock),
  }, request);
  const shown = items.map((session) => ({
    _id: session._id,
    createdAt: session.createdAt,
    // Sessions of earlier versions know neither use nor device.
    lastUsedAt: session.lastUsedAt ?? session.createdAt,
    expiresAt: session.expiresAt,
    userAgent: session.userAgent ?? null,
    address: session.address ?? null,
    current: session._id === sessionId,
  }));
  return { items: shown, nextCursor };
}
