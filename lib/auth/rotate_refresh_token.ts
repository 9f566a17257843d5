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
  deriveSuccessor,
  extendedEnd,
  formatRefreshToken,
  parseRefreshToken,
  REFRESH_TOKENS,
  type RefreshToken,
  type RefreshTokenRecord,
  storeRefreshToken,
} from "./refresh_tokens.ts";
import { activeSessions, type SessionDirectory, type SessionRecord, SESSIONS } from "./sessions.ts";
import { type RolesAndClaims, rolesAndClaimsOf, type UserRecord, USERS } from "./users.ts";

export interface RefreshServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly tokens: AccessTokens;
  readonly sessions: SessionDirectory;
  readonly log: Log;
}

export interface RenewedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds until the access token expires. */
  readonly expiresIn: number;
}

/**
 * Exchanges a refresh token for its successor and a new access token. A token sent again within the
 * grace period, as by several tabs, gets the same successor. If it is sent later, it was stolen,
 * and its session is revoked. As there is one successor, a thief cannot keep a chain of their own.
 * Throws `REFRESH_TOKEN_INVALID` for every cause.
 */
export async function rotateRefreshToken(
  services: RefreshServices,
  projectId: Id,
  text: string,
): Promise<RenewedTokens> {
  const presented = parseRefreshToken(text);
  if (presented === null) throw new Problem("REFRESH_TOKEN_INVALID");
  const outcome = await services.engine.transaction(
    projectId,
    (tx) => rotate(tx, services, presented),
  );
  if (outcome.kind === "replayed") {
    const { sessionId, userId } = outcome;
    services.sessions.forget(projectId, [sessionId]);
    services.log.write("warn", "A used refresh token was sent again: its session is revoked", {
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
  | Bearer & RolesAndClaims & { readonly kind: "rotated"; readonly refreshToken: string }
  /** A value instead of an error, because the revocation must be committed. */
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
  const isThisToken = and(
    eq("_id", token.id),
    eq("secretHash", secretHash),
    compare("expiresAt", "gt", now),
  );
  const successor = { tokenId: newId(), salt: randomToken() };
  const first = await tokens.updateOne(and(isThisToken, eq("usedAt", null)), {
    set: { usedAt: now, successor },
  });
  if (first !== null) {
    return await issueSuccessor(tx, clock, first.value, deriveSuccessor(successor, token));
  }

  const used = await tokens.get(token.id);
  const isReal = used !== null && equalInConstantTime(used.value.secretHash, secretHash) &&
    used.value.expiresAt > now;
  if (!isReal) throw new Problem("REFRESH_TOKEN_INVALID");
  const graceBegan = new Date(clock.now() - REFRESH_GRACE_MS).toISOString();
  if (used.value.usedAt! < graceBegan) return await revokeFamily(tx, clock, used.value.sessionId);
  // Negated, because tokens of earlier versions lack the count.
  const hasReplaysLeft = not(compare("replays", "gte", REFRESH_REPLAYS_MAX));
  if (
    await tokens.updateOne(and(isThisToken, hasReplaysLeft), { increment: { replays: 1 } }) === null
  ) {
    throw new Problem("REFRESH_TOKEN_INVALID");
  }
  return await findUnusedSuccessor(tx, clock, used.value, token);
}

/** Stores the successor. Throws `REFRESH_TOKEN_INVALID` if the session has ended. */
async function issueSuccessor(
  tx: Transaction,
  clock: Clock,
  { sessionId, sessionEndsAt }: RefreshTokenRecord,
  next: RefreshToken,
): Promise<RotationOutcome> {
  const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
    and(eq("_id", sessionId), activeSessions(clock)),
    { set: { lastUsedAt: timestamp(clock), expiresAt: extendedEnd(clock, sessionEndsAt) } },
  );
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  await storeRefreshToken(tx, clock, { sessionId, sessionEndsAt }, next);
  return await toRotation(tx, session.value, next);
}

/** Returns the first unused later token, for several tabs. Throws `REFRESH_TOKEN_INVALID`. */
async function findUnusedSuccessor(
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
    // Tokens of earlier versions have no stored successor.
    if (!record.successor) break;
    next = deriveSuccessor(record.successor, next);
    const found = await tx.records<RefreshTokenRecord>(REFRESH_TOKENS).get(next.id);
    if (found === null) break;
    if (found.value.usedAt === null) return await toRotation(tx, session.value, next);
    record = found.value;
  }
  throw new Problem("REFRESH_TOKEN_INVALID");
}

/** Throws `REFRESH_TOKEN_INVALID` if the user was deleted. */
async function toRotation(
  tx: Transaction,
  { _id: sessionId, userId }: SessionRecord,
  next: RefreshToken,
): Promise<RotationOutcome> {
  const user = await tx.records<UserRecord>(USERS).get(userId);
  if (user === null) throw new Problem("REFRESH_TOKEN_INVALID");
  const rolesAndClaims = rolesAndClaimsOf(user.value);
  return {
    kind: "rotated",
    refreshToken: formatRefreshToken(next),
    sessionId,
    userId,
    ...rolesAndClaims,
  };
}

/** Revokes the session of a replayed token. Throws `REFRESH_TOKEN_INVALID` if it has ended. */
async function revokeFamily(
  tx: Transaction,
  clock: Clock,
  sessionId: Id,
): Promise<RotationOutcome> {
  const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
    and(eq("_id", sessionId), activeSessions(clock)),
    { set: { revokedAt: timestamp(clock) } },
  );
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  return { kind: "replayed", sessionId, userId: session.value.userId };
}
