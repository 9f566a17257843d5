/**
 * Serves an example's page and Corbel like a deployment: on separate sites over HTTPS, with a
 * browser that records all requests.
 */

import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { serveExample } from "../../examples/serve.ts";
import { createCollection } from "../acceptance/project.ts";
import type { Settings } from "../acceptance/server.ts";
import { openBrowser, type TestBrowser } from "../support/browser.ts";
import { forwardRequest, serveSite } from "../support/tls.ts";
import { type Fixture, openFixture, type SignInProject } from "./fixture.ts";

export interface ExampleSite extends AsyncDisposable {
  readonly fixture: Fixture;
  readonly project: SignInProject;
  readonly browser: TestBrowser;
  person(): Promise<Person>;
  readonly evilOrigin: string;
}

export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly seen: readonly SeenRequest[];
  readonly errors: readonly string[];
  signIn(provider: "GitHub" | "Google", who: string): Promise<void>;
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly referrer: string | null;
}

/** @param serve The page of the application. */
export async function openExampleSite(
  settings: Settings = {},
  serve = serveExample("signin"),
): Promise<ExampleSite> {
  await using opening = new AsyncDisposableStack();
  // Starts three servers to learn their addresses before they have content.
  let target = "";
  let fill = (page: string) => page;
  const client = opening.use(Deno.createHttpClient({}));
  const api = opening.use(
    serveSite("api.corbel.test", (request) => forwardRequest(request, target, client)),
  );
  const app = opening.use(
    serveSite("app.notes.test", async (request) => {
      const answer = await serve(request);
      const text = await answer.text();
      return new Response(fill(text), answer);
    }),
  );
  const evil = opening.use(
    serveSite("evil.test", () =>
      new Response("<!doctype html><title>Evil</title>", {
        headers: { "content-type": "text/html" },
      })),
  );
  const fixture = opening.use(await openFixture({ PUBLIC_URL: api.origin, ...settings }));
  target = fixture.server.url;
  const project = await fixture.project({ siteUrl: app.origin });
  await createCollection(fixture.server.settings, project, {
    name: "notes",
    fields: [{ key: "text", type: "String", required: true }],
  });
  fill = (page) =>
    page.replaceAll("http://localhost:8000", api.origin)
      .replace("pk_live_…", project.publishableKey);
  const browser = opening.use(await openBrowser());
  const opened = opening.move();

  return {
    fixture,
    project,
    browser,
    evilOrigin: evil.origin,
    async person() {
      const context = await browser.context({ ignoreHTTPSErrors: true });
      const seen: SeenRequest[] = [];
      const errors: string[] = [];
      context.on("request", (request) => {
        const referrer = request.headers().referer || null;
        seen.push({ method: request.method(), url: request.url(), referrer });
      });
      const page = await context.newPage();
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
      });
      page.on("pageerror", (error) => errors.push(error.message));
      return {
        page,
        context,
        seen,
        errors,
        async signIn(provider, who) {
          await page.getByRole("button", { name: `Continue with ${provider}` }).click();
          await page.getByRole("button", { name: `Sign in as ${who}` }).click();
          await page.getByRole("button", { name: "Sign out" }).waitFor();
        },
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the refresh token cookie of a project, or null. */
export async function refreshCookieOf(
  { context }: Person,
  { projectId, siteUrl }: SignInProject,
): Promise<string | null> {
  const name = `__Host-corbel_rt_${projectId}`;
  const found = (await context.cookies()).filter((cookie) => cookie.name === name);
  assert.ok(found.length <= 1, "at most one cookie");
  const [cookie] = found;
  if (cookie === undefined) return null;
  const { httpOnly, secure, sameSite, path, partitionKey } = cookie;
  assert.deepEqual({ httpOnly, secure, sameSite, path }, {
    httpOnly: true,
    secure: true,
    sameSite: "None",
    path: "/",
  });
  // The cookie is partitioned by this site, so that another site that embeds Corbel cannot send it.
  assert.equal(partitionKey, `https://${new URL(siteUrl).hostname.split(".").slice(-2).join(".")}`);
  return cookie.value;
}
