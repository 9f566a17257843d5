/** Development sign-ins, in which a browser without scripts chooses its user. */

import assert from "node:assert/strict";
import type { Answer } from "../support/conforming_client.ts";
import { type PageAnswer, pageOf } from "../support/pages.ts";
import type { TestProject } from "../support/test_app.ts";
import { type Browser, locationOf } from "./sign_in_fixture.ts";

export const PAGE = "/dashboard/choose-user";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Starts a sign-in, and returns the response even if it is a refusal. */
export const startSignIn = (
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

/** Starts a sign-in, and returns the query of the page to which it sends the browser. */
export async function openUserChoice(
  browser: Browser,
  project: TestProject,
  query?: Readonly<Record<string, string>>,
): Promise<string> {
  const { origin, pathname, search } = locationOf(await startSignIn(browser, project, query));
  assert.equal(origin + pathname, `http://localhost:8000${PAGE}`);
  return search;
}

export const chooseUser = async (
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

/** Returns the address to which a page leads by its refresh header. */
export function refreshTarget({ status, text, headers }: Answer): URL {
  assert.equal(status, 200, text);
  assert.equal(headers.get("cache-control"), "no-store");
  return new URL(/^0; url=(.+)$/.exec(headers.get("refresh") ?? "")![1]!);
}

export async function signInAs(
  browser: Browser,
  project: TestProject,
  email: string,
  query?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const search = await openUserChoice(browser, project, query);
  return await browser.comeBack(refreshTarget(await chooseUser(browser, search, email)));
}
