import { type Clock, timestamp } from "../clock.ts";
import { equalInConstantTime } from "../crypto/hashes.ts";
import type { Log } from "../http/log.ts";
import type { NewId } from "../ids.ts";
import { ACCESS_TOKEN_SECONDS, REFRESH_GRACE_MS, REFRESH_SIBLINGS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import type { AccessTokens, Bearer } from "./access_tokens.ts";
import {
  issueRefreshToken,
  parseRefreshToken,
  type PresentedToken,
  REFRESH_TOKENS,
  type RefreshTokenRecord,
  slidingEnd,
} from "./refresh_tokens.ts";
import { type SessionDirectory, type SessionRecord, SESSIONS, standing } from "./sessions.ts";

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
 * within the grace of its first use gets a successor of its own, so that tabs and lost answers do
 * no harm; one that comes later was stolen, by this caller or by the other: its session ends.
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
  const { refreshToken, sessionId, userId } = outcome;
  const expiresIn = ACCESS_TOKEN_SECONDS;
  const accessToken = await services.tokens.issue(projectId, { userId, sessionId }, expiresIn);
  return { accessToken, refreshToken, expiresIn };
}

type Outcome =
  | Bearer & { readonly kind: "rotated"; readonly refreshToken: string }
  /** To be committed, so it cannot be thrown. */
  | Bearer & { readonly kind: "replayed" };

async function rotate(
  tx: Transaction,
  services: Pick<RefreshServices, "clock" | "newId">,
  { id, secretHash }: PresentedToken,
): Promise<Outcome> {
  const { clock } = services;
  const tokens = tx.records<RefreshTokenRecord>(REFRESH_TOKENS);
  const now = timestamp(clock);
  const mine = and(
    eq("_id", id),
    eq("secretHash", secretHash),
    compare("expiresAt", "gt", now),
  );
  const first = await tokens.updateOne(and(mine, eq("usedAt", null)), { set: { usedAt: now } });
  if (first !== null) return await succeed(tx, services, first.value);

  const used = await tokens.get(id);
  const isReal = used !== null && equalInConstantTime(used.value.secretHash, secretHash) &&
    used.value.expiresAt > now;
  if (!isReal) throw new Problem("REFRESH_TOKEN_INVALID");
  const graceBegan = new Date(clock.now() - REFRESH_GRACE_MS).toISOString();
  if (used.value.usedAt! < graceBegan) return await revoke(tx, clock, used.value.sessionId);
  const sibling = await tokens.updateOne(
    and(mine, compare("siblings", "lt", REFRESH_SIBLINGS_MAX)),
    { increment: { siblings: 1 } },
  );
  if (sibling === null) throw new Problem("REFRESH_TOKEN_INVALID");
  return await succeed(tx, services, sibling.value);
}

/** Throws `REFRESH_TOKEN_INVALID` where the session has ended, and nothing was used then. */
async function succeed(
  tx: Transaction,
  services: Pick<RefreshServices, "clock" | "newId">,
  { sessionId, sessionEndsAt }: RefreshTokenRecord,
): Promise<Outcome> {
  const { clock } = services;
  const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
    and(eq("_id", sessionId), standing(clock)),
    { set: { lastUsedAt: timestamp(clock), expiresAt: slidingEnd(clock, sessionEndsAt) } },
  );
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  const refreshToken = await issueRefreshToken(tx, services, { sessionId, sessionEndsAt });
  return { kind: "rotated", refreshToken, sessionId, userId: session.value.userId };
}

/** Throws `REFRESH_TOKEN_INVALID` where the session has ended before: there is nothing to tell. */
async function revoke(tx: Transaction, clock: Clock, sessionId: Id): Promise<Outcome> {
  const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
    and(eq("_id", sessionId), standing(clock)),
    { set: { revokedAt: timestamp(clock) } },
  );
  if (session === null) throw new Problem("REFRESH_TOKEN_INVALID");
  return { kind: "replayed", sessionId, userId: session.value.userId };
}
