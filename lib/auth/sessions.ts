import { createReadThrough } from "../cache.ts";
import { type Clock, timestamp } from "../clock.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** What is known of the device that a session was opened on. */
export type Device = {
  userAgent: string | null;
  /** Without its last part, so that it tells the place and not the person. */
  address: string | null;
};

/** The fields of a {@linkcode Device}. */
export const DEVICE = {
  userAgent: field.undeclared<Device["userAgent"]>(),
  address: field.undeclared<Device["address"]>(),
};

/**
 * A signed-in user on one device, in each project's space. Access tokens name the session and die
 * with it.
 */
export const SESSIONS = recordKind({
  name: "_sessions",
  fields: {
    userId: field.ref,
    createdAt: field.date,
    lastUsedAt: field.date,
    expiresAt: field.date,
    revokedAt: nullable(field.date),
    ...DEVICE,
  },
  indexes: [{
    keys: [{ path: "userId", descending: false }, { path: "createdAt", descending: true }],
  }],
  trash: false,
  expiry: "expiresAt",
});

export type SessionRecord = RecordOf<typeof SESSIONS>;

/** Sessions that have neither expired nor been revoked: what access and refresh tokens live by. */
export const activeSessions = (clock: Clock): Filter =>
  and(eq("revokedAt", null), compare("expiresAt", "gt", timestamp(clock)));

/** Tells whether sessions still stand. */
export interface SessionDirectory {
  /** Whether the session exists, is the user's, has not expired and was not revoked. */
  isActive(projectId: Id, sessionId: Id, userId: Id): Promise<boolean>;
  /** Drops what is remembered of these; other processes notice within `CACHE_MS`. */
  forget(projectId: Id, sessionIds: readonly Id[]): void;
}

/** What is remembered of a session that was not revoked. */
interface Standing {
  readonly userId: Id;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

const SESSIONS_KEPT = 50_000;

export function createSessionDirectory(engine: Engine, clock: Clock): SessionDirectory {
  const known = createReadThrough<Standing>({ clock, max: SESSIONS_KEPT }, async (key) => {
    const [projectId, sessionId] = key.split("/") as [Id, Id];
    const found = await engine.records<SessionRecord>(projectId, SESSIONS).get(sessionId);
    if (found === null || found.value.revokedAt !== null) return null;
    const { userId, expiresAt } = found.value;
    return { userId, endsAt: Date.parse(expiresAt) };
  });
  return {
    async isActive(projectId, sessionId, userId) {
      const session = await known.get(`${projectId}/${sessionId}`);
      return session !== null && session.userId === userId && session.endsAt > clock.now();
    },
    forget(projectId, sessionIds) {
      for (const sessionId of sessionIds) known.drop(`${projectId}/${sessionId}`);
    },
  };
}
