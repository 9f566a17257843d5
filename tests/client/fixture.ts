/** The published client, connected to the app in this process. */
import { createClient } from "@/client/client.js";
import type { AnyProject, Client, createClient as declared } from "@/client/client.d.ts";
import { createApp } from "@/routes/app.ts";
import { setAuth } from "../api/user_email.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";

export type AnyClient = Client<AnyProject>;

export interface ClientFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly project: TestProject;
  /** Methods and addresses of the requests, in their order. */
  readonly asked: readonly string[];
  /** Sets a replacement for the next requests; null sends them. */
  intercept(reply: ((request: Request) => Promise<Response> | null) | null): void;
  /** Creates a client, by default with the publishable key. */
  client(key?: string, url?: string): AnyClient;
}

const URL = "http://localhost:8000";

export async function openClients(): Promise<ClientFixture> {
  const app = await openTestApp();
  const served = createApp(app.services);
  const project = await app.project();
  await project.collection({
    name: "posts",
    rls: { mode: "public-read" },
    fields: [
      { key: "title", type: "String", required: true, search: true },
      { key: "views", type: "Number", default: 0, index: true },
      { key: "slug", type: "String", unique: true },
    ],
  });
  await project.collection({
    name: "comments",
    rls: { mode: "public-read" },
    fields: [{ key: "post", type: "Ref", ref: "posts" }, { key: "text", type: "String" }],
  });
  await project.collection({ name: "notes", fields: [{ key: "text", type: "String" }] });
  await setAuth(app, project, { anonymous: true });
  const asked: string[] = [];
  const clients: AnyClient[] = [];
  /** Responses in progress when a client closes or aborts; awaited before the app closes. */
  const answers = new Set<Promise<Response>>();
  let intercepted: ((request: Request) => Promise<Response> | null) | null = null;
  const serve = (request: Request): Promise<Response> => {
    const answer = Promise.resolve(
      served.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } }),
    ).finally(() => answers.delete(answer));
    answers.add(answer);
    return answer;
  };
  const ask = (input: RequestInfo | globalThis.URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${request.url.slice(URL.length)}`);
    return intercepted?.(request) ?? serve(request);
  };
  return {
    app,
    project,
    asked,
    intercept: (reply) => intercepted = reply,
    client(key = project.publishableKey, url = URL) {
      const client = (createClient as typeof declared)({ url, key, fetch: ask });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await Promise.allSettled(answers);
      await app[Symbol.asyncDispose]();
    },
  };
}

export const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Promise.resolve(
    new Response(JSON.stringify({ success: false, data: {}, message: code, code }), {
      status,
      headers,
    }),
  );

export const CREDENTIALS = { email: "ada@example.com", password: "a difference engine no. 2" };

/** Collects the errors of the application's functions that the client reports to the console. */
export function reportedErrors(): { readonly messages: readonly string[] } & Disposable {
  const messages: string[] = [];
  const { error } = console;
  console.error = (given: unknown) => void messages.push((given as Error).message);
  return { messages, [Symbol.dispose]: () => console.error = error };
}
