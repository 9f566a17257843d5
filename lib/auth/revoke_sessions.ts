import { type Clock, timestamp } from "../clock.ts";
import { and, eq } from "../store/filter.ts";
import type { Id, Transaction } from "../store/port.ts";
import { activeSessions, type SessionRecord, SESSIONS } from "./sessions.ts";

/** Returns ids that the caller removes from the session directory after the commit. */
export async function revokeSessions(
  tx: Transaction,
  clock: Clock,
  userId: Id,
  exceptId: Id | null = null,
): Promise<Id[]> {
  const sessions = tx.records<SessionRecord>(SESSIONS);
  const filter = and(eq("userId", userId), activeSessions(clock));
  const sort = [{ path: "createdAt", descending: true }];
  const change = { set: { revokedAt: timestamp(clock) } };
  const revoked: Id[] = [];
  for await (const { _id } of sessions.find({ filter, sort })) {
    if (_id === exceptId) continue;
    await sessions.updateOne(eq("_id", _id), change);
    revoked.push(_id);
  }
  return revoked;
}
