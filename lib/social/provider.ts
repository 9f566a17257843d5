import type { AuthorizationServer, IDToken } from "oauth4webapi";
import type { ProviderHttp } from "./provider_http.ts";

/** Whom a provider has signed in. */
export interface Profile {
  /** The provider's own id of the user, which never changes and is never given to another. */
  readonly providerUserId: string;
  /** Only an address that the provider has verified; null without one. */
  readonly email: string | null;
  readonly name: string | null;
  readonly username: string | null;
  readonly avatarUrl: string | null;
}

/** What a provider gave for a code. */
export interface Tokens {
  readonly accessToken: string;
  /** Those of the ID token, checked; undefined of a provider that issues none. */
  readonly claims: IDToken | undefined;
}

/** How a provider's ID tokens are to be checked. */
export interface IdTokens {
  /** The one algorithm that is believed. */
  readonly algorithm: string;
  /**
   * Checks the signature of the ID token in a token endpoint's answer, whose claims were checked.
   * Throws where it does not hold.
   */
  checkSignature(server: AuthorizationServer, answer: Response, http: ProviderHttp): Promise<void>;
}

/** What is a provider's own; everything else is the same for all. */
export interface Provider {
  /** What people call it. */
  readonly title: string;
  /** Where its OAuth applications are set up. */
  readonly consoleUrl: string;
  /** What is asked for. */
  readonly scope: string;
  /** Null for a provider that issues no ID tokens. With them a nonce is sent and demanded. */
  readonly idTokens: IdTokens | null;
  /** Its addresses. */
  server(http: ProviderHttp): Promise<AuthorizationServer>;
  /** Who signed in. */
  profile(tokens: Tokens, http: ProviderHttp): Promise<Profile>;
}
