/**
 * GitHub, as far as a sign-in needs it: a server that checks everything that it is sent and answers
 * as GitHub does, errors with status 200 included.
 */

import {
  type CodeRefusal,
  Findings,
  Grants,
  isVerifier,
  LOGIN_PATH,
  loginPage,
  type ProviderFake,
  saysNo,
  visit,
  visitorOf,
} from "./provider_fake.ts";

export interface GithubEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

/** Somebody with an account. */
export interface GithubPerson {
  /** A name that can be changed and then taken by somebody else: never an identity. */
  readonly login: string;
  /** A number, and for ever the same, unless a test has it otherwise. */
  readonly id: unknown;
  readonly name?: string | null;
  readonly avatarUrl?: string;
  /** What the account shows to everybody, which proves nothing. */
  readonly publicEmail?: string | null;
  readonly emails?: readonly GithubEmail[];
}

/**
 * What can go wrong at an endpoint. `error`: status 200 with an error. `form`: not JSON but GitHub's
 * own default. `silent`: never an answer. `stalling`: a head without an end. `broken`: JSON that is
 * cut off. `down`: 503 with a page.
 */
export type Mishap = "error" | "form" | "silent" | "stalling" | "broken" | "down";

export type GithubEndpoint = "token" | "user" | "emails";

export interface GithubFake extends ProviderFake {
  /** The API is not at the same place, as with GitHub Enterprise. */
  readonly apiUrl: string;
  /** Opens an account, or changes the one with this login. */
  join(person: GithubPerson): void;
  /** Makes an endpoint fail until it is told otherwise by null. */
  mishap(endpoint: GithubEndpoint, mishap: Mishap | null): void;
}

const COOKIE = "github_session";
const API_PATH = "/api/v3";

/** GitHub's own words. */
const REFUSED: Record<CodeRefusal, { error: string; error_description: string }> = {
  client: {
    error: "incorrect_client_credentials",
    error_description: "The client_id and/or client_secret passed are incorrect.",
  },
  secret: {
    error: "incorrect_client_credentials",
    error_description: "The client_id and/or client_secret passed are incorrect.",
  },
  redirect_uri: {
    error: "redirect_uri_mismatch",
    error_description: "The redirect_uri MUST match the registered callback URL.",
  },
  code: {
    error: "bad_verification_code",
    error_description: "The code passed is incorrect or expired.",
  },
  verifier: {
    error: "bad_verification_code",
    error_description: "The code passed is incorrect or expired.",
  },
};

const page = (html: string, status = 200): Response =>
  new Response(html, { status, headers: { "content-type": "text/html; charset=utf-8" } });

const redirect = (location: string | URL, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 302, headers: { ...headers, location: String(location) } });

/** An e-mail address of somebody as GitHub has it for most. */
export const verifiedEmail = (email: string): GithubEmail[] => [
  { email, primary: true, verified: true },
];

