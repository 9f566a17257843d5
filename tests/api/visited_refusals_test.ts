/** Tests refusals of addresses that a browser navigates to, which are shown as a page. */

import assert from "node:assert/strict";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openFiles } from "./files.ts";
import { arrivalOf, assertFailedWith, locationOf, openSignInFixture } from "./sign_in_fixture.ts";

/** Headers that browsers send when a person follows a link. */
const NAVIGATION = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

const open = (app: TestApp, path: string, headers: Record<string, string> = {}, method = "GET") =>
  app.open({ method, path, headers });

/** Fails unless a navigation is refused with a page and every other request with JSON. */
async function assertPageAndJson(
  app: TestApp,
  path: string,
  [status, code]: readonly [number, string],
  cookie: Record<string, string> = {},
): Promise<void> {
  const page = await open(app, path, { ...NAVIGATION, ...cookie });
  const html = await page.text();
  assert.equal(page.status, status, html);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8", path);
  assert.equal(page.headers.get("cache-control"), "no-store");
  const policy = page.headers.get("content-security-policy")!;
  for (const part of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(part), policy);
  }
  assert.ok(!policy.includes("script-src") && !policy.includes("unsafe"), policy);
  assert.doesNotMatch(html, /<script|<form|<a /);
  assert.ok(html.includes(code), html);
  assert.ok(html.includes(page.headers.get("x-request-id")!), "the page has the request's id");
  for (
    const headers of [
      {},
      { accept: "*/*" },
      { accept: "application/json, text/plain, */*" },
      { accept: "image/avif,image/webp,*/*;q=0.8", "sec-fetch-mode": "no-cors" },
      { ...NAVIGATION, "sec-fetch-mode": "cors" },
    ]
  ) {
    const json = await open(app, path, { ...headers, ...cookie });
    assert.equal(json.status, status, path);
    const body = await json.json();
    assert.deepEqual([body.success, body.code], [false, code]);
  }
  const head = await open(app, path, { ...NAVIGATION, ...cookie }, "HEAD");
  assert.deepEqual([head.status, await head.text()], [status, ""]);
}

Deno.test("a refused start of social sign-in is a page for navigation and JSON otherwise", async () => {
  await using fixture = await openSignInFixture();
  const { app } = fixture;
  const project = await fixture.project();
  const start = (provider: string, key: string, more = "") =>
    `/api/userAuth/social/${provider}/start?x-api-key=${key}${more}`;
  const { publishableKey: key, secretKey } = project;
  const cases: [string, [number, string]][] = [
    ["/api/userAuth/social/github/start", [401, "API_KEY_INVALID"]],
    [start("github", "pk_live_no"), [401, "API_KEY_INVALID"]],
    [start("github", secretKey), [401, "API_KEY_INVALID"]],
    [start("gitlab", key), [404, "PROVIDER_UNKNOWN"]],
    [start("github", key, "&return_to=//evil.example"), [400, "INVALID_RETURN_TO"]],
    [start("github", key, `&state=${"x".repeat(257)}`), [400, "INVALID_QUERY"]],
  ];
  for (const [path, refusal] of cases) await assertPageAndJson(app, path, refusal);
  await project.set("github", { enabled: false });
  await assertPageAndJson(app, start("github", key), [422, "PROVIDER_NOT_CONFIGURED"]);
});

Deno.test("the back button after a sign-in leads to the project's site with an error", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const provider of ["github", "google"] as const) {
    const browser = fixture.browser();
    const begun = await browser.start(project, provider, { state: "mine" });
    const back = await fixture[provider].approve(locationOf(begun), "ann");
    const call = { path: back.pathname + back.search, headers: NAVIGATION };
    assert.ok(arrivalOf(await browser.send(call)).token);
    const users = await project.users();
    for (let times = 0; times < 2; times++) {
      const again = arrivalOf(await browser.send(call));
      assertFailedWith(again, "This sign-in is over, start again");
      assert.deepEqual(Object.keys(again.parameters).sort(), ["error", "provider"]);
    }
    assert.deepEqual(await project.users(), users);
    assert.equal((await browser.comeBack(back)).status, 400, "an API client gets the refusal");
  }
});

Deno.test("a callback that belongs to no site is a page for navigation and JSON otherwise", async () => {
  await using fixture = await openSignInFixture();
  const { app } = fixture;
  const project = await fixture.project();
  const browser = fixture.browser();
  const begun = await browser.start(project, "github");
  const back = await fixture.github.approve(locationOf(begun), "ann");
  const path = back.pathname + back.search;
  const [[name, value]] = [...browser.cookies] as [[string, string]];
  const cookie = { cookie: `${name}=${value}` };
  const callback = "/api/userAuth/social/github/callback";
  const unknownState = `${"0".repeat(24)}.${"A".repeat(43)}`;
  await assertPageAndJson(app, path, [400, "INVALID_STATE"]);
  for (const query of ["", "?code=x", "?state=x", `?state=${unknownState}`]) {
    await assertPageAndJson(app, callback + query, [400, "INVALID_STATE"], cookie);
  }
  const unknown = callback.replace("github", "gitlab");
  await assertPageAndJson(app, unknown, [404, "PROVIDER_UNKNOWN"], cookie);
  assert.ok(arrivalOf(await browser.comeBack(back)).token, "the state is still valid");
});

Deno.test("a refused file is a page for navigation and JSON otherwise", async () => {
  await using app = await openTestApp();
  const files = await openFiles(app);
  const { filePath } = await files.upload();
  const { readSignatures, clock } = app.services;
  const over = readSignatures.sign({ path: filePath, expiresAt: clock.now() - 1 });
  const missing = filePath.replace(/[^/]+$/, (name) => name.replaceAll(/[0-9a-f]/g, "0"));
  await assertPageAndJson(app, `/files/${missing}`, [404, "FILE_NOT_FOUND"]);
  await assertPageAndJson(app, `/files/${filePath}?${over}`, [403, "FILE_ADDRESS_INVALID"]);
  await assertPageAndJson(app, `/files/${filePath}?${over}&expires=1`, [400, "INVALID_QUERY"]);
});

Deno.test("an unknown address is a page for navigation, in the reader's language", async () => {
  await using app = await openTestApp();
  for (const path of ["/nothing", "/docs/operations/nothing", "/files"]) {
    await assertPageAndJson(app, path, [404, "ROUTE_NOT_FOUND"]);
  }
  const german = await open(app, "/nothing", { ...NAVIGATION, "accept-language": "de" });
  assert.match(await german.text(), /<html lang="de">.*<h1>Nicht gefunden/s);
  const api = await open(app, "/api/nothing", NAVIGATION);
  assert.equal((await api.json()).code, "ROUTE_NOT_FOUND", "paths under /api are for programs");
  const page = await open(app, "/dashboard/nothing", NAVIGATION);
  assert.match(page.headers.get("content-type")!, /text\/html/);
  const { path } = (await import("@/routes/dashboard/assets.ts")).STYLES[0]!;
  assert.equal((await open(app, path)).status, 200, "the styles of the page are served");
});
