import { Problem } from "../problems.ts";
import { after, type Soon } from "../soon.ts";
import type { AccessTokens } from "./access_tokens.ts";
import type { KeyDirectory, KeyHolder } from "./api_keys.ts";
import type { Id } from "../store/port.ts";
import type { Caller } from "./principals.ts";

/** What a request says of who sends it. */
export interface Credentials {
  /** The `x-api-key` header. */
  readonly apiKey: string | null;
  /** The `Authorization` header. */
  readonly authorization: string | null;
}

export interface AuthServices {
  readonly keys: KeyDirectory;
  readonly tokens: AccessTokens;
}

/** Whose key this is. Throws `API_KEY_INVALID`: one refusal, whatever is wrong with the key. */
export const holderOf = (
  { keys }: Pick<AuthServices, "keys">,
  { apiKey }: Credentials,
): Soon<KeyHolder> =>
  after(apiKey === null ? null : keys.find(apiKey), (holder) => {
    if (holder === null) throw new Problem("API_KEY_INVALID");
    return holder;
  });

/**
 * The caller behind a valid key. A bearer token sent with a publishable key must be valid, also
 * where none is needed (`ACCESS_TOKEN_INVALID`); with a secret key it is ignored.
 */
export function callerOf(
  services: Pick<AuthServices, "tokens">,
  { kind, projectId }: KeyHolder,
  { authorization }: Credentials,
): Soon<Caller> {
  if (kind === "secret") return { kind, projectId };
  if (authorization === null) return { kind, projectId, userId: null };
  return bearerOf(services, projectId, authorization);
}

function bearerOf(
  { tokens }: Pick<AuthServices, "tokens">,
  projectId: Id,
  authorization: string,
): Soon<Caller> {
  const token = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization);
  return after(token === null ? null : tokens.verify(projectId, token[1]!), (bearer) => {
    if (bearer === null) throw new Problem("ACCESS_TOKEN_INVALID");
    return { kind: "publishable", projectId, userId: bearer.userId };
  });
}
