/** Fake of GitHub's sign-in. Checks requests, and sends errors with status 200 as GitHub does. */

import {
  accepts,
  authorize,
  type CodeRefusal,
  Findings,
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

export interface GithubEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

export interface GithubPerson {
  /** A changeable name that another account can take over later; not an identity. */
  readonly login: string;
  /** The permanent numeric id, unless a test needs another value. */
  readonly id: unknown;
  readonly name?: string | null;
  readonly avatarUrl?: string;
  /** The public e-mail address of the profile, which is not verified. */
  readonly publicEmail?: string | null;
  readonly emails?: readonly GithubEmail[];
  /** Response to reading the e-mails, as for a GitHub App without permission. */
  readonly emailsRefused?: ResponseInit;
}

export type GithubEndpoint = "token" | "user" | "emails";

export interface GithubFake extends ProviderFake {
  /** Base address of the API, on another path as with GitHub Enterprise. */
  readonly apiUrl: string;
  /** Creates an account, or changes the account with this login. */
  join(person: GithubPerson): void;
  /** Makes an endpoint fail until it is called with null. */
  mishap(endpoint: GithubEndpoint, mishap: Mishap | null): void;
}

const COOKIE = "github_session";
const API_PATH = "/api/v3";

const CODE_ERRORS: Record<CodeRefusal, { error: string; error_description: string }> = {
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

/** The e-mail addresses of a typical account: one that is primary and verified. */
export const verifiedEmail = (email: string): GithubEmail[] => [
  { email, primary: true, verified: true },
];

export function startGithubFake(): GithubFake {
  const findings = new Findings();
  const grants = new Grants();
  const people = new Map<string, GithubPerson>();
  const tokens = new Map<string, { login: string; scope: string }>();
  const mishaps = new Map<GithubEndpoint, Mishap>();
  const closing = new AbortController();

  /** Returns the response of an endpoint after applying its mishap. */
  function answer(endpoint: GithubEndpoint, body: unknown): Response | Promise<Response> {
    const mishap = mishaps.get(endpoint);
    if (mishap === undefined) return Response.json(body);
    if (mishap !== "error") return mishapAnswer(mishap, body, closing.signal);
    return Response.json({ error: "server_error", error_description: "Try again later." });
  }

  async function issueToken(request: Request): Promise<Response> {
    const form = await tokenForm(request);
    if (typeof form === "string") return findings.complain(form);
    const grant = grants.redeem(form);
    if (typeof grant === "string") {
      findings.refuse(`token: ${grant}`);
      return Response.json(CODE_ERRORS[grant]);
    }
    const token = `gho_${crypto.getRandomValues(new Uint8Array(18)).toHex()}`;
    tokens.set(token, { login: grant.who, scope: grant.scope });
    return await answer("token", { access_token: token, token_type: "bearer", scope: grant.scope });
  }

  function api(request: Request, endpoint: "user" | "emails"): Response | Promise<Response> {
    // GitHub answers 403 to requests without a User-Agent.
    if (!request.headers.get("user-agent")) return findings.complain(`${endpoint}: no User-Agent`);
    if (!accepts(request, "application/vnd.github+json")) {
      return findings.complain(`${endpoint}: Accept is not GitHub's`);
    }
    const authorization = request.headers.get("authorization") ?? "";
    const [, token] = /^(?:bearer|token) (\S+)$/i.exec(authorization) ?? [];
    const grantOfToken = tokens.get(token ?? "");
    if (grantOfToken === undefined) {
      return findings.complain(`${endpoint}: no token that was issued`);
    }
    const scopes = grantOfToken.scope.split(/[\s,]+/);
    if (endpoint === "emails" && !scopes.some((scope) => ["user", "user:email"].includes(scope))) {
      return findings.complain(
        `emails: the scope "${grantOfToken.scope}" does not include e-mail addresses`,
      );
    }
    const person = people.get(grantOfToken.login)!;
    if (endpoint === "emails" && person.emailsRefused !== undefined) {
      return Response.json(
        { message: "Resource not accessible by integration" },
        person.emailsRefused,
      );
    }
    return answer(endpoint, endpoint === "emails" ? emailsOf(person) : profileOf(person));
  }

  const agree = () => crypto.getRandomValues(new Uint8Array(10)).toHex();
  const served = serveProvider(findings, {
    "GET /login/oauth/authorize": authorize({
      provider: "GitHub",
      cookieName: COOKIE,
      people,
      grants,
      findings,
      agree,
    }),
    [`POST ${LOGIN_PATH}`]: logIn(COOKIE),
    "POST /login/oauth/access_token": issueToken,
    [`GET ${API_PATH}/user`]: (request) => api(request, "user"),
    [`GET ${API_PATH}/user/emails`]: (request) => api(request, "emails"),
  });

  return {
    url: served.url,
    apiUrl: `${served.url}${API_PATH}`,
    requests: served.requests,
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
      await served[Symbol.asyncDispose]();
      findings.assertNone("GitHub");
    },
  };
}

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
