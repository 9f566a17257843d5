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
import { sendConforming } from "./project_conformance.ts";
import { createCollection } from "./given.ts";

export interface TestUser {
  readonly id: Id;
  readonly token: string;
}

export interface TestProject {
  readonly projectId: Id;
  readonly publishableKey: string;
  readonly secretKey: string;
  collection(definition: unknown): Promise<void>;
  user(): Promise<TestUser>;
  asSecret(call: Call): Promise<Answer>;
  /** Sends a call with the publishable key, and with the token of a user if one is given. */
  asPublic(call: Call, user?: TestUser): Promise<Answer>;
  /** Returns the account that owns the project; created on the first call. */
  owner(): Promise<TestAccount>;
}

export interface TestApp extends AsyncDisposable {
  readonly services: Services;
  readonly clock: FakeClock;
  readonly store: TestStore;
  /** Sends a call unchanged. */
  send(call: Call): Promise<Answer>;
  /** Sends a call and resolves to the unread response. */
  open(call: Call): Promise<Response>;
  project(options?: { siteUrl?: string }): Promise<TestProject>;
  known(keys: ProjectKeys): TestProject;
}

type ProjectKeys = Pick<TestProject, "projectId" | "publishableKey" | "secretKey">;

export async function openTestApp(options: TestOptions = {}): Promise<TestApp> {
  const opened = await openTestServices(options);
  const { services } = opened;
  const app = createApp(services);

  const project = async ({ siteUrl = null }: { siteUrl?: string | null } = {}) =>
    known(await createProject(services, { name: "Test", siteUrl }));

  function known({ projectId, publishableKey, secretKey }: ProjectKeys): TestProject {
    const as = (kind: KeyKind, call: Call, headers: Record<string, string> = {}) => {
      const key = kind === "secret" ? secretKey : publishableKey;
      const callWithKey = {
        ...call,
        headers: [["x-api-key", key], ...Object.entries(headers), ...new Headers(call.headers)],
      } as Call;
      return sendConforming(services, projectId, {
        kind,
        call: callWithKey,
        send: () => send(app, callWithKey),
      });
    };
    let owner: Promise<TestAccount> | undefined;
    return {
      projectId,
      publishableKey,
      secretKey,
      owner: () => owner ??= openOwner(projectId),
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

  async function openOwner(projectId: Id): Promise<TestAccount> {
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
