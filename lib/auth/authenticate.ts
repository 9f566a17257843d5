import type { Credentials } from "../http/request.ts";
import { Problem } from "../problems.ts";
import type { AccessTokens, Bearer } from "./access_tokens.ts";
import type { ApiKeyPrincipal, KeyDirectory } from "../projects/api_keys.ts";
import type { Id } from "../store/port.ts";
import type { Caller, SignedInUser } from "./principals.ts";
import { explainRefusedHeader, explainRefusedKey } from "./refused_credentials.ts";

export interface AuthServices {
  readonly keys: KeyDirectory;
  readonly tokens: AccessTokens;
}

/** Finds the project of an API key. Throws `API_KEY_INVALID` with an explanation. */
export async function authenticateKey(
  { keys }: Pick<AuthServices, "keys">,
  credentials: Pick<Credentials, "apiKey"> & Partial<Credentials>,
): Promise<ApiKeyPrincipal> {
  const { apiKey } = credentials;
  const principal = apiKey === null ? null : await keys.find(apiKey);
  if (principal !== null) return principal;
  throw new Problem("API_KEY_INVALID", { message: explainRefusedKey(credentials) });
}

/** Ignores bearer tokens with a secret key; others must be valid. Throws `ACCESS_TOKEN_INVALID`. */
export async function callerOf(
  services: Pick<AuthServices, "tokens">,
  { kind, projectId }: ApiKeyPrincipal,
  { authorization }: Pick<Credentials, "authorization">,
): Promise<Caller> {
  if (kind === "secret") return { kind, projectId };
  if (authorization === null) return { kind, projectId, userId: null };
  const { userId } = await bearerOf(services, projectId, authorization);
  return { kind, projectId, userId };
}

/** Throws `PUBLISHABLE_KEY_REQUIRED`, `ACCESS_TOKEN_REQUIRED` and `ACCESS_TOKEN_INVALID`. */
export async function signedInUserOf(
  services: Pick<AuthServices, "tokens">,
  { kind, projectId }: ApiKeyPrincipal,
  { authorization }: Pick<Credentials, "authorization">,
): Promise<SignedInUser> {
  if (kind === "secret") throw new Problem("PUBLISHABLE_KEY_REQUIRED");
  if (authorization === null) throw new Problem("ACCESS_TOKEN_REQUIRED");
  return { projectId, ...await bearerOf(services, projectId, authorization) };
}

const BEARER = /^Bearer /i;

/** Returns the token of an `Authorization` header, or null without one or with another scheme. */
export const readBearerToken = (authorization: string | null): string | null =>
  authorization !== null && BEARER.test(authorization)
    ? authorization.slice("Bearer ".length)
    : null;

/** Verifies the token of an `Authorization` header. Throws `ACCESS_TOKEN_INVALID`. */
export async function bearerOf(
  { tokens }: Pick<AuthServices, "tokens">,
  projectId: Id,
  authorization: string,
): Promise<Bearer> {
  const token = readBearerToken(authorization);
  if (token === null) {
    throw new Problem("ACCESS_TOKEN_INVALID", { message: explainRefusedHeader(authorization) });
  }
  const bearer = await tokens.verify(projectId, token);
  if (bearer !== null) return bearer;
  throw new Problem("ACCESS_TOKEN_INVALID", { message: tokens.explainRefusal(projectId, token) });
}
