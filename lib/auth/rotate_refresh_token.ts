import { type Clock, timestamp } from "../clock.ts";
import { equalInConstantTime, sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { Log } from "../runtime/log.ts";
import type { NewId } from "../ids.ts";
import { ACCESS_TOKEN_SECONDS, REFRESH_GRACE_MS, REFRESH_REPLAYS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq, not } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import type { AccessTokens, Bearer } from "./access_tokens.ts";
import {
  keepRefreshToken,
  parseRefreshToken,
  REFRESH_TOKENS,
  type RefreshToken,
  type RefreshTokenRecord,
  refreshTokenText,
  slidingEnd,
  successorOf,
} from "./refresh_tokens.ts";
import { activeSessions, type SessionDirectory, type SessionRecord, SESSIONS } from "./sessions.ts";
import { marksOf, type UserMarks, type UserRecord, USERS } from "./users.ts";

export interface RefreshServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly tokens: AccessTokens;
  readonly sessions: SessionDirectory;
  readonly log: Log;
}

export interface Renewed {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Of the access token, in seconds. */
  readonly expiresIn: number;
}

/**
 * Trades a refresh token for its successor and a fresh access token. A token that comes again
 * within the grace of its first use gets the same successor, so that tabs and lost answers do no
 * harm; one that comes later was stolen, by this caller or by the other: its session ends. As there
 * is one successor only, a thief who was quick has no chain of their own: sooner or later one of the
 * two comes with what the other has used.
 * Throws `REFRESH_TOKEN_INVALID`, one refusal for all that can be wrong.
 */
export async function rotateRefreshToken(
  services: RefreshServices,
  projectId: Id,
  text: string,
): Promise<Renewed> {
  const presented = parseRefreshToken(text);
  if (presented === null) throw new Problem("REFRESH_TOKEN_INVALID");
  const outcome = await services.engine.transaction(
    projectId,
    (tx) => rotate(tx, services, presented),
  );
  if (outcome.kind === "replayed") {
    const { sessionId, userId } = outcome;
    services.sessions.forget(projectId, [sessionId]);
    services.log.write("warn", "A used refresh token came again: its session is revoked", {
      event: "refresh_token_replayed",
      project: projectId,
      user: userId,
      session: sessionId,
    });
    throw new Problem("REFRESH_TOKEN_INVALID");
  }
  const { kind: _kind, refreshToken, ...bearer } = outcome;
  const expiresIn = ACCESS_TOKEN_SECONDS;
  const accessToken = await services.tokens.issue(projectId, bearer, expiresIn);
  return { accessToken, refreshToken, expiresIn };
}

type RotationOutcome =
  | Bearer & UserMarks & { readonly kind: "rotated"; readonly refreshToken: string }
  /** To be committed, so it cannot be thrown. */
  | Bearer & { readonly kind: "replayed" };

async function rotate(
  tx: Transaction,
  services: Pick<RefreshServices, "clock" | "newId">,
  token: RefreshToken,
): Promise<RotationOutcome> {
  const { clock, newId } = services;
  const tokens = tx.records<RefreshTokenRecord>(REFRESH_TOKENS);
  const now = timestamp(clock);
  const secretHash = sha256(token.secret);
  const mine = and(
    eq("_id", token.id),
    eq("secretHash", secretHash),
    compare("expiresAt", "gt", now),
  );
  const successor = { tokenId: newId(), salt: randomToken() };
  const first = await tokens.updateOne(and(mine, eq("usedAt", null)), {
    set: { usedAt: now, successor },
  });
  if (first !== null) return await succeed(tx, clock, first.value, successorOf(successor, token));

  const used = await tokens.get(token.id);
  const isReal = used !== null && equalInConstantTime(used.value.secretHash, secretHash) &&
    used.value.expiresAt > now;
  if (!isReal) throw new Problem("REFRESH_TOKEN_INVALID");
  const graceBegan = new Date(clock.now() - REFRESH_GRACE_MS).toISOString();
  if (used.value.usedAt! < graceBegan) return await revoke(tx, clock, used.value.sessionId);
  // Not "fewer than": tokens of earlier versions have no count.
  const isFree = not(compare("replays", "gte", REFRESH_REPLAYS_MAX));
  if (await tokens.updateOne(and(mine, isFree), { increment: { replays: 1 } }) === null) {
    throw new Problem("REFRESH_TOKEN_INVALID");
  }
  return await repeat(tx, clock, used.value, token);
}

/** Throws `REFRESH_TOKEN_INVALID` where the session has ended, and nothing was used then. */
async function succeed(
  tx: Transaction,
  clock: Clock,
  { sessionId, sessionEndsAt }: RefreshTokenRecord,
  next: RefreshToken,
): Promise<RotationOutcome> {
  const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
    and(eq("_id", sessionId), activeSessions(clock)),
    { set: { lastUsedAt: timestamp(clock), expiresAt: slidingEnd(clock, sessionEndsAt) } },
  );
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  await keepRefreshToken(tx, clock, { sessionId, sessionEndsAt }, next);
  return await rotated(tx, session.value, next);
}

/**
 * The answer to a token that comes again: its successor, or where another tab has used that one in
 * the meantime, the one that is unused by now. Throws `REFRESH_TOKEN_INVALID`.
 */
async function repeat(
  tx: Transaction,
  clock: Clock,
  used: RefreshTokenRecord,
  token: RefreshToken,
): Promise<RotationOutcome> {
  const session = await tx.records<SessionRecord>(SESSIONS)
    .findOne(and(eq("_id", used.sessionId), activeSessions(clock)));
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  let [record, next] = [used, token];
  for (let passed = 0; passed <= REFRESH_REPLAYS_MAX; passed++) {
    // Of tokens that an earlier version traded the successor is not known.
    if (!record.successor) break;
    next = successorOf(record.successor, next);
    const found = await tx.records<RefreshTokenRecord>(REFRESH_TOKENS).get(next.id);
    if (found === null) break;
    if (found.value.usedAt === null) return await rotated(tx, session.value, next);
    record = found.value;
  }
  throw new Problem("REFRESH_TOKEN_INVALID");
}

/** Throws `REFRESH_TOKEN_INVALID` where the user was just deleted. */
async function rotated(
  tx: Transaction,
  { _id: sessionId, userId }: SessionRecord,
  next: RefreshToken,
): Promise<RotationOutcome> {
  const user = await tx.records<UserRecord>(USERS).get(userId);
  if (user === null) throw new Problem("REFRESH_TOKEN_INVALID");
  const marks = marksOf(user.value);
  return { kind: "rotated", refreshToken: refreshTokenText(next), sessionId, userId, ...marks };
}

/** Throws `REFRESH_TOKEN_INVALID` where the session has ended before: there is nothing to tell. */
async function revoke(tx: Transaction, clock: Clock, sessionId: Id): Promise<RotationOutcome> {
  const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
    and(eq("_id", sessionId), activeSessions(clock)),
    { set: { revokedAt: timestamp(clock) } },
  );
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  return { kind: "replayed", sessionId, userId: session.value.userId };
}
