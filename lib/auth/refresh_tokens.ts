import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { SESSION_MS } from "../limits.ts";
import type { Id, Transaction } from "../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Salt that gives the successor's secret with the used token, which only its holder has. */
export type Successor = {
  tokenId: Id;
  /** 32 random bytes. */
  salt: string;
};

/** Refresh tokens, each used once. Those of a session are a family and are revoked together. */
export const REFRESH_TOKENS = recordKind({
  name: "_refreshTokens",
  fields: {
    sessionId: field.ref,
    /** SHA-256 of the secret part. The token is not stored. */
    secretHash: field.text,
    /** Time of the first use; null before it. */
    usedAt: nullable(field.date),
    /** Number of uses within the grace period after the first use. */
    replays: field.number,
    /** Latest end of the session, however often it is refreshed. */
    sessionEndsAt: field.date,
    expiresAt: field.date,
    /** The successor from the first use; null before it. */
    successor: field.undeclared<Successor | null>(),
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

export type RefreshTokenRecord = RecordOf<typeof REFRESH_TOKENS>;

/** Format of a token: the id of its record and a secret of 32 random bytes. */
const TOKEN = /^([0-9a-f]{24})\.([A-Za-z0-9_-]{43})$/;

export interface RefreshToken {
  readonly id: Id;
  readonly secret: string;
}

/** Parses a refresh token. Returns null for a malformed one. */
export function parseRefreshToken(text: string): RefreshToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined ? null : { id, secret: secret! };
}

export const formatRefreshToken = ({ id, secret }: RefreshToken): string => `${id}.${secret}`;

export const deriveSuccessor = (
  { tokenId, salt }: Successor,
  { secret }: RefreshToken,
): RefreshToken => ({ id: tokenId, secret: sha256(salt + secret) });

export const extendedEnd = (clock: Clock, sessionEndsAt: string): string =>
  new Date(Math.min(clock.now() + SESSION_MS, Date.parse(sessionEndsAt))).toISOString();

type TokenSession = Pick<RefreshTokenRecord, "sessionId" | "sessionEndsAt">;

/** Issues the first token of a session. */
export async function issueRefreshToken(
  tx: Transaction,
  { clock, newId }: { clock: Clock; newId: NewId },
  session: TokenSession,
): Promise<string> {
  const token = { id: newId(), secret: randomToken() };
  await storeRefreshToken(tx, clock, session, token);
  return formatRefreshToken(token);
}

export async function storeRefreshToken(
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
    expiresAt: extendedEnd(clock, sessionEndsAt),
  });
}
