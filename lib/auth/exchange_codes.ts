import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { EXCHANGE_CODE_MS } from "../limits.ts";
import type { Definition, Id, StoredRecord, Transaction } from "../store/port.ts";

/** What a page exchanges, together with its access token, for a refresh token. */
export type ExchangeCodeRecord = StoredRecord & {
  /** SHA-256 of the code; the code itself is kept nowhere. */
  codeHash: string;
  /** Of the access token that the code goes with. */
  tokenHash: string;
  sessionId: Id;
  userId: Id;
  expiresAt: string;
};

/** In each project's space. */
export const EXCHANGE_CODES: Definition = {
  name: "_exchangeCodes",
  fields: {
    codeHash: { type: "String" },
    tokenHash: { type: "String" },
    sessionId: { type: "Ref" },
    userId: { type: "Ref" },
    expiresAt: { type: "Date" },
  },
  indexes: [{ keys: [{ path: "codeHash", descending: false }], unique: true }],
  trash: false,
  expiry: "expiresAt",
};

/** A fresh code of 32 random bytes, good once and only together with the access token. */
export async function issueExchangeCode(
  tx: Transaction,
  { clock, newId }: { clock: Clock; newId: NewId },
  { sessionId, userId, accessToken }: { sessionId: Id; userId: Id; accessToken: string },
): Promise<string> {
  const code = randomToken();
  await tx.records<ExchangeCodeRecord>(EXCHANGE_CODES).insert({
    _id: newId(),
    codeHash: sha256(code),
    tokenHash: sha256(accessToken),
    sessionId,
    userId,
    expiresAt: new Date(clock.now() + EXCHANGE_CODE_MS).toISOString(),
  });
  return code;
}
