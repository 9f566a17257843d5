import type { Clock } from "../clock.ts";
import { type NewId, parseId } from "../ids.ts";
import { SESSION_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Engine, Id } from "../store/port.ts";
import type { AccessTokens } from "./access_tokens.ts";
import { NO_DEVICE } from "./device.ts";
import { openSession } from "./open_session.ts";
import { marksOf } from "./users.ts";

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
  const lifetimeMs = Math.max(SESSION_MS, seconds * 1000);
  // Drawn before, so that a transaction which has to begin anew opens the same one.
  const sessionId = newId();
  const opening = { clock, newId: () => sessionId };
  const { user } = await engine.transaction(
    projectId,
    (tx) => openSession(tx, opening, { userId, device: NO_DEVICE, lifetimeMs }),
  );
  return await tokens.issue(projectId, { userId, sessionId, ...marksOf(user) }, seconds);
}
