import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { EXCHANGE_CODE_MS } from "../limits.ts";
import type { Id, Transaction } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Codes that a page exchanges, with its access token, for a refresh token. */
export const EXCHANGE_CODES = recordKind({
  name: "_exchangeCodes",
  fields: {
    /** SHA-256 of the code, which is not stored. */
    codeHash: field.text,
    /** SHA-256 of the access token that must be sent with the code. */
    tokenHash: field.text,
    sessionId: field.ref,
    userId: field.ref,
    expiresAt: field.date,
  },
  indexes: [{ keys: [{ path: "codeHash", descending: false }], unique: true }],
  trash: false,
  expiry: "expiresAt",
});

export type ExchangeCodeRecord = RecordOf<typeof EXCHANGE_CODES>;

/** Issues a code of 32 random bytes that is valid once, together with the access token. */
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
