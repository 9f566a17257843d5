import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { ACCESS_TOKEN_SECONDS, SESSION_MS_MAX } from "../limits.ts";
import type { Id, Transaction } from "../store/port.ts";
import type { AccessTokens } from "../auth/access_tokens.ts";
import { openSession } from "../auth/open_session.ts";
import { issueRefreshToken } from "../auth/refresh_tokens.ts";
import type { Device } from "../auth/sessions.ts";
import { rolesAndClaimsOf, type UserRecord } from "../auth/users.ts";

export interface OpenedSession {
  readonly sessionId: Id;
  readonly refreshToken: string;
  readonly user: UserRecord;
}

/** Opens a session with a refresh token. Throws `USER_NOT_FOUND`, also for a disabled user. */
export async function openUserSession(
  tx: Transaction,
  services: { readonly clock: Clock; readonly newId: NewId },
  { userId, device }: { readonly userId: Id; readonly device: Device },
): Promise<OpenedSession> {
  const { sessionId, user } = await openSession(tx, services, { userId, device });
  const endsAt = Date.parse(timestamp(services.clock)) + SESSION_MS_MAX;
  const sessionEndsAt = new Date(endsAt).toISOString();
  const refreshToken = await issueRefreshToken(tx, services, { sessionId, sessionEndsAt });
  return { sessionId, refreshToken, user };
}

export interface UserSession extends OpenedSession {
  readonly accessToken: string;
  /** Seconds until the access token expires. */
  readonly expiresIn: number;
}

/** Issues an access token for a session. Call it after the transaction that opened the session. */
export async function withAccessToken(
  { tokens }: { readonly tokens: AccessTokens },
  projectId: Id,
  opened: OpenedSession,
): Promise<UserSession> {
  const { sessionId, user } = opened;
  const bearer = { userId: user._id, sessionId, ...rolesAndClaimsOf(user) };
  const expiresIn = ACCESS_TOKEN_SECONDS;
  return { ...opened, accessToken: await tokens.issue(projectId, bearer, expiresIn), expiresIn };
}
