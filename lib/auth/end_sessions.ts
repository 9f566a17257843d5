import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Bearer } from "./access_tokens.ts";
import { type AuthServices, bearerOf } from "./authenticate.ts";
import { parseRefreshToken, REFRESH_TOKENS, type RefreshTokenRecord } from "./refresh_tokens.ts";
import { revokeSessions } from "./revoke_sessions.ts";
import { activeSessions, type SessionDirectory, type SessionRecord, SESSIONS } from "./sessions.ts";

interface EndServices extends Pick<AuthServices, "tokens"> {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly sessions: SessionDirectory;
}

/** Ends the sessions of a refresh token and an `Authorization` header. Ignores invalid tokens. */
export async function logOut(
  services: EndServices,
  projectId: Id,
  { refreshToken, authorization }: { refreshToken: string | null; authorization: string | null },
): Promise<void> {
  const ended = new Set<Id>();
  const family = refreshToken === null
    ? null
    : await findSessionId(services, projectId, refreshToken);
  if (family !== null) ended.add(family);
  const bearer = authorization === null
    ? null
    : await bearerIfValid(services, projectId, authorization);
  if (bearer !== null) ended.add(bearer.sessionId);
  for (const sessionId of ended) await endSession(services, projectId, { sessionId });
}

/** Returns the user of a refresh token with an active session. Throws `REFRESH_TOKEN_INVALID`. */
export async function userOfRefreshToken(
  { engine, clock }: Pick<EndServices, "engine" | "clock">,
  projectId: Id,
  refreshToken: string,
): Promise<Id> {
  const sessionId = await findSessionId({ engine }, projectId, refreshToken);
  const session = sessionId === null
    ? null
    : await engine.records<SessionRecord>(projectId, SESSIONS)
      .findOne(and(eq("_id", sessionId), activeSessions(clock)));
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  return session.value.userId;
}

export async function endSessionsOf(
  { engine, clock, sessions }: Pick<EndServices, "engine" | "clock" | "sessions">,
  projectId: Id,
  userId: Id,
): Promise<number> {
  const ids = await engine.transaction(projectId, (tx) => revokeSessions(tx, clock, userId));
  sessions.forget(projectId, ids);
  return ids.length;
}

/** Ends a session. Returns false if there is no active one. @param userId The required owner. */
export async function endSession(
  { engine, clock, sessions }: Pick<EndServices, "engine" | "clock" | "sessions">,
  projectId: Id,
  { sessionId, userId }: { sessionId: Id; userId?: Id },
): Promise<boolean> {
  const ended = await engine.records<SessionRecord>(projectId, SESSIONS).updateOne(
    and(
      eq("_id", sessionId),
      activeSessions(clock),
      ...(userId === undefined ? [] : [eq("userId", userId)]),
    ),
    { set: { revokedAt: timestamp(clock) } },
  );
  if (ended !== null) sessions.forget(projectId, [sessionId]);
  return ended !== null;
}

/** Finds the session of a refresh token, used or not. Any token of a session may end it. */
async function findSessionId(
  { engine }: Pick<EndServices, "engine">,
  projectId: Id,
  text: string,
): Promise<Id | null> {
  const token = parseRefreshToken(text);
  if (token === null) return null;
  const found = await engine.records<RefreshTokenRecord>(projectId, REFRESH_TOKENS)
    .findOne(and(eq("_id", token.id), eq("secretHash", sha256(token.secret))));
  return found?.value.sessionId ?? null;
}

async function bearerIfValid(
  services: Pick<EndServices, "tokens">,
  projectId: Id,
  authorization: string,
): Promise<Bearer | null> {
  try {
    return await bearerOf(services, projectId, authorization);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
