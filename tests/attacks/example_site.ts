/**
 * The example's page and Corbel as they would be deployed: on sites of their own, over https, with
 * a browser that looks at all that crosses its wires.
 */

import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { serveExample } from "../../examples/serve.ts";
import { createCollection } from "../acceptance/project.ts";
import type { Settings } from "../acceptance/server.ts";
import { openBrowser, type TestBrowser } from "../support/browser.ts";
import { passOn, serveSite } from "../support/tls.ts";
import { type Fixture, openFixture, type SignInProject } from "./fixture.ts";

export interface ExampleSite extends AsyncDisposable {
  readonly fixture: Fixture;
  readonly project: SignInProject;
  readonly browser: TestBrowser;
  /** A person's browser, with a page that nothing was opened in yet. */
  person(): Promise<Person>;
  /** A page of another site. */
  readonly evilOrigin: string;
}

/** Somebody at a browser, and all that it asked for. */
export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every request, of all pages and to everybody. */
  readonly seen: readonly Seen[];
  /** Errors that the console showed. */
  readonly errors: readonly string[];
  /** Follows a sign-in to the end, by the provider's own page. */
  signIn(provider: "GitHub" | "Google", who: string): Promise<void>;
}

export interface Seen {
  readonly method: string;
  readonly url: string;
  /** The `Referer`. */
  readonly referrer: string | null;
}

/** @param serve The page of the application. */
export async function openExampleSite(
  settings: Settings = {},
  serve = serveExample("signin"),
): Promise<ExampleSite> {
  await using opening = new AsyncDisposableStack();
  // The addresses of all three are known before any of them has something to serve.
  let target = "";
  let fill = (page: string) => page;
  const client = opening.use(Deno.createHttpClient({}));
  const api = opening.use(
    serveSite("api.corbel.test", (request) => passOn(request, target, client)),
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
  // The address and the key that the README has one fill in.
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
      const seen: Seen[] = [];
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

/** The refresh token that a browser keeps for a project; null if it keeps none. */
export async function keptToken(
  { context }: Person,
  { projectId, siteUrl }: SignInProject,
): Promise<string | null> {
  const name = `__Host-corbel_rt_${projectId}`;
  const found = (await context.cookies()).filter((cookie) => cookie.name === name);
  assert.ok(found.length <= 1, "one cookie at most");
  const [cookie] = found;
  if (cookie === undefined) return null;
  const { httpOnly, secure, sameSite, path, partitionKey } = cookie;
  assert.deepEqual({ httpOnly, secure, sameSite, path }, {
    httpOnly: true,
    secure: true,
    sameSite: "None",
    path: "/",
  });
  // Kept for pages of this site alone: no other that embeds Corbel ever sends it.
  assert.equal(partitionKey, `https://${new URL(siteUrl).hostname.split(".").slice(-2).join(".")}`);
  return cookie.value;
}
