import { timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { SESSION_MS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { EXCHANGE_CODES, type ExchangeCodeRecord } from "./exchange_codes.ts";
import { issueRefreshToken } from "./refresh_tokens.ts";
import type { RefreshServices } from "./rotate_refresh_token.ts";
import { activeSessions, type SessionRecord, SESSIONS } from "./sessions.ts";

/** Keeps the code if the access token is wrong. Throws `EXCHANGE_CODE_INVALID` for every cause. */
export async function exchangeCode(
  services: Pick<RefreshServices, "engine" | "clock" | "newId">,
  projectId: Id,
  { code, accessToken }: { code: string; accessToken: string },
): Promise<string> {
  const { engine, clock } = services;
  const now = timestamp(clock);
  return await engine.transaction(projectId, async (tx) => {
    const redeemed = await tx.records<ExchangeCodeRecord>(EXCHANGE_CODES).deleteOne(and(
      eq("codeHash", sha256(code)),
      eq("tokenHash", sha256(accessToken)),
      compare("expiresAt", "gt", now),
    ));
    if (redeemed === null) throw new Problem("EXCHANGE_CODE_INVALID");
    const { sessionId } = redeemed.value;
    const session = await tx.records<SessionRecord>(SESSIONS).updateOne(
      and(eq("_id", sessionId), activeSessions(clock)),
      { set: { lastUsedAt: now } },
    );
    if (session === null) throw new Problem("EXCHANGE_CODE_INVALID");
    const endsAt = Date.parse(session.value.createdAt) + SESSION_MS_MAX;
    const sessionEndsAt = new Date(endsAt).toISOString();
    return await issueRefreshToken(tx, services, { sessionId, sessionEndsAt });
  });
}
