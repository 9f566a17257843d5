/**
 * A server process with two sign-in providers, and browsers of victims and attackers. After setup,
 * the tests use only HTTP.
 */

import assert from "node:assert/strict";
import {
  type Answer,
  type Call,
  createProject,
  type Project,
  send,
  setProvider,
} from "../acceptance/project.ts";
import { type Server, type Settings, startServer } from "../acceptance/server.ts";
import {
  type GithubFake,
  type GithubPerson,
  startGithubFake,
  verifiedEmail,
} from "../support/github_fake.ts";
import { type OidcPerson, type OidcServer, startOidcServer } from "../support/oidc_server.ts";
import type { ProviderFake } from "../support/provider_fake.ts";

export type ProviderName = "github" | "google";

export const PROVIDERS: readonly ProviderName[] = ["github", "google"];

export interface SignInProject extends Project {
  readonly siteUrl: string;
}

export interface Fixture extends AsyncDisposable {
  readonly server: Server;
  readonly publicUrl: string;
  readonly github: GithubFake;
  readonly google: OidcServer;
  provider(name: ProviderName): ProviderFake;
  project(options?: { linking?: "never" | "verified"; siteUrl?: string }): Promise<SignInProject>;
  /** Creates a person at GitHub. By default, other fields are random and the e-mail is verified. */
  githubPerson(person?: Partial<GithubPerson>): GithubPerson & { readonly id: number };
  googlePerson(person?: Partial<OidcPerson>): OidcPerson & { readonly login: string };
  visitor(): Visitor;
  send(call: Call): Promise<Answer>;
  /** Returns all users of a project, oldest first. */
  users(project: SignInProject): Promise<Record<string, unknown>[]>;
  /** Marks a text that must not be in the log. Disposing the fixture asserts it. */
  secret<T extends string | null>(text: T): T;
}

