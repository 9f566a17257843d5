import assert from "node:assert/strict";
import { openSignInFixture } from "./sign_in_fixture.ts";

const NO_EMAILS: readonly (readonly [string, ResponseInit])[] = [
  ["403, as a GitHub App without the permission gets it", { status: 403 }],
  ["404, as a token without the scope gets it", { status: 404 }],
];

for (const [what, emailsRefused] of NO_EMAILS) {
  Deno.test(`GitHub's list of e-mails is ${what}: the user gets no address`, async () => {
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

Deno.test("the stored address stays when GitHub's permission is withdrawn", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  fixture.github.join({ login: "ann", id: 1, emailsRefused: { status: 403 } });
  const again = await fixture.browser().signIn(project, "github", "ann");
  assert.equal(again.parameters.userId, parameters.userId);
  const [user] = await project.users();
  assert.deepEqual([user!.email, user!.emailVerified], ["ann@example.com", true]);
});

Deno.test("a GitHub rate limit, also 403, fails the sign-in and changes no user", async () => {
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

Deno.test("a Google ID token with only a subject signs in without address, name and picture", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  fixture.google.join("ann", { sub: "sub-1" });
  const { parameters } = await fixture.browser().signIn(project, "google", "ann");
  assert.equal(parameters.error, undefined);
  const [user] = await project.users();
  assert.deepEqual([user!.email, user!.name, user!.avatarUrl], [null, null, null]);
});
