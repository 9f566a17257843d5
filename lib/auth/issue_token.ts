import { type Clock, timestamp } from "../clock.ts";
import { type NewId, parseId } from "../ids.ts";
import { SESSION_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Engine, Id } from "../store/port.ts";
import type { AccessTokens } from "./access_tokens.ts";
import { type SessionRecord, SESSIONS } from "./sessions.ts";
import { type UserRecord, USERS } from "./users.ts";

/**
 * Opens a session for a user and issues an access token for it. Throws `INVALID_ID`, and
 * `USER_NOT_FOUND` also for a disabled user.
 */
export async function issueToken(
  services: { engine: Engine; clock: Clock; newId: NewId; tokens: AccessTokens },
  projectId: Id,
  { userId: idText, seconds }: { userId: string; seconds: number },
): Promise<string> {
  const { engine, clock, newId, tokens } = services;
  const userId = parseId(idText);
  if (userId === null) throw new Problem("INVALID_ID");
  const user = await engine.records<UserRecord>(projectId, USERS).get(userId);
  if (user === null || user.value.disabled) throw new Problem("USER_NOT_FOUND");
  const sessionId = newId();
  const lifetime = Math.max(SESSION_MS, seconds * 1000);
  await engine.records<SessionRecord>(projectId, SESSIONS).insert({
    _id: sessionId,
    userId,
    createdAt: timestamp(clock),
    expiresAt: new Date(clock.now() + lifetime).toISOString(),
    revokedAt: null,
  });
  return await tokens.issue(projectId, { userId, sessionId }, seconds);
}
