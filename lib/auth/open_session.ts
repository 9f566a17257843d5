import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { SESSION_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Actor, Id, Transaction } from "../store/port.ts";
import { type Device, type SessionRecord, SESSIONS } from "./sessions.ts";
import { recordUserEvent } from "./user_events.ts";
import { type UserRecord, USERS } from "./users.ts";

interface NewSession {
  readonly userId: Id;
  readonly device: Device;
  /** The actor that signs the user in; the user if omitted. */
  readonly actor?: Actor | undefined;
  /** Milliseconds until the session expires if it is not refreshed. */
  readonly lifetimeMs?: number;
}

/** Writes the user record, to conflict with disabling and deletion. Throws `USER_NOT_FOUND`. */
export async function openSession(
  tx: Transaction,
  { clock, newId }: { clock: Clock; newId: NewId },
  { userId, device, actor, lifetimeMs = SESSION_MS }: NewSession,
): Promise<{ readonly sessionId: Id; readonly user: UserRecord }> {
  const now = timestamp(clock);
  const users = tx.records<UserRecord>(USERS);
  const before = (await users.get(userId))?.value ?? null;
  const user = await users.updateOne(
    and(eq("_id", userId), eq("disabled", false)),
    { set: { lastSignInAt: now } },
  );
  if (user === null) throw new Problem("USER_NOT_FOUND");
  if ((before?.lastSignInAt ?? null) === null) {
    await recordUserEvent(tx, clock, { event: "signedIn", before, after: user.value, actor });
  }
  const sessionId = newId();
  await tx.records<SessionRecord>(SESSIONS).insert({
    _id: sessionId,
    userId,
    ...device,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(Date.parse(now) + lifetimeMs).toISOString(),
    revokedAt: null,
  });
  return { sessionId, user: user.value };
}
