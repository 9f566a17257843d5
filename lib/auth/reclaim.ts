import type { Clock } from "../clock.ts";
import { dropCodes } from "../credentials/codes.ts";
import { deleteAll } from "../store/expiry.ts";
import { eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import { IDENTITIES } from "./identities.ts";
import { revokeSessions } from "./revoke_sessions.ts";
import type { UserRecord } from "./users.ts";

/**
 * Drops all former ways into a user whose e-mail has only now been proved, because somebody else may
 * have made the account in waiting for its owner: sessions, links to providers and codes. The caller
 * replaces the password. Resolves to the sessions that ended, for the session directory to forget.
 */
export async function reclaim(
  tx: Transaction,
  { projectId, clock }: { readonly projectId: Id; readonly clock: Clock },
  user: UserRecord,
): Promise<Id[]> {
  const revoked = await revokeSessions(tx, clock, user._id);
  await deleteAll(tx.records(IDENTITIES), eq("userId", user._id));
  await dropCodes(tx, projectId, user);
  return revoked;
}
