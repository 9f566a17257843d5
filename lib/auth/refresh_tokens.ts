import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { SESSION_MS } from "../limits.ts";
import type { Id, Transaction } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * Lets whoever holds a used token be given its one successor again, and nobody else: neither what is
 * stored nor the used token alone tells the successor's secret.
 */
export type Successor = {
  tokenId: Id;
  /** 32 random bytes. */
  salt: string;
};

/**
 * One refresh token. It is used once; those of one session are a family, and fall together. In
 * each project's space.
 */
export const REFRESH_TOKENS = recordKind({
  name: "_refreshTokens",
  fields: {
    sessionId: field.ref,
    /** SHA-256 of the secret part; the token itself is kept nowhere. */
    secretHash: field.text,
    /** When it was first used; null before. */
    usedAt: nullable(field.date),
    /** How often it came again within the grace of its first use. */
    replays: field.number,
    /** When the session ends, however often it is refreshed. */
    sessionEndsAt: field.date,
    expiresAt: field.date,
    /** What it was traded for at its first use; null before. */
    successor: field.undeclared<Successor | null>(),
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

export type RefreshTokenRecord = RecordOf<typeof REFRESH_TOKENS>;

/** What a client holds: the record's id, so that it is found, and a secret of 32 random bytes. */
const TOKEN = /^([0-9a-f]{24})\.([A-Za-z0-9_-]{43})$/;

export interface RefreshToken {
  readonly id: Id;
  readonly secret: string;
}

/** Null for what cannot be a refresh token. */
export function parseRefreshToken(text: string): RefreshToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined ? null : { id, secret: secret! };
}

export const refreshTokenText = ({ id, secret }: RefreshToken): string => `${id}.${secret}`;

/** What the token that a record is of was traded for. */
export const successorOf = (
  { tokenId, salt }: Successor,
  { secret }: RefreshToken,
): RefreshToken => ({ id: tokenId, secret: sha256(salt + secret) });

/** When a session ends that is refreshed now. */
export const slidingEnd = (clock: Clock, sessionEndsAt: string): string =>
  new Date(Math.min(clock.now() + SESSION_MS, Date.parse(sessionEndsAt))).toISOString();

type TokenSession = Pick<RefreshTokenRecord, "sessionId" | "sessionEndsAt">;

/** The first token of a session that stands. */
export async function issueRefreshToken(
  tx: Transaction,
  { clock, newId }: { clock: Clock; newId: NewId },
  session: TokenSession,
): Promise<string> {
  const token = { id: newId(), secret: randomToken() };
  await keepRefreshToken(tx, clock, session, token);
  return refreshTokenText(token);
}

/** Makes a token known, unused. */
export async function keepRefreshToken(
  tx: Transaction,
  clock: Clock,
  { sessionId, sessionEndsAt }: TokenSession,
  { id, secret }: RefreshToken,
): Promise<void> {
  await tx.records<RefreshTokenRecord>(REFRESH_TOKENS).insert({
    _id: id,
    sessionId,
    secretHash: sha256(secret),
    usedAt: null,
    successor: null,
    replays: 0,
    sessionEndsAt,
    expiresAt: slidingEnd(clock, sessionEndsAt),
  });
}
