import assert from "node:assert/strict";
import { IDENTITIES } from "@/lib/auth/identities.ts";
import { codeTo } from "../support/mailbox.ts";
import { verifiedEmail } from "../support/github_fake.ts";
import { openTestApp } from "../support/test_app.ts";
import { isSignedIn, refresh } from "../api/signed_in.ts";
import { openSignInFixture } from "../api/sign_in_fixture.ts";
import { ok, refused } from "../api/test_collection.ts";
import {
  ADA,
  authProject,
  countOf,
  HEADER_MODE,
  logIn,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  signUp,
  storedUser,
  userCall,
  userOf,
} from "../api/user_email.ts";
import { createGuest, patchUser } from "./user_fixture.ts";

/** Attacks that create an account with another person's address in advance. */

Deno.test("pre-hijack: a provider's proof deletes the password of an unverified address", async () => {
  await using fixture = await openSignInFixture();
  const { app } = fixture;
  const project = await fixture.project();
  const email = "ann@example.com";
  const eve = await signUp(project, { email, name: "Send money to Eve" });
  const otp = await requestCode(app, project, "request-password-reset", email);
  const { parameters } = await fixture.browser().signIn(project, "google", "ann");
  assert.equal(parameters.userId, eve.id);
  assert.equal(await isSignedIn(project, eve), false);
  refused(await refresh(project, eve.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  refused(await logIn(project, email), 401, "INVALID_CREDENTIALS");
  const reset = userCall("reset-password", { email, otp, newPassword: NEXT_PASSWORD });
  refused(await project.asPublic(reset), 400, "INVALID_CODE");
  const { name, emailVerified, passwordHash } = await storedUser(app, project, eve.id);
  assert.deepEqual([name, emailVerified, passwordHash], ["Ann", true, null]);
});

Deno.test("pre-hijack: a code's proof deletes the password of an unverified address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const eve = await signUp(project, { email: ADA });
  const change = { newEmail: "eve@example.com", password: PASSWORD };
  ok(await project.asPublic(userCall("change-email", change), eve));
  const eves = await codeTo(app.services, project.projectId, "eve@example.com");
  const otp = await requestCode(app, project, "code/request", ADA);
  const ada = userOf(
    await project.asPublic(userCall("code/verify", { email: ADA, otp }, HEADER_MODE)),
  );
  assert.equal(await isSignedIn(project, eve), false);
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  const confirming = userCall("confirm-email-change", { otp: eves });
  refused(await project.asPublic(confirming, eve), 401, "ACCESS_TOKEN_INVALID");
  assert.ok(await isSignedIn(project, ada));
});

Deno.test("pre-hijack: a reset of an unverified address drops sessions and linked providers", async () => {
  await using fixture = await openSignInFixture();
  const { app } = fixture;
  const project = await fixture.project();
  // Eve's provider is linked to a user whose address she changes to Ada's, unverified.
  const { parameters } = await fixture.browser().signIn(project, "github", "eve");
  const id = parameters.userId!;
  ok(await patchUser(project, id, { email: ADA }));
  const otp = await requestCode(app, project, "request-password-reset", ADA);
  const body = { email: ADA, otp, newPassword: NEXT_PASSWORD };
  ok(await project.asPublic(userCall("reset-password", body)));
  assert.equal(await countOf(app, project, IDENTITIES), 0);
  assert.deepEqual((await storedUser(app, project, id)).providers, []);
  fixture.github.join({ login: "eve", id: 3, emails: verifiedEmail("eve@example.com") });
  const again = await fixture.browser().signIn(project, "github", "eve");
  assert.notEqual(again.parameters.userId, id);
});

Deno.test("pre-hijack: an unverified guest loses the address to the person who verifies it", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const guest = await createGuest(project);
  const eve = await signUp(project, { email: ADA }, guest);
  const otp = await requestCode(app, project, "code/request", ADA);
  ok(await project.asPublic(userCall("code/verify", { email: ADA, otp })));
  for (const one of [guest, eve]) assert.equal(await isSignedIn(project, one), false);
});
