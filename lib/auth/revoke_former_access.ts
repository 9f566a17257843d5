import type { Clock } from "../clock.ts";
import { dropCodes } from "../credentials/codes.ts";
import { deleteAll } from "../store/expiry.ts";
import { eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import { IDENTITIES } from "./identities.ts";
import { revokeSessions } from "./revoke_sessions.ts";
import type { UserRecord } from "./users.ts";

/**
 * Removes what another person may have set before the e-mail was verified: sessions, links, codes.
 * The caller replaces the password and removes the returned sessions from the directory.
 */
export async function revokeFormerAccess(
  tx: Transaction,
  { projectId, clock }: { readonly projectId: Id; readonly clock: Clock },
  user: UserRecord,
): Promise<Id[]> {
  const revoked = await revokeSessions(tx, clock, user._id);
  await deleteAll(tx.records(IDENTITIES), eq("userId", user._id));
  await dropCodes(tx, projectId, user);
  return revoked;
}
