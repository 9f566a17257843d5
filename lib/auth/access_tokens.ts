import { jwtVerify, SignJWT } from "jose";
import type { Clock } from "../clock.ts";
import { createLru } from "../lru.ts";
import type { Id } from "../store/port.ts";
import { whyTokenIsRefused } from "./refused_credentials.ts";
import type { SessionDirectory } from "./sessions.ts";
import type { UserMarks } from "./users.ts";
import { ALGORITHM, type SigningKey, type SigningKeys } from "../projects/signing_keys.ts";

/** What an access token says of its bearer. */
export interface Bearer {
  readonly userId: Id;
  readonly sessionId: Id;
}

interface CheckedBearer extends Bearer {
  readonly projectId: Id;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Issues and checks a project's access tokens. */
export interface AccessTokens {
  /** @param seconds How long the token lives. */
  issue(projectId: Id, bearer: Bearer & Partial<UserMarks>, seconds: number): Promise<string>;
  /** Null for anything but a token of this project whose session still stands. */
  verify(projectId: Id, token: string): Promise<Bearer | null>;
  /** What to say of a token that was not valid. */
  whyRefused(projectId: Id, token: string): string;
}

const TYPE = "at+jwt";
const CLOCK_TOLERANCE_SECONDS = 5;
const TOKENS_KEPT = 20_000;

export function createAccessTokens(
  services: {
    clock: Clock;
    publicUrl: string;
    signingKeys: SigningKeys;
    sessions: SessionDirectory;
  },
): AccessTokens {
  const { clock, publicUrl, signingKeys, sessions } = services;
  const issuer = (projectId: Id) => `${publicUrl}/api/projects/${projectId}`;
  // Signatures are checked once per token; expiry and session are checked on every use.
  const checked = createLru<string, CheckedBearer>(TOKENS_KEPT);

  async function check(projectId: Id, token: string, key: SigningKey) {
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: [ALGORITHM],
      issuer: issuer(projectId),
      audience: projectId,
      typ: TYPE,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["sub", "sid", "iat", "exp"],
      currentDate: new Date(clock.now()),
    });
    const { sub, sid, exp, aud } = payload;
    // A list of audiences passes jose's check if one of them is right.
    if (aud !== projectId || typeof sub !== "string" || typeof sid !== "string") return null;
    const expiresAt = (exp! + CLOCK_TOLERANCE_SECONDS) * 1000;
    return { projectId, userId: sub, sessionId: sid, expiresAt };
  }

  async function read(projectId: Id, token: string): Promise<CheckedBearer | null> {
    const key = await signingKeys.find(projectId);
    if (key === null) return null;
    const bearer = await check(projectId, token, key).catch(() => null);
    if (bearer !== null) checked.set(token, bearer);
    return bearer;
  }

  async function ifActive(bearer: CheckedBearer | null): Promise<Bearer | null> {
    if (bearer === null || bearer.expiresAt <= clock.now()) return null;
    const { projectId, sessionId, userId } = bearer;
    const isActive = await sessions.isActive(projectId, sessionId, userId);
    return isActive ? { userId, sessionId } : null;
  }

  return {
    async issue(projectId, { userId, sessionId, roles = [], claims = {} }, seconds) {
      const key = await signingKeys.find(projectId);
      if (key === null) throw new Error(`The project "${projectId}" has no signing key`);
      const now = Math.floor(clock.now() / 1000);
      const marks = {
        ...(roles.length > 0 && { roles }),
        ...(Object.keys(claims).length > 0 && { claims }),
      };
      return await new SignJWT({ sid: sessionId, ...marks })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
        .setIssuer(issuer(projectId))
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(await key.privateKey());
    },
    verify(projectId, token) {
      const known = checked.get(token);
      return known?.projectId === projectId
        ? ifActive(known)
        : read(projectId, token).then(ifActive);
    },
    whyRefused: (projectId, token) => whyTokenIsRefused(token, { projectId, now: clock.now() }),
  };
}
