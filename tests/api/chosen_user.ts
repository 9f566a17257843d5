/** Sign-ins by choosing who one is, as a browser without scripts makes them. */

import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { type PageAnswer, pageOf } from "../support/pages.ts";
import type { TestProject } from "../support/test_app.ts";
import { type Browser, locationOf } from "./sign_in_fixture.ts";

export const PAGE = "/dashboard/choose-user";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Begins a sign-in, whatever comes of it. */
export const begin = (
  browser: Browser,
  { publishableKey }: TestProject,
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  browser.send({
    path: `/api/userAuth/social/dev/start?${new URLSearchParams({
      "x-api-key": publishableKey,
      ...query,
    })}`,
  });

/** Where a sign-in that was begun has sent the browser: the query of the page. */
export async function begun(
  browser: Browser,
  project: TestProject,
  query?: Readonly<Record<string, string>>,
): Promise<string> {
  const { origin, pathname, search } = locationOf(await begin(browser, project, query));
  assert.equal(origin + pathname, `http://localhost:8000${PAGE}`);
  return search;
}

/** Chooses on the page. */
export const choose = async (
  browser: Browser,
  search: string,
  email: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<PageAnswer> =>
  pageOf(
    await browser.send({
      method: "POST",
      path: PAGE + search,
      headers: { ...FORM, ...headers },
      body: new URLSearchParams({ email }).toString(),
    }),
  );

/** Where a page leads on by itself. */
export function leadsTo({ status, text, headers }: Answer): URL {
  assert.equal(status, 200, text);
  assert.equal(headers.get("cache-control"), "no-store");
  return new URL(/^0; url=(.+)$/.exec(headers.get("refresh") ?? "")![1]!);
}

/** From the start to the project's site. */
export async function signInAs(
  browser: Browser,
  project: TestProject,
  email: string,
  query?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const search = await begun(browser, project, query);
  return await browser.comeBack(leadsTo(await choose(browser, search, email)));
}
