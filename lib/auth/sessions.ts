import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import { after, type Soon } from "../soon.ts";
import type { Definition, Engine, Id, StoredRecord } from "../store/port.ts";

/** A signed-in user on one device. Access tokens name it and die with it. */
export type SessionRecord = StoredRecord & {
  userId: Id;
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
};

/** In each project's space. */
export const SESSIONS: Definition = {
  name: "_sessions",
  fields: {
    userId: { type: "Ref" },
    createdAt: { type: "Date" },
    expiresAt: { type: "Date" },
    revokedAt: { type: "Date" },
  },
  indexes: [{ keys: [{ path: "userId", descending: false }] }],
  trash: false,
  expiry: "expiresAt",
};

/** Tells whether sessions still stand. */
export interface SessionDirectory {
  /** Whether the session exists, is the user's, has not expired and was not revoked. */
  stands(projectId: Id, sessionId: Id, userId: Id): Soon<boolean>;
  /** Drops what is remembered; other processes notice within `CACHE_MS`. */
  forget(sessionId: Id): void;
}

const SESSIONS_KEPT = 50_000;

export function createSessionDirectory(engine: Engine, clock: Clock): SessionDirectory {
  const known = createReadThrough<SessionRecord>({ clock, max: SESSIONS_KEPT }, async (key) => {
    const [projectId, sessionId] = key.split("/") as [Id, Id];
    const found = await engine.records<SessionRecord>(projectId, SESSIONS).get(sessionId);
    return found?.value ?? null;
  });
  return {
    stands: (projectId, sessionId, userId) =>
      after(
        known.get(`${projectId}/${sessionId}`),
        (session) =>
          session !== null && session.userId === userId && session.revokedAt === null &&
          Date.parse(session.expiresAt) > clock.now(),
      ),
    forget: (sessionId) => known.forget((_key, session) => session._id === sessionId),
  };
}
