import { type Clock, timestamp } from "../clock.ts";
import { and, eq } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Id, Transaction } from "../store/port.ts";
import { type SessionRecord, SESSIONS, standing } from "./sessions.ts";

const PAGE = 500;

/**
 * Ends all sessions of a user. Resolves to their ids: after the commit the caller has the session
 * directory forget them.
 */
export async function revokeSessions(tx: Transaction, clock: Clock, userId: Id): Promise<Id[]> {
  const sessions = tx.records<SessionRecord>(SESSIONS);
  const filter = and(eq("userId", userId), standing(clock));
  const query = { filter, sort: [{ path: "createdAt", descending: true }], limit: PAGE };
  const change = { set: { revokedAt: timestamp(clock) } };
  const revoked: Id[] = [];
  for (let page = await sessions.list(query);;) {
    const from = page.last();
    const found = parseJson(`[${page.items}]`) as SessionRecord[];
    for (const { _id } of found) {
      await sessions.updateOne(eq("_id", _id), change);
      revoked.push(_id);
    }
    if (!page.more || from === null) return revoked;
    page = await sessions.list({ ...query, from });
  }
}
