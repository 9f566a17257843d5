import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { commandEnvironment, loadConfig } from "@/lib/runtime/config.ts";
import { changeProject } from "@/lib/projects/change_project.ts";
import { pullConfiguration } from "@/lib/operations/project_configuration.ts";
import { PROVIDER_SETTINGS } from "@/lib/projects/providers.ts";
import { ALL } from "@/lib/store/filter.ts";
import { pageOf } from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import {
  chooseUser,
  openUserChoice,
  PAGE,
  refreshTarget,
  signInAs,
  startSignIn,
} from "./chosen_user.ts";
import { exchangeCall } from "./signed_in.ts";
import { arrivalOf, assertFailedWith, openSignInFixture, SITE } from "./sign_in_fixture.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("dev signs in users who choose their account, without a client id", async () => {
  await using fixture = await openSignInFixture({ isDev: true });
  const project = await fixture.app.project({ siteUrl: SITE });
  const browser = fixture.browser();
  const query = { return_to: "/notes?open=1", state: "of the application" };
  const search = await openUserChoice(browser, project, query);
  const page = pageOf(await browser.send({ path: PAGE + search }));
  assert.equal(page.status, 200);
  for (const name of ["Ada Lovelace", "Grace Hopper", "Alan Turing", "demo@example.com"]) {
    assert.match(page.words, new RegExp(`Sign in as ${name}`));
  }
  const back = refreshTarget(await chooseUser(browser, search, "ada@example.com"));
  const { parameters, token } = arrivalOf(await browser.comeBack(back));
  const { rtCode, userId, ...others } = parameters;
  assert.deepEqual(others, {
    provider: "dev",
    projectId: project.projectId,
    isNewUser: "true",
    linkedByEmail: "false",
    ...query,
  });
  ok(await project.asPublic(exchangeCall({ rtCode: rtCode!, token: token! })));
  const me = ok(
    await project.asPublic({ path: "/api/userAuth/me" }, { id: userId!, token: token! }),
  );
  assert.equal(me.email, "ada@example.com");
  assert.equal(me.emailVerified, true);
  assert.equal(me.name, "Ada Lovelace");
  assert.deepEqual(me.providers.map(({ provider }: { provider: string }) => provider), ["dev"]);
});

Deno.test("dev sign-in finds returning users, and links a user with the same address", async () => {
  await using fixture = await openSignInFixture({ isDev: true });
  const project = await fixture.app.project({ siteUrl: SITE });
  const { services } = fixture.app;
  const { projectId } = project;
  const known = await createUser(services, projectId, { email: "bo@example.com", verified: true });
  const signInWith = async (email: string) =>
    arrivalOf(await signInAs(fixture.browser(), project, email)).parameters;
  const bo = await signInWith("bo@example.com");
  assert.deepEqual([bo.userId, bo.isNewUser, bo.linkedByEmail], [known, "false", "true"]);
  const ida = await signInWith("ida@example.com");
  const again = await signInWith("Ida@Example.com");
  assert.deepEqual([again.userId, again.isNewUser], [ida.userId, "false"]);
});

Deno.test("dev sign-in obeys closed sign-up, disabled users and a missing Site URL", async () => {
  await using fixture = await openSignInFixture({ isDev: true });
  const { services } = fixture.app;
  const project = await fixture.app.project({ siteUrl: SITE });
  const { projectId } = project;
  const { parameters } = arrivalOf(await signInAs(fixture.browser(), project, "ada@example.com"));
  await changeProject(services, projectId, { auth: { signUp: "closed" } });
  arrivalOf(await signInAs(fixture.browser(), project, "ada@example.com"));
  const closed = arrivalOf(await signInAs(fixture.browser(), project, "new@example.com"));
  assertFailedWith(closed, closed.parameters.error!);
  const path = `/api/userAuth/users/${parameters.userId}`;
  ok(await project.asSecret({ method: "PATCH", path, body: { disabled: true } }));
  const disabled = arrivalOf(await signInAs(fixture.browser(), project, "ada@example.com"));
  assertFailedWith(disabled, disabled.parameters.error!);
  const bare = await fixture.app.project();
  refused(await startSignIn(fixture.browser(), bare), 422, "SITE_URL_MISSING");
});

