import assert from "node:assert/strict";
import { createHash } from "node:crypto";

export interface ProviderApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The only address to which the provider redirects browsers, compared as text. */
  readonly callbackUrl: string;
}

/** A provider on a loopback address. Disposing it fails if it has findings. */
export interface ProviderFake extends AsyncDisposable {
  readonly url: string;
  /** Every request so far, such as `GET /path`. */
  readonly requests: readonly string[];
  /** Requests that no client should ever send. */
  readonly complaints: readonly string[];
  /**
   * Returns and removes the refusals so far, with their reasons. A test takes those that it
   * provokes; refusals that are left when the provider is disposed fail the test.
   */
  takeRefusals(): string[];
  register(app: ProviderApp): void;
  /** Visits an address as the browser of `who`, who agrees. Resolves to the redirect. */
  approve(address: string | URL, who: string): Promise<URL>;
  /** Visits an address as the browser of a person who denies access. */
  deny(address: string | URL): Promise<URL>;
}

export class Findings {
  readonly complaints: string[] = [];
  #refusals: string[] = [];

  /** Records a request that no client should ever send. Returns the response to it. */
  complain(text: string): Response {
    this.complaints.push(text);
    return new Response(text, { status: 500 });
  }

  /** Records a refusal that is part of the provider's normal operation. */
  refuse(text: string): void {
    this.#refusals.push(text);
  }

  takeRefusals(): string[] {
    return this.#refusals.splice(0);
  }

  assertNone(provider: string): void {
    assert.deepEqual(this.complaints, [], `${provider} complains`);
    assert.deepEqual(this.#refusals, [], `${provider} has refusals that the test did not take`);
  }
}

export type CodeRefusal = "client" | "secret" | "redirect_uri" | "code" | "verifier";

export interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string | null;
  readonly scope: string;
  readonly who: string;
}

/** Registered applications and issued codes, which all fakes check in the same way. */
export class Grants {
  readonly #apps = new Map<string, ProviderApp>();
  readonly #issued = new Map<string, Grant>();

  register(app: ProviderApp): void {
    this.#apps.set(app.clientId, app);
  }

  /** Checks a request to `/authorize`. `complaint` is an error that no client may make. */
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

  /** Redeems a code. The code is used up even if the exchange fails. */
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

/**
 * Failure of an endpoint. `error`: an error in the provider's own format. `form`: not JSON.
 * `silent`: no response. `stalling`: a response without an end. `broken`: truncated JSON. `down`:
 * 503 with a page.
 */
export type Mishap = "error" | "form" | "silent" | "stalling" | "broken" | "down";

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/**
 * Returns the response of a mishap other than `error`.
 * @param signal Ends responses that have no end.
 */
export function mishapAnswer(
  mishap: Exclude<Mishap, "error">,
  body: unknown,
  signal: AbortSignal,
): Response | Promise<Response> {
  switch (mishap) {
    case "form":
      return new Response(new URLSearchParams(body as Record<string, string>));
    case "broken":
      return new Response(JSON.stringify(body).slice(0, -1), { headers: JSON_TYPE });
    case "down":
      return page("<h1>No server is currently available</h1>", 503);
    case "stalling":
      return new Response(stalledBody(signal), { headers: JSON_TYPE });
    case "silent":
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(new Response(null)));
      });
  }
}

/** Returns a body that begins, and ends only on the signal. */
function stalledBody(signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("{"));
      closeAt(signal, controller);
    },
  });
}

/** Closes a body without an end on the signal. */
export function closeAt(
  signal: AbortSignal,
  controller: ReadableStreamDefaultController<Uint8Array>,
): void {
  signal.addEventListener("abort", () => {
    try {
      controller.close();
    } catch {
      // The client has already cancelled the body.
    }
  });
}

export const page = (html: string, status = 200): Response =>
  new Response(html, { status, headers: { "content-type": "text/html; charset=utf-8" } });

export const redirect = (location: string | URL, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 302, headers: { ...headers, location: String(location) } });

export type Handler = (request: Request, url: URL) => Response | Promise<Response>;

export interface ProviderServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: string[];
}

