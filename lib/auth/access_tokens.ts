import { jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import { after, type Soon } from "../soon.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { Id } from "../store/port.ts";
import type { SessionDirectory } from "./sessions.ts";
import { ALGORITHM, type SigningKey, type SigningKeys } from "./signing_keys.ts";

/** What an access token says of its bearer. */
export interface Bearer {
  readonly userId: Id;
  readonly sessionId: Id;
}

interface CheckedBearer extends Bearer {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Issues and checks a project's access tokens. */
export interface AccessTokens {
  /** @param seconds How long the token lives. */
  issue(projectId: Id, bearer: Bearer, seconds: number): Promise<string>;
  /** Null for anything but a token of this project whose session still stands. */
  verify(projectId: Id, token: string): Soon<Bearer | null>;
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
  const checked = new LRUCache<string, CheckedBearer>({ max: TOKENS_KEPT });

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
    return { userId: sub, sessionId: sid, expiresAt: (exp! + CLOCK_TOLERANCE_SECONDS) * 1000 };
  }

  async function read(projectId: Id, token: string, id: string): Promise<CheckedBearer | null> {
    const key = await signingKeys.find(projectId);
    if (key === null) return null;
    const bearer = await check(projectId, token, key).catch(() => null);
    if (bearer !== null) checked.set(id, bearer);
    return bearer;
  }

  function stillStands(projectId: Id, bearer: CheckedBearer | null): Soon<Bearer | null> {
    if (bearer === null || bearer.expiresAt <= clock.now()) return null;
    return after(
      sessions.stands(projectId, bearer.sessionId, bearer.userId),
      (stands) => stands ? bearer : null,
    );
  }

  return {
    async issue(projectId, { userId, sessionId }, seconds) {
      const key = await signingKeys.find(projectId);
      if (key === null) throw new Error(`The project "${projectId}" has no signing key`);
      const now = Math.floor(clock.now() / 1000);
      return await new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
        .setIssuer(issuer(projectId))
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(await key.privateKey());
    },
    verify(projectId, token) {
      const id = sha256(`${projectId} ${token}`);
      return after(
        checked.get(id) ?? read(projectId, token, id),
        (bearer) => stillStands(projectId, bearer),
      );
    },
  };
}
