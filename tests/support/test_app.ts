import { createUser } from "@/lib/auth/create_user.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { KeyKind } from "@/lib/projects/api_keys.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import type { Services } from "@/lib/services.ts";
import type { Id } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { type Answer, type Call, send, sendRaw } from "./conforming_client.ts";
import { joinProject, openAccount, type TestAccount } from "./dashboard.ts";
import { type FakeClock, openTestServices, type TestOptions } from "./test_services.ts";
import type { TestStore } from "./test_store.ts";
import { conforming } from "./project_conformance.ts";
import { createCollection } from "./given.ts";

export interface TestUser {
  readonly id: Id;
  readonly token: string;
}

/** A project with both keys, and calls on its behalf. */
export interface TestProject {
  readonly projectId: Id;
  readonly publishableKey: string;
  readonly secretKey: string;
  collection(definition: unknown): Promise<void>;
  /** A new user with a session. */
  user(): Promise<TestUser>;
  asSecret(call: Call): Promise<Answer>;
  /** With the publishable key, and a user's token if one is given. */
  asPublic(call: Call, user?: TestUser): Promise<Answer>;
  /** The account that owns it; opened when it is first asked for. */
  owner(): Promise<TestAccount>;
}

export interface TestApp extends AsyncDisposable {
  readonly services: Services;
  readonly clock: FakeClock;
  readonly store: TestStore;
  /** Sends a call as it is. */
  send(call: Call): Promise<Answer>;
  /** The same, with the answer as it comes. */
  open(call: Call): Promise<Response>;
  project(options?: { siteUrl?: string }): Promise<TestProject>;
  /** A project that there is already. */
  known(keys: ProjectKeys): TestProject;
}

type ProjectKeys = Pick<TestProject, "projectId" | "publishableKey" | "secretKey">;

/** The whole app over services of its own. */
export async function openTestApp(options: TestOptions = {}): Promise<TestApp> {
  const opened = await openTestServices(options);
  const { services } = opened;
  const app = createApp(services);

  const project = async ({ siteUrl = null }: { siteUrl?: string | null } = {}) =>
    known(await createProject(services, { name: "Test", siteUrl }));

  function known({ projectId, publishableKey, secretKey }: ProjectKeys): TestProject {
    const as = (kind: KeyKind, call: Call, headers: Record<string, string> = {}) => {
      const key = kind === "secret" ? secretKey : publishableKey;
      const whole = {
        ...call,
        headers: [["x-api-key", key], ...Object.entries(headers), ...new Headers(call.headers)],
      } as Call;
      return conforming(services, projectId, { kind, call: whole, send: () => send(app, whole) });
    };
    let owner: Promise<TestAccount> | undefined;
    return {
      projectId,
      publishableKey,
      secretKey,
      owner: () => owner ??= owned(projectId),
      async collection(definition: unknown) {
        await createCollection(services, projectId, definition);
      },
      async user() {
        const email = `${crypto.randomUUID()}@example.com`;
        const id = await createUser(services, projectId, { email, verified: true });
        const token = await issueToken(services, projectId, { userId: id, seconds: 900 });
        return { id, token };
      },
      asSecret: (call: Call) => as("secret", call),
      asPublic: (call: Call, user?: TestUser) =>
        as("publishable", call, user && { authorization: `Bearer ${user.token}` }),
    };
  }

  async function owned(projectId: Id): Promise<TestAccount> {
    const account = await openAccount(testApp);
    await joinProject(services, projectId, account.accountId, "owner");
    return account;
  }

  const testApp: TestApp = {
    services,
    clock: opened.clock,
    store: opened.store,
    send: (call) => send(app, call),
    open: (call) => sendRaw(app, call),
    project,
    known,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
  return testApp;
}
