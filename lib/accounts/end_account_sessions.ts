import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { deleteAll } from "../store/expiry.ts";
import { standingAt } from "./account_sessions.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "./session_records.ts";

/** Ends the session whose secret this is, if there is one. */
export async function signOutAccount(
  { engine }: { engine: Engine },
  token: string,
): Promise<void> {
  await engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS)
    .deleteOne(eq("tokenHash", sha256(token)));
}

/** Ends one of the account's sessions; false where none of this id stands. */
export async function endAccountSession(
  { engine, clock }: { engine: Engine; clock: Clock },
  { accountId }: SignedInAccount,
  sessionId: Id,
): Promise<boolean> {
  const ended = await engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS)
    .deleteOne(and(eq("_id", sessionId), eq("accountId", accountId), standingAt(clock)));
  return ended !== null;
}

/** Ends all of the account's sessions but the one that asks; resolves to how many. */
export const endOtherAccountSessions = (
  { engine }: { engine: Engine },
  { accountId, sessionId }: SignedInAccount,
): Promise<number> =>
  engine.transaction("control", (tx) => endAccountSessions(tx, accountId, sessionId));

/** Ends the account's sessions, but for one if it is named; resolves to how many. */
export async function endAccountSessions(
  tx: Transaction,
  accountId: Id,
  kept: Id | null = null,
): Promise<number> {
  return await deleteAll(
    tx.records<AccountSessionRecord>(ACCOUNT_SESSIONS),
    and(eq("accountId", accountId), ...(kept === null ? [] : [compare("_id", "ne", kept)])),
  );
}
