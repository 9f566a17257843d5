import assert from "node:assert/strict";
import { openSignInFixture } from "./sign_in_fixture.ts";

/** A provider's answer that lacks what a sign-in can do without. */

const NO_EMAILS: readonly (readonly [string, ResponseInit])[] = [
  ["403, as a GitHub App without the permission gets it", { status: 403 }],
  ["404, as a token without the scope gets it", { status: 404 }],
];

for (const [what, emailsRefused] of NO_EMAILS) {
  Deno.test(`GitHub's list of e-mails is ${what}: the user is signed in without an address`, async () => {
    await using fixture = await openSignInFixture();
    const project = await fixture.project();
    fixture.github.join({ login: "ann", id: 1, publicEmail: "ann@example.com", emailsRefused });
    const { parameters } = await fixture.browser().signIn(project, "github", "ann");
    assert.equal(parameters.error, undefined);
    assert.equal(parameters.isNewUser, "true");
    const again = await fixture.browser().signIn(project, "github", "ann");
    assert.equal(again.parameters.userId, parameters.userId);
    const [user] = await project.users();
    assert.deepEqual([user!.email, user!.emailVerified, user!.username], [null, false, "ann"]);
  });
}

Deno.test("GitHub takes the permission away: the stored address stays", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  fixture.github.join({ login: "ann", id: 1, emailsRefused: { status: 403 } });
  const again = await fixture.browser().signIn(project, "github", "ann");
  assert.equal(again.parameters.userId, parameters.userId);
  const [user] = await project.users();
  assert.deepEqual([user!.email, user!.emailVerified], ["ann@example.com", true]);
});

Deno.test("a rate limit of GitHub's has the same status, and is a failure: nobody becomes another user", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const limits = [{ "x-ratelimit-remaining": "0" }, { "retry-after": "60" }];
  for (const headers of limits) {
    fixture.github.join({ login: "ann", id: 1, emailsRefused: { status: 403, headers } });
    const { parameters } = await fixture.browser().signIn(project, "github", "ann");
    assert.equal(parameters.error, "The provider did not answer as expected");
  }
  fixture.github.join({ login: "ann", id: 1, emailsRefused: { status: 401 } });
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  assert.equal(parameters.error, "The provider did not answer as expected");
  assert.deepEqual(await project.users(), []);
});

Deno.test("an ID token of Google's with a subject alone signs in without an address, a name and a picture", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  fixture.google.join("ann", { sub: "sub-1" });
  const { parameters } = await fixture.browser().signIn(project, "google", "ann");
  assert.equal(parameters.error, undefined);
  const [user] = await project.users();
  assert.deepEqual([user!.email, user!.name, user!.avatarUrl], [null, null, null]);
});