/** Serves handlers by names such as `GET /path` on a free port. Other requests are complaints. */
export function serveProvider(
  findings: Findings,
  handlers: Readonly<Record<string, Handler>>,
): ProviderServer {
  const requests: string[] = [];
  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen() {},
      onError: (error) => findings.complain(String(error)),
    },
    (request) => {
      const url = new URL(request.url);
      const name = `${request.method} ${url.pathname}`;
      if (name === "GET /favicon.ico") return new Response(null, { status: 204 });
      requests.push(name);
      return handlers[name]?.(request, url) ?? findings.complain(`${name} does not exist`);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Stored instead of a name for a visitor who denies access. */
const DENIED = "!";

/** Visits a provider with the cookie of a person who signed in there before; null denies access. */
export async function visit(
  address: string | URL,
  cookieName: string,
  who: string | null,
): Promise<URL> {
  const cookie = `${cookieName}=${encodeURIComponent(who ?? DENIED)}`;
  using client = Deno.createHttpClient({});
  const response = await fetch(address, { headers: { cookie }, redirect: "manual", client });
  const text = await response.text();
  assert.equal(response.status, 302, `The provider does not redirect: ${text}`);
  return new URL(response.headers.get("location")!);
}

/** Path of the sign-in form. */
export const LOGIN_PATH = "/session";

/** Stores the chosen name in a cookie and redirects to the next address. */
export const logIn = (cookieName: string): Handler => async (request) => {
  const form = new URLSearchParams(await request.text());
  const cookie = `${cookieName}=${encodeURIComponent(form.get("who")!)}; Path=/; HttpOnly`;
  return redirect(form.get("next")!, { "set-cookie": cookie });
};

/** Handles the authorization endpoint: a sign-in page, or the code from `agree`. */
export const authorize = (
  { provider, cookieName, people, grants, findings, agree }: {
    readonly provider: string;
    readonly cookieName: string;
    readonly people: ReadonlyMap<string, unknown>;
    readonly grants: Grants;
    readonly findings: Findings;
    readonly agree: (who: string, url: URL) => string | Promise<string>;
  },
): Handler =>
async (request, url) => {
  const { complaint, refusal } = grants.problemsOf(url.searchParams);
  if (complaint !== null) return findings.complain(`authorize: ${complaint} in ${url.search}`);
  if (refusal !== null) {
    findings.refuse(`authorize: ${refusal}`);
    return page(`<h1>The ${refusal} is not known.</h1>`, 404);
  }
  const who = visitorOf(request.headers.get("cookie"), cookieName);
  if (who === null) {
    return page(loginPage(provider, people.keys(), `${url.pathname}${url.search}`));
  }
  const back = new URL(url.searchParams.get("redirect_uri")!);
  back.searchParams.set("state", url.searchParams.get("state")!);
  if (who === DENIED) {
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "The user has denied your application access.");
    return redirect(back);
  }
  if (!people.has(who)) throw new Error(`${provider} has no account of ${who}`);
  const code = await agree(who, url);
  grants.issue(code, url.searchParams, who);
  back.searchParams.set("code", code);
  return redirect(back);
};

/** Returns the form of a valid token request, or a text that says what is wrong with it. */
export async function tokenForm(request: Request): Promise<URLSearchParams | string> {
  const text = await request.text();
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return `token: a body of ${type}`;
  if (!accepts(request, "application/json")) return "token: Accept is not JSON";
  const form = new URLSearchParams(text);
  for (const name of ["client_id", "client_secret", "code", "redirect_uri", "code_verifier"]) {
    if (form.getAll(name).length !== 1) return `token: ${name} does not occur exactly once`;
  }
  const isVerifier = /^[\w.~-]{43,128}$/.test(form.get("code_verifier")!);
  return isVerifier ? form : "token: no PKCE verifier";
}

export const accepts = (request: Request, type: string): boolean =>
  (request.headers.get("accept") ?? "").split(",")
    .some((one) => one.split(";")[0]!.trim() === type);

function visitorOf(cookies: string | null, cookieName: string): string | null {
  for (const cookie of (cookies ?? "").split(/;\s*/)) {
    if (cookie.startsWith(`${cookieName}=`)) {
      return decodeURIComponent(cookie.slice(cookieName.length + 1));
    }
  }
  return null;
}

function loginPage(provider: string, people: Iterable<string>, next: string): string {
  const escape = (text: string) =>
    text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const buttons = [...people].map((name) =>
    `<button name="who" value="${escape(name)}">Sign in as ${escape(name)}</button>`
  );
  return `<!doctype html><html lang="en"><title>${escape(provider)}</title>
<form method="post" action="${LOGIN_PATH}">
<input type="hidden" name="next" value="${escape(next)}">${buttons.join("\n")}</form></html>`;
}
