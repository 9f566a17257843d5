/** What the sign-in providers of the tests share: their visitors, and what they find wrong. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/** An application that is registered with a provider. */
export interface ProviderApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The one address that the provider sends browsers back to, compared as text. */
  readonly callbackUrl: string;
}

/** A provider on a loopback address. Disposing it fails when something was found wrong. */
export interface ProviderFake extends AsyncDisposable {
  readonly url: string;
  /** Every request so far, as `GET /path`. */
  readonly requests: readonly string[];
  /** What the provider was sent that no client of it ever should. */
  readonly complaints: readonly string[];
  /**
   * What the provider turned away since this was last asked, with reasons: what a test provoked.
   * Whatever nobody asked for fails the test at the end.
   */
  takeRefusals(): string[];
  register(app: ProviderApp): void;
  /**
   * Does what the browser of `who` does at an address that it was redirected to. Resolves to where
   * the provider sends it back to.
   */
  approve(address: string | URL, who: string): Promise<URL>;
  /** As {@linkcode approve}, of somebody who says no. */
  deny(address: string | URL): Promise<URL>;
}

/** What a provider found wrong. */
export class Findings {
  readonly complaints: string[] = [];
  #refusals: string[] = [];

  /** Of what no client should ever send. */
  complain(text: string): void {
    this.complaints.push(text);
  }

  /** Of what a provider turns away in its ordinary business. */
  refuse(text: string): void {
    this.#refusals.push(text);
  }

  takeRefusals(): string[] {
    return this.#refusals.splice(0);
  }

  assertNone(provider: string): void {
    assert.deepEqual(this.complaints, [], `${provider} complains`);
    assert.deepEqual(this.#refusals, [], `${provider} refused what nobody expected it to refuse`);
  }
}

/** Why an authorization code was not redeemed, so that tests can tell. */
export type CodeRefusal = "client" | "secret" | "redirect_uri" | "code" | "verifier";

/** What a provider remembers of a code that it issued. */
export interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  /** PKCE, S256. */
  readonly challenge: string;
  readonly nonce: string | null;
  readonly scope: string;
  readonly who: string;
}

/** Applications and the codes that are out: what both providers check alike. */
export class Grants {
  readonly #apps = new Map<string, ProviderApp>();
  readonly #issued = new Map<string, Grant>();

  register(app: ProviderApp): void {
    this.#apps.set(app.clientId, app);
  }

  /** What is wrong with a request to `/authorize`; the first part that a client never may. */
  problemsOf(query: URLSearchParams): { complaint: string | null; refusal: string | null } {
    const challenge = query.get("code_challenge") ?? "";
    const complaint = query.getAll("state").join() === ""
      ? "no state"
      : query.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge)
      ? "no PKCE challenge by S256"
      : query.get("response_type") !== "code"
      ? "response_type is not code"
      : null;
    const app = this.#apps.get(query.get("client_id") ?? "");
    const refusal = app === undefined
      ? "client"
      : query.get("redirect_uri") !== app.callbackUrl
      ? "redirect_uri"
      : null;
    return { complaint, refusal };
  }

  issue(code: string, query: URLSearchParams, who: string): void {
    this.#issued.set(code, {
      clientId: query.get("client_id")!,
      redirectUri: query.get("redirect_uri")!,
      challenge: query.get("code_challenge")!,
      nonce: query.get("nonce"),
      scope: query.get("scope") ?? "",
      who,
    });
  }

  /** Redeems a code once, whatever comes of it. */
  redeem(form: URLSearchParams): Grant | CodeRefusal {
    const code = form.get("code") ?? "";
    const grant = this.#issued.get(code);
    this.#issued.delete(code);
    const app = this.#apps.get(form.get("client_id") ?? "");
    if (app === undefined) return "client";
    if (form.get("client_secret") !== app.clientSecret) return "secret";
    if (grant === undefined || grant.clientId !== app.clientId) return "code";
    if (form.get("redirect_uri") !== grant.redirectUri) return "redirect_uri";
    const verifier = form.get("code_verifier") ?? "";
    return s256(verifier) === grant.challenge ? grant : "verifier";
  }
}

export const s256 = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** What a PKCE verifier may look like. */
export const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text);

/** Instead of a name: the visitor says no. */
const NOBODY = "!";

/** Who signed in at a provider before, by the cookie that it gave; null if nobody did. */
export function visitorOf(cookies: string | null, cookieName: string): string | null {
  for (const cookie of (cookies ?? "").split(/;\s*/)) {
    if (cookie.startsWith(`${cookieName}=`)) {
      return decodeURIComponent(cookie.slice(cookieName.length + 1));
    }
  }
  return null;
}

/** Whether a visitor is one who refuses what he is asked. */
export const saysNo = (who: string): boolean => who === NOBODY;

/** Visits a provider with the cookie of somebody who signed in there before. */
export async function visit(
  address: string | URL,
  cookieName: string,
  who: string | null,
): Promise<URL> {
  const cookie = `${cookieName}=${encodeURIComponent(who ?? NOBODY)}`;
  using client = Deno.createHttpClient({});
  const response = await fetch(address, { headers: { cookie }, redirect: "manual", client });
  const text = await response.text();
  assert.equal(response.status, 302, `The provider does not redirect: ${text}`);
  return new URL(response.headers.get("location")!);
}

/** Where the page of {@linkcode loginPage} sends its form. */
export const LOGIN_PATH = "/session";

/** A page on which a visitor says who he is; afterwards the browser goes on to `next`. */
export function loginPage(provider: string, people: Iterable<string>, next: string): string {
  const escape = (text: string) =>
    text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const buttons = [...people].map((name) =>
    `<button name="who" value="${escape(name)}">Sign in as ${escape(name)}</button>`
  );
  return `<!doctype html><html lang="en"><title>${escape(provider)}</title>
<form method="post" action="${LOGIN_PATH}">
<input type="hidden" name="next" value="${escape(next)}">${buttons.join("\n")}</form></html>`;
}
