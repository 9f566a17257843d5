import type { Clock } from "../clock.ts";
import { type NewId, parseId } from "../ids.ts";
import { ACCESS_TOKEN_SECONDS, SESSION_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { memberActor, type ProjectMember } from "../projects/members.ts";
import { OPERATOR } from "../store/changes.ts";
import type { Actor, Engine, Id } from "../store/port.ts";
import type { AccessTokens } from "./access_tokens.ts";
import { NO_DEVICE } from "./device.ts";
import { openSession } from "./open_session.ts";
import { rolesAndClaimsOf } from "./users.ts";

interface IssuingServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly tokens: AccessTokens;
}

export interface IssuedToken {
  readonly accessToken: string;
  /** Seconds until it expires. */
  readonly expiresIn: number;
  readonly sessionId: Id;
}

/** Opens a session. Throws `INVALID_ID`, and `USER_NOT_FOUND` also for a disabled user. */
export async function issueToken(
  services: IssuingServices,
  projectId: Id,
  { userId, seconds }: { userId: string; seconds: number },
): Promise<string> {
  const lifetimeMs = Math.max(SESSION_MS, seconds * 1000);
  const given = { userId, actor: OPERATOR, seconds, lifetimeMs };
  const issued = await issue(services, projectId, given);
  return issued.accessToken;
}

/** Issues a token to test as a user. It cannot be renewed, so its session ends with it. */
export const issueTestToken = (
  services: IssuingServices,
  member: ProjectMember,
  userId: string,
): Promise<IssuedToken> =>
  issue(services, member.project._id, {
    userId,
    actor: memberActor(member),
    seconds: ACCESS_TOKEN_SECONDS,
    lifetimeMs: ACCESS_TOKEN_SECONDS * 1000,
  });

async function issue(
  { engine, clock, newId, tokens }: IssuingServices,
  projectId: Id,
  { userId: idText, actor, seconds, lifetimeMs }: {
    userId: string;
    actor: Actor;
    seconds: number;
    lifetimeMs: number;
  },
): Promise<IssuedToken> {
  const userId = parseId(idText);
  if (userId === null) throw new Problem("INVALID_ID");
  // Generated outside of the transaction, so that a retry opens the same session.
  const sessionId = newId();
  const opening = { clock, newId: () => sessionId };
  const { user } = await engine.transaction(
    projectId,
    (tx) => openSession(tx, opening, { userId, device: NO_DEVICE, actor, lifetimeMs }),
  );
  const bearer = { userId, sessionId, ...rolesAndClaimsOf(user) };
  const accessToken = await tokens.issue(projectId, bearer, seconds);
  return { accessToken, expiresIn: seconds, sessionId };
}
