import { createReadThrough } from "../cache.ts";
import { type Clock, timestamp } from "../clock.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

export type Device = {
  userAgent: string | null;
  /** The truncated IP address, which identifies a place but not a person. */
  address: string | null;
};

export const DEVICE = {
  userAgent: field.undeclared<Device["userAgent"]>(),
  address: field.undeclared<Device["address"]>(),
};

/** Sessions of users, one per device. An access token names its session and ends with it. */
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

/** Matches sessions that have neither expired nor been revoked. */
export const activeSessions = (clock: Clock): Filter =>
  and(eq("revokedAt", null), compare("expiresAt", "gt", timestamp(clock)));

/** Checks whether sessions are active, with a cache. */
export interface SessionDirectory {
  /** Whether the session exists, is the user's, has not expired and was not revoked. */
  isActive(projectId: Id, sessionId: Id, userId: Id): Promise<boolean>;
  /** Drops cache entries. Other processes notice a change within `CACHE_MS`. */
  forget(projectId: Id, sessionIds: readonly Id[]): void;
}

/** A cache entry of a session that was not revoked. */
interface CachedSession {
  readonly userId: Id;
  /** End of the session in milliseconds since 1970. */
  readonly endsAt: number;
}

const CACHED_SESSIONS_MAX = 50_000;

export function createSessionDirectory(engine: Engine, clock: Clock): SessionDirectory {
  const cache = createReadThrough<CachedSession>(
    { clock, max: CACHED_SESSIONS_MAX },
    async (key) => {
      const [projectId, sessionId] = key.split("/") as [Id, Id];
      const found = await engine.records<SessionRecord>(projectId, SESSIONS).get(sessionId);
      if (found === null || found.value.revokedAt !== null) return null;
      const { userId, expiresAt } = found.value;
      return { userId, endsAt: Date.parse(expiresAt) };
    },
  );
  return {
    async isActive(projectId, sessionId, userId) {
      const session = await cache.get(`${projectId}/${sessionId}`);
      return session !== null && session.userId === userId && session.endsAt > clock.now();
    },
    forget(projectId, sessionIds) {
      for (const sessionId of sessionIds) cache.drop(`${projectId}/${sessionId}`);
    },
  };
}