/** Starts GitHub on a free port. */
export function startGithubFake(): GithubFake {
  const findings = new Findings();
  const grants = new Grants();
  const people = new Map<string, GithubPerson>();
  const tokens = new Map<string, { login: string; scope: string }>();
  const mishaps = new Map<GithubEndpoint, Mishap>();
  const requests: string[] = [];
  const closing = new AbortController();

  /** An answer of an endpoint, or what a mishap makes of it. */
  function answer(endpoint: GithubEndpoint, body: unknown): Response | Promise<Response> {
    const json = { "content-type": "application/json; charset=utf-8" };
    switch (mishaps.get(endpoint)) {
      case undefined:
        return Response.json(body);
      case "error":
        return Response.json({ error: "server_error", error_description: "Try again later." });
      case "form":
        return new Response(new URLSearchParams(body as Record<string, string>));
      case "broken":
        return new Response(JSON.stringify(body).slice(0, -1), { headers: json });
      case "down":
        return page("<h1>No server is currently available</h1>", 503);
      case "stalling":
        return new Response(stalled(closing.signal), { headers: json });
      case "silent":
        return new Promise((resolve) => {
          closing.signal.addEventListener("abort", () => resolve(new Response(null)));
        });
    }
  }

  function complain(text: string): Response {
    findings.complain(text);
    return new Response(text, { status: 500 });
  }

  function authorize(request: Request, url: URL): Response {
    const { complaint, refusal } = grants.problemsOf(url.searchParams);
    if (complaint !== null) return complain(`${complaint}: ${url.search}`);
    if (refusal !== null) {
      findings.refuse(`authorize: ${refusal}`);
      return page(`<h1>The ${refusal} is not known.</h1>`, 404);
    }
    const who = visitorOf(request.headers.get("cookie"), COOKIE);
    if (who === null) {
      return page(loginPage("GitHub", people.keys(), `${url.pathname}${url.search}`));
    }
    const back = new URL(url.searchParams.get("redirect_uri")!);
    back.searchParams.set("state", url.searchParams.get("state")!);
    if (saysNo(who)) {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "The user has denied your application access.");
      return redirect(back);
    }
    if (!people.has(who)) throw new Error(`Nobody at GitHub is called ${who}`);
    const code = crypto.getRandomValues(new Uint8Array(10)).toHex();
    grants.issue(code, url.searchParams, who);
    back.searchParams.set("code", code);
    return redirect(back);
  }

  async function logIn(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const cookie = `${COOKIE}=${encodeURIComponent(form.get("who")!)}; Path=/; HttpOnly`;
    return redirect(form.get("next")!, { "set-cookie": cookie });
  }

  async function issueToken(request: Request): Promise<Response> {
    const text = await request.text();
    const type = request.headers.get("content-type") ?? "";
    if (!type.startsWith("application/x-www-form-urlencoded")) return complain(`token: ${type}`);
    if (!accepts(request, "application/json")) return complain("token: Accept is not JSON");
    const form = new URLSearchParams(text);
    for (const name of ["client_id", "client_secret", "code", "redirect_uri", "code_verifier"]) {
      if (form.getAll(name).length !== 1) return complain(`token: ${name} is not there once`);
    }
    if (!isVerifier(form.get("code_verifier")!)) return complain("token: no PKCE verifier");
    const grant = grants.redeem(form);
    if (typeof grant === "string") {
      findings.refuse(`token: ${grant}`);
      return Response.json(REFUSED[grant]);
    }
    const token = `gho_${crypto.getRandomValues(new Uint8Array(18)).toHex()}`;
    tokens.set(token, { login: grant.who, scope: grant.scope });
    return await answer("token", { access_token: token, token_type: "bearer", scope: grant.scope });
  }

  function api(request: Request, endpoint: "user" | "emails"): Response | Promise<Response> {
    if (!accepts(request, "application/vnd.github+json")) {
      return complain(`${endpoint}: Accept is not GitHub's`);
    }
    const [, token] =
      /^(?:bearer|token) (\S+)$/i.exec(request.headers.get("authorization") ?? "") ??
        [];
    const known = tokens.get(token ?? "");
    if (known === undefined) return complain(`${endpoint}: no token that was issued`);
    const scopes = known.scope.split(/[\s,]+/);
    if (endpoint === "emails" && !scopes.some((scope) => ["user", "user:email"].includes(scope))) {
      return complain(`emails: the scope "${known.scope}" does not let them be seen`);
    }
    const person = people.get(known.login)!;
    return answer(endpoint, endpoint === "emails" ? emailsOf(person) : profileOf(person));
  }

  const handlers: Record<string, (request: Request, url: URL) => Response | Promise<Response>> = {
    "GET /login/oauth/authorize": authorize,
    [`POST ${LOGIN_PATH}`]: logIn,
    "POST /login/oauth/access_token": issueToken,
    [`GET ${API_PATH}/user`]: (request) => api(request, "user"),
    [`GET ${API_PATH}/user/emails`]: (request) => api(request, "emails"),
    // Browsers ask for it by themselves.
    "GET /favicon.ico": () => new Response(null, { status: 204 }),
  };

  const server = Deno.serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      onListen() {},
      onError: (error) => complain(String(error)),
    },
    (request) => {
      const url = new URL(request.url);
      const name = `${request.method} ${url.pathname}`;
      requests.push(name);
      // Without it GitHub answers 403 to everything.
      if (!request.headers.get("user-agent")) return complain(`${name}: no User-Agent`);
      const handle = handlers[name];
      return handle === undefined ? complain(`${name} does not exist`) : handle(request, url);
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;

  return {
    url,
    apiUrl: `${url}${API_PATH}`,
    requests,
    complaints: findings.complaints,
    takeRefusals: () => findings.takeRefusals(),
    register: (app) => grants.register(app),
    approve: (address, who) => visit(address, COOKIE, who),
    deny: (address) => visit(address, COOKIE, null),
    join: (person) => void people.set(person.login, person),
    mishap(endpoint, mishap) {
      if (mishap === null) mishaps.delete(endpoint);
      else mishaps.set(endpoint, mishap);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await server.shutdown();
      findings.assertNone("GitHub");
    },
  };
}

const accepts = (request: Request, type: string): boolean =>
  (request.headers.get("accept") ?? "").split(",").some((one) =>
    one.split(";")[0]!.trim() === type
  );

const profileOf = ({ login, id, name = null, publicEmail = null, avatarUrl }: GithubPerson) => ({
  login,
  id,
  node_id: `U_${login}`,
  avatar_url: avatarUrl ?? `https://avatars.example/${login}`,
  type: "User",
  name,
  email: publicEmail,
  created_at: "2011-01-25T18:44:36Z",
});

const emailsOf = ({ emails = [] }: GithubPerson) =>
  emails.map((email) => ({ ...email, visibility: email.primary ? "private" : null }));

/** A body that begins and never ends, until all ends. */
function stalled(signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("{"));
      signal.addEventListener("abort", () => {
        try {
          controller.close();
        } catch {
          // Nobody waited for it to the end.
        }
      });
    },
  });
}
