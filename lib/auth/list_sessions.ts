import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Json } from "../store/port.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { activeSessions, type SessionRecord, SESSIONS } from "./sessions.ts";

export interface SessionOwner {
  readonly projectId: Id;
  readonly userId: Id;
  /** The caller's own session; null if the caller is not the user. */
  readonly sessionId: Id | null;
}

/** Lists active sessions, newest first; `current` marks the caller's. Throws `INVALID_CURSOR`. */
export async function listSessions(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  { projectId, userId, sessionId }: SessionOwner,
  request: PageRequest,
): Promise<RecordPage<{ [name: string]: Json }>> {
  const { items, nextCursor } = await readPage<SessionRecord>(services, {
    space: projectId,
    definition: SESSIONS,
    filter: eq("userId", userId),
    visible: activeSessions(services.clock),
  }, request);
  const sessions = items.map((session) => ({
    _id: session._id,
    createdAt: session.createdAt,
    // Sessions of earlier versions lack last use and device.
    lastUsedAt: session.lastUsedAt ?? session.createdAt,
    expiresAt: session.expiresAt,
    userAgent: session.userAgent ?? null,
    address: session.address ?? null,
    current: session._id === sessionId,
  }));
  return { items: sessions, nextCursor };
}
