import assert from "node:assert/strict";
import { IDENTITIES, type IdentityRecord } from "@/lib/auth/identities.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { type Linking, saveProvider } from "@/lib/projects/providers.ts";
import { SIGN_IN_STATES } from "@/lib/social/states.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import type { Definition, StoredRecord } from "@/lib/store/port.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { type GithubFake, startGithubFake, verifiedEmail } from "../support/github_fake.ts";
import { type OidcServer, startOidcServer } from "../support/oidc_server.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { fakeClock, type TestOptions } from "../support/test_services.ts";

export type ProviderName = "github" | "google";

/** The Site URL of the tests' projects. */
export const SITE = "https://app.example";

/** An app with two fake providers. */
export interface SignInFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly github: GithubFake;
  readonly google: OidcServer;
  /** Creates a project that both providers know. */
  project(options?: ProjectOptions): Promise<SignInProject>;
  /** @param app The app that the browser calls, by default `app`. */
  browser(app?: Pick<TestApp, "send">): Browser;
  /** Opens another process on the store, which shares nothing else with `app`. */
  another(): Promise<TestApp>;
}

export interface ProjectOptions {
  readonly siteUrl?: string;
  readonly linking?: Linking;
}

export interface SignInProject extends TestProject {
  readonly clientId: string;
  set(provider: ProviderName, change: { enabled?: boolean; linking?: Linking }): Promise<void>;
  users(): Promise<UserRecord[]>;
  userByEmail(email: string): Promise<UserRecord>;
  identities(): Promise<IdentityRecord[]>;
  /** The number of sign-ins in progress. */
  states(): Promise<number>;
}

export interface Browser {
  readonly cookies: Map<string, string>;
  send(call: Call): Promise<Answer>;
  start(project: TestProject, provider: ProviderName, query?: Query): Promise<Answer>;
  /** Follows the provider's redirect to the callback. */
  comeBack(address: URL): Promise<Answer>;
  signIn(
    project: TestProject,
    provider: ProviderName,
    who: string,
    query?: Query,
  ): Promise<Arrival>;
}

export type Query = Readonly<Record<string, string>>;

/** The address on the project's site to which a browser is sent back. */
export interface Arrival {
  readonly url: URL;
  readonly parameters: Readonly<Record<string, string>>;
  /** The token of the fragment, or null. */
  readonly token: string | null;
}

export const callbackUrl = (provider: ProviderName): string =>
  `http://localhost:8000/api/userAuth/social/${provider}/callback`;

/** People who have accounts with both providers, under one verified address each. */
const PEOPLE = ["ann", "bob", "eve"];

export async function openSignInFixture(options: TestOptions = {}): Promise<SignInFixture> {
  await using opening = new AsyncDisposableStack();
  const clock = options.clock ?? fakeClock();
  const github = opening.use(startGithubFake());
  const google = opening.use(await startOidcServer({ now: () => clock.now() }));
  for (const [i, who] of PEOPLE.entries()) joinBoth({ github, google }, who, i + 1);
  const env = {
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.apiUrl,
    GOOGLE_ISSUER: google.url,
    ...options.env,
  };
  const app = opening.use(await openTestApp({ ...options, clock, env }));
  const opened = opening.move();
  return {
    app,
    github,
    google,
    browser: (to = app) => openBrowser(to, { github, google }),
    another: async () =>
      opened.use(await openTestApp({ ...options, clock, env, store: app.store })),
    project: (options) => openProject({ app, github, google }, options),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Fakes = Pick<SignInFixture, "github" | "google">;

function joinBoth({ github, google }: Fakes, who: string, number: number): void {
  const [name, email] = [who[0]!.toUpperCase() + who.slice(1), `${who}@example.com`];
  github.join({ login: who, id: number, name, emails: verifiedEmail(email) });
  google.join(who, { sub: `sub-${number}`, email, emailVerified: true, name });
}

let projects = 0;

async function openProject(
  { app, github, google }: Fakes & { app: TestApp },
  { siteUrl = SITE, linking = "verified" }: ProjectOptions = {},
): Promise<SignInProject> {
  const project = await app.project({ siteUrl });
  const { projectId } = project;
  const { services } = app;
  const number = ++projects;
  const [clientId, clientSecret] = [`client-${number}`, `secret-${number}`];
  const given = { enabled: true, clientId, clientSecret, linking };
  const all = async <T extends StoredRecord>(definition: Definition) => {
    const query = { filter: ALL, sort: [], limit: 1000 };
    const { items } = await services.engine.records<T>(projectId, definition).list(query);
    return parseJson(`[${items}]`) as T[];
  };
  for (const provider of ["github", "google"] as const) {
    await saveProvider(services, projectId, provider, given);
    const fake = provider === "github" ? github : google;
    fake.register({ clientId, clientSecret, callbackUrl: callbackUrl(provider) });
  }
  return {
    ...project,
    clientId,
    async set(provider, change) {
      await saveProvider(services, projectId, provider, { ...given, ...change });
    },
    users: () => all<UserRecord>(USERS),
    async userByEmail(email) {
      const filter = eq("emailLower", email.toLowerCase());
      const found = await services.engine.records<UserRecord>(projectId, USERS).findOne(filter);
      assert.ok(found, `no user has the address ${email}`);
      return found.value;
    },
    identities: () => all<IdentityRecord>(IDENTITIES),
    states: () => services.engine.records(projectId, SIGN_IN_STATES).count(ALL),
  };
}

function openBrowser(app: Pick<TestApp, "send">, fakes: Fakes): Browser {
  const cookies = new Map<string, string>();

  async function send(call: Call): Promise<Answer> {
    const headers = new Headers(call.headers);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "") headers.set("cookie", cookie);
    const answer = await app.send({ ...call, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    return answer;
  }

  function start(project: TestProject, provider: ProviderName, query: Query = {}) {
    const all = new URLSearchParams({ "x-api-key": project.publishableKey, ...query });
    return send({ path: `/api/userAuth/social/${provider}/start?${all}` });
  }

  const comeBack = ({ pathname, search }: URL) => send({ path: pathname + search });

  return {
    cookies,
    send,
    start,
    comeBack,
    async signIn(project, provider, who, query) {
      const begun = await start(project, provider, query);
      const back = await fakes[provider].approve(locationOf(begun), who);
      return arrivalOf(await comeBack(back));
    },
  };
}

/** Returns the target of a redirect, and fails for any other response. */
export function locationOf(answer: Answer): URL {
  assert.equal(answer.status, 302, answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
  return new URL(answer.headers.get("location")!);
}

export function arrivalOf(answer: Answer, site = SITE): Arrival {
  const url = locationOf(answer);
  assert.equal(`${url.origin}${url.pathname}`, `${site}/auth/callback`);
  const names = [...url.searchParams.keys()];
  assert.equal(new Set(names).size, names.length, "every parameter appears once");
  const token = new URLSearchParams(url.hash.slice(1)).get("token");
  return { url, parameters: Object.fromEntries(url.searchParams), token };
}

/** Fails unless the browser came back with this error and without a token or code. */
export function assertFailedWith(arrival: Arrival, error: string): void {
  assert.equal(arrival.parameters.error, error);
  assert.equal(arrival.url.hash, "");
  for (const name of ["rtCode", "userId", "isNewUser", "linkedByEmail"]) {
    assert.equal(arrival.parameters[name], undefined, name);
  }
}
