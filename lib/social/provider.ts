import type { AuthorizationServer, IDToken } from "oauth4webapi";
import type { ProviderSettings } from "../projects/providers.ts";
import type { ProviderHttp, ProviderRequest } from "./provider_http.ts";

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
  /** Only of a provider that is a part of this process, and asks whoever signs in who they are. */
  readonly chooser?: Chooser;
}

/** One of the users that may be chosen without typing. */
export interface ChosenUser {
  readonly name: string | null;
  readonly username: string | null;
  readonly email: string;
}

/** What the page needs on which users choose who they are. */
export interface Chooser {
  /** What every project has with the provider, without setting anything. */
  readonly settings: ProviderSettings;
  readonly users: readonly ChosenUser[];
  /** Answers in the place of a server elsewhere. */
  answer(url: string, request: ProviderRequest): Promise<Response>;
  /** Throws `INVALID_QUERY` for what no sign-in of ours sends a browser with. */
  assertBegun(query: URLSearchParams): void;
  /**
   * The callback's address, with a code for the sign-in that was begun with this query.
   * Throws `INVALID_QUERY` and `INVALID_INPUT`.
   */
  choose(query: URLSearchParams, email: string): string;
}
