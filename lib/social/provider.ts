import type { AuthorizationServer, IDToken } from "oauth4webapi";
import type { ProviderSettings } from "../projects/providers.ts";
import type { ProviderHttp, ProviderRequest } from "./provider_http.ts";

export interface Profile {
  /** The user's id at the provider, which never changes and is never reused. */
  readonly providerUserId: string;
  /** The address if the provider has verified it; null otherwise. */
  readonly email: string | null;
  readonly name: string | null;
  readonly username: string | null;
  readonly avatarUrl: string | null;
}

export interface Tokens {
  readonly accessToken: string;
  /** Verified claims of the ID token; undefined for a provider without ID tokens. */
  readonly claims: IDToken | undefined;
}

export interface IdTokens {
  /** The only accepted algorithm. */
  readonly algorithm: string;
  /** Verifies the signature of an ID token, after its claims. Throws if it is invalid. */
  checkSignature(server: AuthorizationServer, answer: Response, http: ProviderHttp): Promise<void>;
}

export interface Provider {
  readonly title: string;
  /** Address where OAuth applications are registered. */
  readonly consoleUrl: string;
  /** Requested OAuth scopes, separated by spaces. */
  readonly scope: string;
  /** Null for a provider without ID tokens. With ID tokens a nonce is sent and required. */
  readonly idTokens: IdTokens | null;
  server(http: ProviderHttp): Promise<AuthorizationServer>;
  profile(tokens: Tokens, http: ProviderHttp): Promise<Profile>;
  /** Present only in a provider inside this process on whose page users choose who they are. */
  readonly chooser?: Chooser;
}

export interface SelectableUser {
  readonly name: string | null;
  readonly username: string | null;
  readonly email: string;
}

export interface Chooser {
  /** Settings of the provider for every project. */
  readonly settings: ProviderSettings;
  readonly users: readonly SelectableUser[];
  /** Responds to requests instead of a remote server. */
  answer(url: string, request: ProviderRequest): Promise<Response>;
  /** Throws `INVALID_QUERY` unless the query is of a started sign-in. */
  assertStarted(query: URLSearchParams): void;
  /** Returns the callback's address with a code. Throws `INVALID_QUERY` and `INVALID_INPUT`. */
  choose(query: URLSearchParams, email: string): string;
}
