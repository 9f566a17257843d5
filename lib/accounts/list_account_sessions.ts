import type { Clock } from "../clock.ts";
import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { standingAt } from "./account_sessions.ts";
import type { SignedInAccount } from "../projects/account_records.ts";
import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "./session_records.ts";

/** A session as its account sees it. */
export interface ShownAccountSession {
  readonly _id: Id;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly userAgent: string | null;
  /** The network that it was opened from. */
  readonly address: string | null;
  readonly current: boolean;
}

/**
 * The account's sessions that stand, the newest first; `current` marks the one that asks. Throws
 * `INVALID_CURSOR`.
 */
export async function listAccountSessions(
  services: { engine: Engine; clock: Clock; cursors: Cursors },
  { accountId, sessionId }: SignedInAccount,
  request: PageRequest,
): Promise<RecordPage<ShownAccountSession>> {
  const { items, nextCursor } = await readPage<AccountSessionRecord>(services, {
    space: "control",
    definition: ACCOUNT_SESSIONS,
    asked: eq("accountId", accountId),
    present: standingAt(services.clock),
  }, request);
  const shown = items.map((session) => ({
    _id: session._id,
    createdAt: session.createdAt,
    lastUsedAt: session.lastUsedAt,
    expiresAt: session.expiresAt,
    userAgent: session.userAgent,
    address: session.address,
    current: session._id === sessionId,
  }));
  return { items: shown, nextCursor };
}