Deno.test("start refuses dev sign-in on a store that dev has used", async () => {
  await using fixture = await openSignInFixture({ isDev: true });
  const project = await fixture.app.project({ siteUrl: SITE });
  const browser = fixture.browser();
  arrivalOf(await signInAs(browser, project, "ada@example.com"));
  // This sign-in is under way when the server restarts.
  const search = await openUserChoice(browser, project);
  const back = refreshTarget(await chooseUser(browser, search, "ada@example.com"));
  const { store, clock } = fixture.app;
  await using started = await openTestApp({ store, clock });
  const later = fixture.browser(started);
  for (const [name, value] of browser.cookies) later.cookies.set(name, value);
  const unknown = await started.send({
    path: `/api/userAuth/social/nothing/start?x-api-key=${project.publishableKey}`,
  });
  for (const answer of [await startSignIn(later, project), await later.comeBack(back)]) {
    refused(answer, 404, "PROVIDER_UNKNOWN");
    assert.equal(answer.body.message, unknown.body.message);
  }
  assert.equal((await later.send({ path: PAGE + search })).status, 404);
  assert.equal((await chooseUser(later, search, "ada@example.com")).status, 404);
  // The refusals have not used up the sign-in.
  arrivalOf(await browser.comeBack(back));
});

Deno.test("dev sign-in has no settings, and pulls and exports do not contain it", async () => {
  await using fixture = await openSignInFixture({ isDev: true });
  const { app } = fixture;
  const project = await app.project({ siteUrl: SITE });
  arrivalOf(await signInAs(fixture.browser(), project, "ada@example.com"));
  const owner = await project.owner();
  const path = `/api/projects/${project.projectId}/providers`;
  const body = { enabled: true, clientId: "a", clientSecret: "b" };
  refused(await owner.send({ method: "PUT", path: `${path}/dev`, body }), 404, "PROVIDER_UNKNOWN");
  const { items } = ok(await owner.send({ path }));
  assert.deepEqual(items.map(({ provider }: { provider: string }) => provider), [
    "github",
    "google",
  ]);
  const pulled = await pullConfiguration(app.services, project.projectId);
  assert.deepEqual(pulled.providers, []);
  // An export contains these records.
  const stored = app.services.engine.records(project.projectId, PROVIDER_SETTINGS);
  assert.equal(await stored.count(ALL), 0);
});

Deno.test("only the dev command at a local address has dev sign-in, and no variable enables it", () => {
  const configOf = (command: string, variables: Record<string, string> = {}) =>
    loadConfig(commandEnvironment(command, (name) => variables[name])).isLocalDev;
  assert.equal(configOf("dev"), true);
  assert.equal(configOf("dev", { PUBLIC_URL: "http://127.0.0.1:9000" }), true);
  assert.equal(configOf("dev", { PUBLIC_URL: "https://corbel.example" }), false);
  for (const command of ["start", "admin"]) {
    assert.equal(configOf(command), false);
    assert.equal(configOf(command, { isDev: "true", DEV_SIGN_IN: "true" }), false);
  }
});

Deno.test("members can try dev sign-in, in dev only", async () => {
  await using app = await openTestApp({ isDev: true });
  const project = await app.project({ siteUrl: SITE });
  const owner = await project.owner();
  const path = `/api/projects/${project.projectId}/providers/dev/trial`;
  const { url } = ok(await owner.send({ path }));
  const { store, clock } = app;
  const tried = await owner.send({ path: new URL(url).pathname });
  assert.equal(tried.status, 302);
  assert.equal(new URL(tried.headers.get("location")!).pathname, PAGE);
  await using started = await openTestApp({ store, clock });
  const { cookie } = owner;
  refused(await started.send({ path, headers: { cookie } }), 404, "PROVIDER_UNKNOWN");
});
