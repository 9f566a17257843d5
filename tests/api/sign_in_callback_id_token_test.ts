import assert from "node:assert/strict";
import { PROVIDER_TIMEOUT_MS } from "@/lib/limits.ts";
import type { Forgery } from "../support/forged_id_token.ts";
import { withFasterTimers } from "../support/faster_timers.ts";
import { times } from "./test_collection.ts";
import {
  type Arrival,
  arrivalOf,
  assertFailedWith,
  locationOf,
  openSignInFixture,
  type SignInFixture,
  type SignInProject,
} from "./sign_in_fixture.ts";

const UNVERIFIED = "The provider's answer could not be verified";

const FORGERIES: readonly Forgery[] = [
  "wrong nonce",
  "no nonce",
  "wrong audience",
  "two audiences",
  "no audience",
  "wrong issuer",
  "issuer with a slash",
  "expired",
  "no expiry",
  "not yet valid",
  "issued in the future",
  "no subject",
  "unknown kid",
  "alg none",
  "alg HS256 with the public key",
  "alg ES256 with a published key",
  "bad signature",
  "no signature",
  "foreign key of the same kid",
  "replayed",
];

const signIn = (fixture: SignInFixture, project: SignInProject, who = "ann"): Promise<Arrival> =>
  fixture.browser().signIn(project, "google", who);

Deno.test("every forged ID token is refused without a session", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  assert.ok((await signIn(fixture, project, "eve")).token, "the token to replay");
  const before = JSON.stringify([await project.users(), await project.identities()]);
  for (const forgery of FORGERIES) {
    fixture.google.forge(forgery);
    const arrival = await signIn(fixture, project);
    assert.deepEqual([forgery, arrival.parameters.error], [forgery, UNVERIFIED]);
    assertFailedWith(arrival, UNVERIFIED);
  }
  assert.equal(JSON.stringify([await project.users(), await project.identities()]), before);
  fixture.google.forge(null);
  assert.ok((await signIn(fixture, project)).token, "a valid token is still accepted");
});

Deno.test("a subject that is not a plain string is refused", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const subjects = [7, true, null, "", " ", "a b", "é", "x".repeat(256), ["sub-1"], { $ne: null }];
  for (const sub of subjects) {
    fixture.google.join("mallory", { sub, email: "ann@example.com", emailVerified: true });
    assertFailedWith(await signIn(fixture, project, "mallory"), UNVERIFIED);
  }
  assert.deepEqual(await project.users(), []);
});

Deno.test("an address is verified only if email_verified is true", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  for (const [i, emailVerified] of [undefined, false, null, "true", 1, ["true"]].entries()) {
    const person = { sub: `sub-${100 + i}`, email: "new@example.com", emailVerified };
    fixture.google.join("new", person);
    const { parameters } = await signIn(fixture, project, "new");
    assert.equal(parameters.isNewUser, "true");
  }
  const users = await project.users();
  assert.equal(users.length, 6);
  for (const user of users) assert.deepEqual([user.email, user.emailVerified], [null, false]);
});

Deno.test("keys are fetched once for all users and projects", async () => {
  await using fixture = await openSignInFixture();
  for (const project of [await fixture.project(), await fixture.project()]) {
    for (const who of ["ann", "bob"]) assert.ok((await signIn(fixture, project, who)).token);
  }
  assert.equal(fixture.google.jwksRequests(), 1);
  fixture.app.clock.advance(300_000);
  assert.ok((await signIn(fixture, await fixture.project())).token);
  assert.equal(fixture.google.jwksRequests(), 2, "a withdrawn key is cached for 5 minutes");
});

Deno.test("a new key is found immediately by one request, despite concurrent sign-ins", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  assert.ok((await signIn(fixture, project)).token);
  await fixture.google.rotateKeys();
  const arrivals = await Promise.all(times(20, () => signIn(fixture, project)));
  for (const { token } of arrivals) assert.ok(token);
  assert.equal(fixture.google.jwksRequests(), 2);
});

Deno.test("a flood of unknown keys causes one request a minute, and the known key remains valid", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  assert.ok((await signIn(fixture, project)).token);
  for (const minute of [1, 2]) {
    fixture.google.forge("unknown kid");
    const flood = await Promise.all(times(10, () => signIn(fixture, project)));
    for (const _ of times(10, Number)) flood.push(await signIn(fixture, project));
    for (const arrival of flood) assertFailedWith(arrival, UNVERIFIED);
    assert.equal(fixture.google.jwksRequests(), 1 + minute);
    fixture.google.forge(null);
    assert.ok((await signIn(fixture, project)).token);
    assert.equal(fixture.google.jwksRequests(), 1 + minute);
    fixture.app.clock.advance(60_000);
  }
});

/** Runs `work` with a provider timeout of 200 ms. */
const withShortTimeout = <T>(work: () => Promise<T>): Promise<T> =>
  withFasterTimers(PROVIDER_TIMEOUT_MS, 200, work);

Deno.test("a provider that does not answer in time sends the browser back, at any endpoint", async () => {
  const cases = [
    ["github", "token", "silent"],
    ["github", "token", "stalling"],
    ["github", "user", "silent"],
    ["github", "emails", "stalling"],
    ["google", "token", "silent"],
    ["google", "jwks", "silent"],
    ["google", "jwks", "stalling"],
  ] as const;
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { github, google } = fixture;
  for (const [provider, endpoint, mishap] of cases) {
    const browser = fixture.browser();
    const begun = locationOf(await browser.start(project, provider));
    const back = await fixture[provider].approve(begun, "ann");
    if (provider === "github") github.mishap(endpoint, mishap);
    else google.mishap(endpoint, mishap);
    const answer = await withShortTimeout(() => browser.comeBack(back));
    assertFailedWith(arrivalOf(answer), "The provider did not answer in time");
    if (provider === "github") github.mishap(endpoint, null);
    else google.mishap(endpoint, null);
  }
  assert.deepEqual(await project.users(), []);
  assert.ok(
    (await signIn(fixture, project)).token,
    "sign-in works when the provider answers again",
  );
});

Deno.test("a provider whose discovery document times out sends the browser back at the start", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  fixture.google.mishap("discovery", "silent");
  const answer = await withShortTimeout(() => fixture.browser().start(project, "google"));
  assertFailedWith(arrivalOf(answer), "The provider did not answer in time");
});
