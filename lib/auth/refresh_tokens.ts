import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { SESSION_MS } from "../limits.ts";
import type { Definition, Id, StoredRecord, Transaction } from "../store/port.ts";

/** One refresh token. It is used once; those of one session are a family, and fall together. */
export type RefreshTokenRecord = StoredRecord & {
  sessionId: Id;
  /** SHA-256 of the secret part; the token itself is kept nowhere. */
  secretHash: string;
  /** When it was first used; null before. */
  usedAt: string | null;
  /** How often it came again within the grace of its first use. */
  siblings: number;
  /** When the session ends, however often it is refreshed. */
  sessionEndsAt: string;
  expiresAt: string;
};

/** In each project's space. */
export const REFRESH_TOKENS: Definition = {
  name: "_refreshTokens",
  fields: {
    sessionId: { type: "Ref" },
    secretHash: { type: "String" },
    usedAt: { type: "Date" },
    siblings: { type: "Number" },
    sessionEndsAt: { type: "Date" },
    expiresAt: { type: "Date" },
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
};

/** What a client holds: the record's id, so that it is found, and a secret of 32 random bytes. */
const TOKEN = /^([0-9a-f]{24})\.([A-Za-z0-9_-]{43})$/;

export interface PresentedToken {
  readonly id: Id;
  readonly secretHash: string;
}

/** Null for what cannot be a refresh token. */
export function parseRefreshToken(text: string): PresentedToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined ? null : { id, secretHash: sha256(secret!) };
}

/** When a session ends that is refreshed now. */
export const slidingEnd = (clock: Clock, sessionEndsAt: string): string =>
  new Date(Math.min(clock.now() + SESSION_MS, Date.parse(sessionEndsAt))).toISOString();

/** A fresh token of a session that stands. */
export async function issueRefreshToken(
  tx: Transaction,
  { clock, newId }: { clock: Clock; newId: NewId },
  { sessionId, sessionEndsAt }: Pick<RefreshTokenRecord, "sessionId" | "sessionEndsAt">,
): Promise<string> {
  const id = newId();
  const secret = randomToken();
  await tx.records<RefreshTokenRecord>(REFRESH_TOKENS).insert({
    _id: id,
    sessionId,
    secretHash: sha256(secret),
    usedAt: null,
    siblings: 0,
    sessionEndsAt,
    expiresAt: slidingEnd(clock, sessionEndsAt),
  });
  return `${id}.${secret}`;
}
