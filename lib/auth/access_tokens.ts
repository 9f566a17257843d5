import { jwtVerify, SignJWT } from "jose";
import type { Clock } from "../clock.ts";
import { createLru } from "../lru.ts";
import type { Id } from "../store/port.ts";
import { explainRefusedToken } from "./refused_credentials.ts";
import type { SessionDirectory } from "./sessions.ts";
import type { RolesAndClaims } from "./users.ts";
import { KEY_ALGORITHM, type SigningKey, type SigningKeys } from "../projects/signing_keys.ts";

export interface Bearer {
  readonly userId: Id;
  readonly sessionId: Id;
}

interface VerifiedBearer extends Bearer {
  readonly projectId: Id;
  /** Expiry of the token in milliseconds since 1970, including the clock tolerance. */
  readonly expiresAt: number;
}

export interface AccessTokens {
  /** @param seconds Lifetime of the token. */
  issue(projectId: Id, bearer: Bearer & Partial<RolesAndClaims>, seconds: number): Promise<string>;
  /** Returns null unless `token` is a valid token of the project with an active session. */
  verify(projectId: Id, token: string): Promise<Bearer | null>;
  explainRefusal(projectId: Id, token: string): string;
}

const TYPE = "at+jwt";
const CLOCK_TOLERANCE_SECONDS = 5;
const CACHED_TOKENS_MAX = 20_000;

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
  // Signatures are verified once per token; expiry and session are checked at every use.
  const cache = createLru<string, VerifiedBearer>(CACHED_TOKENS_MAX);

  async function verifyClaims(projectId: Id, token: string, key: SigningKey) {
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: [KEY_ALGORITHM],
      issuer: issuer(projectId),
      audience: projectId,
      typ: TYPE,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["sub", "sid", "iat", "exp"],
      currentDate: new Date(clock.now()),
    });
    const { sub, sid, exp, aud } = payload;
    // jose accepts a list of audiences if one of them matches.
    if (aud !== projectId || typeof sub !== "string" || typeof sid !== "string") return null;
    const expiresAt = (exp! + CLOCK_TOLERANCE_SECONDS) * 1000;
    return { projectId, userId: sub, sessionId: sid, expiresAt };
  }

  async function verifyAndCache(projectId: Id, token: string): Promise<VerifiedBearer | null> {
    const key = await signingKeys.find(projectId);
    if (key === null) return null;
    const bearer = await verifyClaims(projectId, token, key).catch(() => null);
    if (bearer !== null) cache.set(token, bearer);
    return bearer;
  }

  async function ifActive(bearer: VerifiedBearer | null): Promise<Bearer | null> {
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
      const rolesAndClaims = {
        ...(roles.length > 0 && { roles }),
        ...(Object.keys(claims).length > 0 && { claims }),
      };
      return await new SignJWT({ sid: sessionId, ...rolesAndClaims })
        .setProtectedHeader({ alg: KEY_ALGORITHM, typ: TYPE, kid: key.kid })
        .setIssuer(issuer(projectId))
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(await key.privateKey());
    },
    verify(projectId, token) {
      const cached = cache.get(token);
      return cached?.projectId === projectId
        ? ifActive(cached)
        : verifyAndCache(projectId, token).then(ifActive);
    },
    explainRefusal: (projectId, token) =>
      explainRefusedToken(token, { projectId, now: clock.now() }),
  };
}
