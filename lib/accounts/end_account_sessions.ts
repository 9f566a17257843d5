import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { deleteAll } from "../store/expiry.ts";
import { notExpiredAt } from "./account_sessions.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "./session_records.ts";

export async function signOutAccount(
  { engine }: { engine: Engine },
  token: string,
): Promise<void> {
  await engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS)
    .deleteOne(eq("tokenHash", sha256(token)));
}

/** Ends one of the account's sessions. Returns false if there is no valid session with this id. */
export async function endAccountSession(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: SignedInAccount,
  sessionId: Id,
): Promise<boolean> {
  const ended = await engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS)
    .deleteOne(and(eq("_id", sessionId), eq("accountId", accountId), notExpiredAt(clock)));
  return ended !== null;
}

/** Ends all of the account's sessions except the caller's. Returns their number. */
export const endOtherAccountSessions = (
  { engine }: { engine: Engine },
  { accountId, sessionId }: SignedInAccount,
): Promise<number> =>
  engine.transaction("control", (tx) => endAccountSessions(tx, accountId, sessionId));

/** Ends the account's sessions. Returns their number. @param exceptId A session to keep. */
export async function endAccountSessions(
  tx: Transaction,
  accountId: Id,
  exceptId: Id | null = null,
): Promise<number> {
  return await deleteAll(
    tx.records<AccountSessionRecord>(ACCOUNT_SESSIONS),
    and(eq("accountId", accountId), ...(exceptId === null ? [] : [compare("_id", "ne", exceptId)])),
  );
}