export async function openFixture(settings: Settings = {}): Promise<Fixture> {
  await using opening = new AsyncDisposableStack();
  const github = opening.use(startGithubFake());
  const google = opening.use(await startOidcServer());
  const server = opening.use(
    await startServer({
      settings: {
        GITHUB_URL: github.url,
        GITHUB_API_URL: github.apiUrl,
        GOOGLE_ISSUER: google.url,
        RATE_LIMITS: "off",
        ...settings,
      },
    }),
  );
  const secrets = new Set<string>();
  opening.defer(async () => {
    const { stdout, stderr } = await server.stop();
    const said = stdout + stderr;
    assert.doesNotMatch(said, /[ps]k_live_|eyJ/, "the log shows a key or a token");
    const loggedSecrets = [...secrets].filter((secret) => said.includes(secret));
    assert.deepEqual(loggedSecrets, [], "the log shows secrets");
  });
  const publicUrl = settings.PUBLIC_URL ?? `http://localhost:${server.port}`;
  const providers = { github, google };
  let people = 0;

  const fixture: Omit<Fixture, keyof AsyncDisposable> = {
    server,
    publicUrl,
    github,
    google,
    provider: (name) => providers[name],
    async project({ linking, siteUrl = "https://app.example" } = {}) {
      const created = await createProject(server.settings, siteUrl);
      await Promise.all(PROVIDERS.map(async (provider) => {
        const clientId = `${provider}-${created.projectId}`;
        const clientSecret = fixture.secret(crypto.randomUUID());
        const given = { clientId, clientSecret, linking };
        const callbackUrl = await setProvider(server.settings, created, provider, given);
        providers[provider].register({ clientId, clientSecret, callbackUrl });
      }));
      fixture.secret(created.secretKey);
      return { ...created, siteUrl };
    },
    githubPerson(person = {}) {
      const number = ++people;
      const login = `person${number}`;
      const emails = verifiedEmail(`${login}@example.com`);
      const joined = { login, id: 1000 + number, name: `Person ${number}`, emails, ...person };
      github.join(joined);
      return joined as GithubPerson & { readonly id: number };
    },
    googlePerson(person = {}) {
      const login = `person${++people}`;
      const email = `${login}@example.com`;
      const joined = { sub: `1${people}`, email, emailVerified: true, name: login, ...person };
      google.join(login, joined);
      return { ...joined, login };
    },
    visitor: () => new Visitor(fixture),
    send: (call) => send(server, call),
    async users({ secretKey }) {
      const { status, body } = await send(server, {
        path: "/api/userAuth/users?limit=100",
        key: secretKey,
      });
      assert.equal(status, 200);
      return body.data.items.toSorted((a: { _id: string }, b: { _id: string }) =>
        a._id < b._id ? -1 : 1
      );
    },
    secret(text) {
      if (text !== null) secrets.add(text);
      return text;
    },
  };
  const opened = opening.move();
  return { ...fixture, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export interface SignInReturn {
  readonly rtCode: string;
  readonly token: string;
  readonly userId: string;
  readonly isNewUser: boolean;
  readonly linkedByEmail: boolean;
  readonly query: URLSearchParams;
}

/** A browser as Corbel sees it, with Corbel's cookies and not the providers'. */
export class Visitor {
  readonly #fixture: Omit<Fixture, keyof AsyncDisposable>;
  readonly cookies = new Map<string, string>();

  constructor(fixture: Omit<Fixture, keyof AsyncDisposable>) {
    this.#fixture = fixture;
  }

  /** Sends a call with the browser's cookies, and stores those of the response. */
  async send(call: Call): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...call.headers, ...(cookie !== "" && { cookie }) };
    const answer = await this.#fixture.send({ ...call, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [pair, ...attributes] = line.split("; ");
      const at = pair!.indexOf("=");
      const [name, value] = [pair!.slice(0, at), pair!.slice(at + 1)];
      if (value === "" || attributes.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, this.#fixture.secret(value));
    }
    return answer;
  }

  start(
    { publishableKey }: SignInProject,
    provider: ProviderName,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const search = new URLSearchParams({ "x-api-key": publishableKey, ...query });
    return this.send({ path: `/api/userAuth/social/${provider}/start?${search}`, headers });
  }

  /** Starts a sign-in and resolves to the provider's address. */
  async startSignIn(
    project: SignInProject,
    provider: ProviderName,
    query: Record<string, string> = {},
  ): Promise<URL> {
    const answer = await this.start(project, provider, query);
    assert.equal(answer.status, 302, answer.text);
    const address = new URL(answer.headers.get("location")!);
    assert.equal(address.origin, this.#fixture.provider(provider).url);
    this.#fixture.secret(address.searchParams.get("state"));
    return address;
  }

  /** Starts a sign-in, approves it, and resolves to the provider's redirect. */
  async approveSignIn(
    project: SignInProject,
    provider: ProviderName,
    who: string,
    query: Record<string, string> = {},
  ): Promise<URL> {
    const address = await this.startSignIn(project, provider, query);
    const back = await this.#fixture.provider(provider).approve(address, who);
    this.#fixture.secret(back.searchParams.get("code"));
    return back;
  }

  open(address: URL, headers: Record<string, string> = {}): Promise<Answer> {
    assert.equal(address.origin, new URL(this.#fixture.publicUrl).origin);
    return this.send({ path: `${address.pathname}${address.search}`, headers });
  }

  async signIn(
    project: SignInProject,
    provider: ProviderName,
    who: string,
    query: Record<string, string> = {},
  ): Promise<SignInReturn> {
    return this.#take(
      project,
      await this.open(await this.approveSignIn(project, provider, who, query)),
    );
  }

  async signInAndExchange(
    project: SignInProject,
    provider: ProviderName,
    who: string,
  ): Promise<SignInReturn & { readonly refreshToken: string }> {
    const back = await this.signIn(project, provider, who);
    const { status, body, text } = await this.exchange(project, back);
    assert.equal(status, 200, text);
    return { ...back, refreshToken: this.#fixture.secret(body.data.refreshToken as string) };
  }

  #take({ siteUrl, projectId }: SignInProject, answer: Answer): SignInReturn {
    assert.equal(answer.status, 302, answer.text);
    const location = new URL(answer.headers.get("location")!);
    assert.equal(`${location.origin}${location.pathname}`, `${siteUrl}/auth/callback`);
    const query = location.searchParams;
    assert.equal(query.get("error"), null, location.search);
    assert.equal(query.get("projectId"), projectId);
    return {
      rtCode: this.#fixture.secret(query.get("rtCode")!),
      token: this.#fixture.secret(new URLSearchParams(location.hash.slice(1)).get("token")!),
      userId: query.get("userId")!,
      isNewUser: query.get("isNewUser") === "true",
      linkedByEmail: query.get("linkedByEmail") === "true",
      query,
    };
  }

  /** Sends a POST like the application's own page, unless the headers differ. */
  post(
    { publishableKey: key, siteUrl: origin }: SignInProject,
    path: string,
    body: unknown = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const own = { origin, ...headers };
    return this.send({ method: "POST", path: `/api/userAuth/${path}`, key, headers: own, body });
  }

  exchange(
    project: SignInProject,
    { token, rtCode }: Pick<SignInReturn, "token" | "rtCode">,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.post(project, "social/exchange", { token, rtCode }, headers);
  }

  static refreshCookie({ projectId }: SignInProject): string {
    return `corbel_rt_${projectId}`;
  }
}

export const refusal = ({ status, body }: Answer) => [status, body?.code];

/** Asserts a refusal of an unknown sign-in, without a redirect or a cookie. */
export function assertUnknownState(answer: Answer): void {
  assert.deepEqual(refusal(answer), [400, "INVALID_STATE"], answer.text);
  assertBringsNothing(answer);
}

/** Asserts a refusal of a known sign-in, which redirects to the project's page with an error. */
export function assertSentBack(answer: Answer, { siteUrl }: SignInProject): void {
  assert.equal(answer.status, 302, answer.text);
  const location = new URL(answer.headers.get("location")!);
  assert.equal(`${location.origin}${location.pathname}`, `${siteUrl}/auth/callback`);
  const error = location.searchParams.get("error") ?? "";
  assert.match(error, /^[\w ,.'-]{1,200}$/, "a short text without internals");
  for (const name of ["rtCode", "userId", "token"]) {
    assert.equal(location.searchParams.get(name), null, location.search);
  }
  assert.equal(location.hash, "");
}

/** Asserts that the response contains no session and nothing that leads to one. */
export function assertBringsNothing({ headers, text }: Answer): void {
  assert.equal(headers.get("location"), null);
  assert.deepEqual(headers.getSetCookie(), []);
  assert.doesNotMatch(text, /rtCode=|refreshToken|accessToken/);
}

/** Returns the user id for which an access token is accepted, or null. */
export async function userIdOfToken(
  fixture: Fixture,
  { publishableKey: key }: SignInProject,
  token: string,
): Promise<string | null> {
  const { status, body, text } = await fixture.send({ path: "/api/userAuth/me", key, token });
  if (status === 401) return null;
  assert.equal(status, 200, text);
  return body.data._id;
}
