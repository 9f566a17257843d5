import { type Clock, timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { type AuthServices, bearerOf } from "./authenticate.ts";
import { parseRefreshToken, REFRESH_TOKENS, type RefreshTokenRecord } from "./refresh_tokens.ts";
import { revokeSessions } from "./revoke_sessions.ts";
import { type SessionDirectory, type SessionRecord, SESSIONS, standing } from "./sessions.ts";

interface EndServices extends Pick<AuthServices, "tokens"> {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly sessions: SessionDirectory;
}

/** What tells which session is meant. */
export interface SessionProofs {
  readonly refreshToken: string | null;
  /** The `Authorization` header. */
  readonly authorization: string | null;
}

/** Ends the sessions that the proofs belong to. What is not valid has nothing left to end. */
export async function logOut(
  services: EndServices,
  projectId: Id,
  { refreshToken, authorization }: SessionProofs,
): Promise<void> {
  const ended = new Set<Id>();
  const byToken = refreshToken === null ? null : await familyOf(services, projectId, refreshToken);
  if (byToken !== null) ended.add(byToken);
  if (authorization !== null) {
    const bearer = await bearerOf(services, projectId, authorization).catch(absent);
    if (bearer !== null) ended.add(bearer.sessionId);
  }
  for (const sessionId of ended) await endSession(services, projectId, { sessionId });
}

/**
 * Ends all sessions of the user that the proofs belong to; where there is an access token it alone
 * counts. Resolves to how many stood.
 * Throws `ACCESS_TOKEN_INVALID`, and `ACCESS_TOKEN_REQUIRED` without a valid proof.
 */
export async function logOutEverywhere(
  services: EndServices,
  projectId: Id,
  { refreshToken, authorization }: SessionProofs,
): Promise<number> {
  let userId: Id | null = null;
  if (authorization !== null) {
    ({ userId } = await bearerOf(services, projectId, authorization));
  } else if (refreshToken !== null) {
    const sessionId = await familyOf(services, projectId, refreshToken);
    userId = sessionId === null ? null : await userOf(services, projectId, sessionId);
  }
  if (userId === null) throw new Problem("ACCESS_TOKEN_REQUIRED");
  return await endSessionsOf(services, projectId, userId);
}

/** Ends all sessions of a user; resolves to how many stood. */
export async function endSessionsOf(
  { engine, clock, sessions }: Pick<EndServices, "engine" | "clock" | "sessions">,
  projectId: Id,
  userId: Id,
): Promise<number> {
  const ids = await engine.transaction(projectId, (tx) => revokeSessions(tx, clock, userId));
  ids.forEach(sessions.forget);
  return ids.length;
}

/** Ends one session, of this user if one is named; false where none stands. */
export async function endSession(
  { engine, clock, sessions }: Pick<EndServices, "engine" | "clock" | "sessions">,
  projectId: Id,
  { sessionId, userId }: { sessionId: Id; userId?: Id },
): Promise<boolean> {
  const ended = await engine.records<SessionRecord>(projectId, SESSIONS).updateOne(
    and(
      eq("_id", sessionId),
      standing(clock),
      ...(userId === undefined ? [] : [eq("userId", userId)]),
    ),
    { set: { revokedAt: timestamp(clock) } },
  );
  if (ended !== null) sessions.forget(sessionId);
  return ended !== null;
}

/** The session of a refresh token, used or not: whoever holds it may end what it came from. */
async function familyOf(
  { engine }: Pick<EndServices, "engine">,
  projectId: Id,
  text: string,
): Promise<Id | null> {
  const token = parseRefreshToken(text);
  if (token === null) return null;
  const found = await engine.records<RefreshTokenRecord>(projectId, REFRESH_TOKENS)
    .findOne(and(eq("_id", token.id), eq("secretHash", token.secretHash)));
  return found?.value.sessionId ?? null;
}

async function userOf(
  { engine, clock }: Pick<EndServices, "engine" | "clock">,
  projectId: Id,
  sessionId: Id,
): Promise<Id | null> {
  const session = await engine.records<SessionRecord>(projectId, SESSIONS)
    .findOne(and(eq("_id", sessionId), standing(clock)));
  return session?.value.userId ?? null;
}

/** A refusal of a token is a missing one; anything else has failed. */
function absent(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}
