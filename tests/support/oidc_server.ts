/**
 * OpenID Connect provider for tests: npm's oauth2-mock-server, which accepts any client, secret and
 * code, behind a front that checks them.
 */

import { HttpServer, JWKStore, OAuth2Issuer, OAuth2Service } from "oauth2-mock-server";
import { EC_KEY, FORGED_CLAIMS, type Forgery, isResigned, resign } from "./forged_id_token.ts";
import {
  authorize,
  Findings,
  type Grant,
  Grants,
  logIn,
  LOGIN_PATH,
  type Mishap,
  mishapAnswer,
  type ProviderFake,
  serveProvider,
  tokenForm,
  visit,
} from "./provider_fake.ts";

export interface OidcPerson {
  /** The permanent identifier, unless a test needs another value. */
  readonly sub: unknown;
  readonly email?: string;
  readonly emailVerified?: unknown;
  readonly name?: string;
  readonly picture?: string;
}

export type OidcEndpoint = "discovery" | "token" | "jwks";

export interface OidcServer extends ProviderFake {
  /** Creates or changes an account. The name is only used to sign in at this provider. */
  join(name: string, person: OidcPerson): void;
  /** Forges all further ID tokens in this way; null restores valid tokens. */
  forge(forgery: Forgery | null): void;
  /** Signs further tokens with a new key and stops publishing the former one. */
  rotateKeys(): Promise<void>;
  jwksRequests(): number;
  /** Makes an endpoint fail until it is called with null. */
  mishap(endpoint: OidcEndpoint, mishap: Mishap | null): void;
}

const COOKIE = "oidc_session";
const TOKEN_SECONDS = 3600;

/** The signing key and another published key. */
class Keys extends JWKStore {
  override toJSON(includePrivateFields?: boolean) {
    return [...super.toJSON(includePrivateFields), EC_KEY.publicJwk];
  }
}

class Issuer extends OAuth2Issuer {
  #keys = new Keys();

  override get keys(): Keys {
    return this.#keys;
  }

  async rotate(): Promise<void> {
    const next = new Keys();
    await next.generate("RS256");
    this.#keys = next;
  }
}

/**
 * Starts the provider on a free port.
 * @param now Clock for the times in its tokens; by default the system clock.
 */
export async function startOidcServer(
  { now = Date.now }: { now?: () => number } = {},
): Promise<OidcServer> {
  const findings = new Findings();
  const grants = new Grants();
  const people = new Map<string, OidcPerson>();
  const redeemed = new Map<string, Grant>();
  const mishaps = new Map<OidcEndpoint, Mishap>();
  const closing = new AbortController();
  const issued: string[] = [];
  let forgery: Forgery | null = null;

  const issuer = new Issuer();
  await issuer.rotate();
  const service = new OAuth2Service(issuer);
  const inner = new HttpServer(service.requestHandler);
  await inner.start(0, "127.0.0.1");
  const innerUrl = `http://127.0.0.1:${inner.address().port}`;
  const http = Deno.createHttpClient({});

  service.on("beforeWellKnownOpenIdConfiguration", ({ body }) => {
    body.token_endpoint_auth_methods_supported = ["client_secret_post"];
    body.code_challenge_methods_supported = ["S256"];
    body.authorization_response_iss_parameter_supported = false;
  });
  service.on("beforeTokenSigning", ({ header, payload }, request) => {
    const seconds = Math.floor(now() / 1000);
    Object.assign(payload, { iat: seconds, exp: seconds + TOKEN_SECONDS });
    delete payload.nbf;
    // The hook runs for each token, and only the access token has this member.
    if ("amr" in payload) return;
    const { sub, emailVerified, ...claims } = people.get(redeemed.get(request.body.code)!.who)!;
    const verified = emailVerified === undefined ? {} : { email_verified: emailVerified };
    Object.assign(payload, { sub, ...claims, ...verified });
    if (forgery !== null) FORGED_CLAIMS[forgery]?.({ header, payload });
  });
  service.on("beforeResponse", ({ body }) => {
    if (isResigned(forgery)) {
      body.id_token = resign(forgery, body.id_token, issuer.keys.toJSON()[0]!, issued);
    }
    issued.push(body.id_token);
  });

  /** Forwards a request to the inner server. Applies the endpoint's mishap to the response. */
  async function pass(
    endpoint: OidcEndpoint,
    request: Request,
    body: BodyInit | null = null,
  ): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    const { method } = request;
    const answer = await fetch(`${innerUrl}${pathname}${search}`, {
      method,
      headers,
      body,
      client: http,
    });
    const text = await answer.text();
    const mishap = mishaps.get(endpoint);
    if (mishap === "error") {
      return Response.json({ error: "temporarily_unavailable" }, { status: 400 });
    }
    if (mishap !== undefined) return await mishapAnswer(mishap, JSON.parse(text), closing.signal);
    const { status } = answer;
    return new Response(text, {
      status,
      headers: { "content-type": answer.headers.get("content-type")! },
    });
  }

  async function issueTokens(request: Request): Promise<Response> {
    const form = await tokenForm(request);
    if (typeof form === "string") return findings.complain(form);
    if (form.get("grant_type") !== "authorization_code") {
      return findings.complain("token: grant_type is not authorization_code");
    }
    const grant = grants.redeem(form);
    if (typeof grant === "string") {
      findings.refuse(`token: ${grant}`);
      const isClient = grant === "client" || grant === "secret";
      const error = isClient ? "invalid_client" : "invalid_grant";
      return Response.json({ error }, { status: isClient ? 401 : 400 });
    }
    redeemed.set(form.get("code")!, grant);
    return await pass("token", request, form);
  }

  /** The inner server assigns the nonce and the challenge to the code that it issues here. */
  async function agree(_who: string, { search }: URL): Promise<string> {
    const answer = await fetch(`${innerUrl}/authorize${search}`, {
      redirect: "manual",
      client: http,
    });
    await answer.body?.cancel();
    return new URL(answer.headers.get("location")!).searchParams.get("code")!;
  }

  const asked = authorize({
    provider: "OpenID Connect",
    cookieName: COOKIE,
    people,
    grants,
    findings,
    agree,
  });
  const served = serveProvider(findings, {
    "GET /.well-known/openid-configuration": (request) => pass("discovery", request),
    "GET /jwks": (request) => pass("jwks", request),
    "GET /authorize": (request, url) => {
      if (!url.searchParams.get("nonce")) return findings.complain("authorize: no nonce");
      const scopes = (url.searchParams.get("scope") ?? "").split(" ");
      if (!scopes.includes("openid")) return findings.complain("authorize: the scope lacks openid");
      return asked(request, url);
    },
    [`POST ${LOGIN_PATH}`]: logIn(COOKIE),
    "POST /token": issueTokens,
  });
  issuer.url = served.url;

  return {
    url: served.url,
    requests: served.requests,
    complaints: findings.complaints,
    takeRefusals: () => findings.takeRefusals(),
    register: (app) => grants.register(app),
    approve: (address, who) => visit(address, COOKIE, who),
    deny: (address) => visit(address, COOKIE, null),
    join: (name, person) => void people.set(name, person),
    forge: (next) => void (forgery = next),
    rotateKeys: () => issuer.rotate(),
    jwksRequests: () => served.requests.filter((request) => request === "GET /jwks").length,
    mishap(endpoint, mishap) {
      if (mishap === null) mishaps.delete(endpoint);
      else mishaps.set(endpoint, mishap);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await served[Symbol.asyncDispose]();
      http.close();
      await inner.stop();
      findings.assertNone("OpenID Connect");
    },
  };
}
