import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { notExpiredAt } from "./account_sessions.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "./session_records.ts";

export interface AccountSessionDetails {
  readonly _id: Id;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly userAgent: string | null;
  /** The network from which the session was opened. */
  readonly address: string | null;
  readonly current: boolean;
}

/** Lists valid sessions, newest first; `current` marks the caller's. Throws `INVALID_CURSOR`. */
export async function listAccountSessions(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  { accountId, sessionId }: SignedInAccount,
  request: PageRequest,
): Promise<RecordPage<AccountSessionDetails>> {
  const { items, nextCursor } = await readPage<AccountSessionRecord>(services, {
    space: "control",
    definition: ACCOUNT_SESSIONS,
    filter: eq("accountId", accountId),
    visible: notExpiredAt(services.clock),
  }, request);
  const sessions = items.map((session) => ({
    _id: session._id,
    createdAt: session.createdAt,
    lastUsedAt: session.lastUsedAt,
    expiresAt: session.expiresAt,
    userAgent: session.userAgent,
    address: session.address,
    current: session._id === sessionId,
  }));
  return { items: sessions, nextCursor };
}
