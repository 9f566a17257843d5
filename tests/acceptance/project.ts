import { createUser as userVerb } from "@/lib/auth/create_user.ts";
import { issueToken as tokenVerb } from "@/lib/auth/issue_token.ts";
import { createWebhook as webhookVerb } from "@/lib/events/webhooks/manage.ts";
import { loadConfig } from "@/lib/runtime/config.ts";
import { deleteCollection as deletionVerb } from "@/lib/documents/delete_collection.ts";
import {
  createCollection as collectionVerb,
  updateCollection as changeVerb,
} from "@/tests/support/given.ts";
import { silentLog } from "@/lib/runtime/log.ts";
import { changeProject as settingsVerb } from "@/lib/projects/change_project.ts";
import type { GivenSettings } from "@/lib/projects/settings.ts";
import { createProject as projectVerb } from "@/lib/projects/create_project.ts";
import { type ProviderInput, setProvider as providerVerb } from "@/lib/social/manage_providers.ts";
import { openServices, type Services } from "@/lib/services.ts";
import type { Server, Settings } from "./server.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- Tests look into answers of every shape.
  readonly body: any;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Request body. A string is sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

export async function send(server: Server, call: Call): Promise<Answer> {
  const headers = new Headers(call.headers);
  if (call.key !== undefined) headers.set("x-api-key", call.key);
  if (call.token !== undefined) headers.set("authorization", `Bearer ${call.token}`);
  const init: RequestInit & { client: Deno.HttpClient } = {
    method: call.method ?? (call.body === undefined ? "GET" : "POST"),
    headers,
    redirect: "manual",
    client: server.http,
  };
  if (call.body !== undefined) {
    init.body = typeof call.body === "string" ? call.body : JSON.stringify(call.body);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
  }
  const response = await fetch(`${server.url}${call.path}`, init);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  const body = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body };
}

export interface User {
  readonly id: string;
  readonly token: string;
}

export interface Project {
  readonly projectId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
}

/** Runs an operation in the test process, concurrently with the server. */
async function withServices<T>(
  settings: Settings,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  await using services = await openServices(loadConfig(settings), { log: silentLog });
  return await work(services);
}

export const createProject = (
  settings: Settings,
  siteUrl: string | null = null,
): Promise<Project> =>
  withServices(settings, (services) => projectVerb(services, { name: "Acceptance", siteUrl }));

export const changeProject = (
  settings: Settings,
  { projectId }: Project,
  given: GivenSettings,
): Promise<void> =>
  withServices(settings, async (services) => {
    await settingsVerb(services, projectId, given);
  });

export const createCollection = (
  settings: Settings,
  { projectId }: Project,
  definition: unknown,
): Promise<void> =>
  withServices(settings, async (services) => {
    await collectionVerb(services, projectId, definition);
  });

export const updateCollection = (
  settings: Settings,
  { projectId }: Project,
  definition: unknown,
): Promise<void> =>
  withServices(settings, async (services) => {
    await changeVerb(services, projectId, definition);
  });

export const deleteCollection = (
  settings: Settings,
  { projectId }: Project,
  name: string,
): Promise<void> => withServices(settings, (services) => deletionVerb(services, projectId, name));

/** Enables a sign-in provider and resolves to its callback address. */
export const setProvider = (
  settings: Settings,
  { projectId }: Project,
  provider: string,
  given: Omit<ProviderInput, "enabled">,
): Promise<string> =>
  withServices(settings, async (services) => {
    const { callbackUrl } = await providerVerb(services, projectId, provider, {
      ...given,
      enabled: true,
    });
    return callbackUrl;
  });

export const createUser = (settings: Settings, { projectId }: Project): Promise<User> =>
  withServices(settings, async (services) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const id = await userVerb(services, projectId, { email, verified: true });
    const token = await tokenVerb(services, projectId, { userId: id, seconds: TOKEN_SECONDS });
    return { id, token };
  });

export const issueToken = (
  settings: Settings,
  { projectId }: Pick<Project, "projectId">,
  userId: string,
  seconds = TOKEN_SECONDS,
): Promise<string> =>
  withServices(settings, (services) => tokenVerb(services, projectId, { userId, seconds }));

const TOKEN_SECONDS = 900;

export const createWebhook = (
  settings: Settings,
  { projectId }: Project,
  { url, collection }: { readonly url: string; readonly collection: string },
): Promise<{ readonly secret: string }> =>
  withServices(
    settings,
    (services) =>
      webhookVerb(services, projectId, {
        name: "Test",
        url,
        events: { [collection]: ["created"] },
      }),
  );

/** A collection without row-level security and with a few typed fields. */
export const THINGS = {
  name: "things",
  fields: [
    { key: "n", type: "Number", index: true },
    { key: "text", type: "String" },
    { key: "code", type: "String", unique: true },
  ],
  rls: { enabled: false },
};

export async function listAll(
  server: Server,
  { secretKey }: Project,
  collection: string,
  // deno-lint-ignore no-explicit-any -- Documents of every shape.
): Promise<{ items: any[]; total: number }> {
  const items = [];
  let path = `/api/data/${collection}?limit=1000`;
  for (;;) {
    const { status, body, text } = await send(server, { path, key: secretKey });
    if (status !== 200) throw new Error(`Listing ${collection} answered ${status}: ${text}`);
    items.push(...body.data.items);
    if (body.data.nextCursor === null) return { items, total: body.data.total };
    path = `/api/data/${collection}?limit=1000&cursor=${encodeURIComponent(body.data.nextCursor)}`;
  }
}
