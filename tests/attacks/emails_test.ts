import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { verifiedEmail } from "../support/github_fake.ts";
import { openAccount, PASSWORD } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { openSignInFixture } from "../api/sign_in_fixture.ts";
import { processorMs } from "./cost.ts";

const ANN = "kann@example.com";

const LOOK_ALIKES = [
  "KANN@Example.com",
  "\u212Aann@example.com",
  "ｋａｎｎ@example.com",
  "ka\u200Bnn@example.com",
  "kann\u00AD@example.com",
  "\u202Ekann@example.com",
  "kann\uFE0F@example.com",
  "kann@ex\u{E0061}ample.com",
];

Deno.test("look-alike address: it creates no second account and signs in to the existing one", async () => {
  await using app = await openTestApp();
  const { accountId } = await openAccount(app, { email: ANN });
  for (const email of LOOK_ALIKES) {
    const body = { email, password: PASSWORD };
    const again = await app.send({ path: "/api/auth/register", body });
    assert.deepEqual([again.status, again.body.code], [409, "ACCOUNT_EXISTS"], email);
    const login = await app.send({ path: "/api/auth/login", body });
    assert.deepEqual([login.status, login.body.data.accountId], [200, accountId], email);
  }
});

Deno.test("look-alike address: it creates no second user and finds the existing one", async () => {
  await using app = await openTestApp();
  const { services } = app;
  const project = await app.project();
  const create = (email: string) =>
    createUser(services, project.projectId, { email, verified: true });
  const id = await create(ANN);
  for (const email of LOOK_ALIKES) {
    await assert.rejects(create(email), { code: "EMAIL_TAKEN" }, email);
    const path = `/api/userAuth/users?email=${encodeURIComponent(email)}`;
    const { body } = await project.asSecret({ path });
    assert.deepEqual(body.data.items.map(({ _id }: { _id: string }) => _id), [id], email);
  }
});

Deno.test("look-alike mailbox: a provider's proof of it opens no other account", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const id = await createUser(fixture.app.services, project.projectId, {
    email: ANN,
    verified: true,
  });
  for (const [i, email] of LOOK_ALIKES.slice(1).entries()) {
    const login = `look-alike-${i}`;
    fixture.github.join({ login, id: 9000 + i, name: "Eve", emails: verifiedEmail(email) });
    const { parameters } = await fixture.browser().signIn(project, "github", login);
    assert.notEqual(parameters.userId, id, email);
    assert.equal(parameters.linkedByEmail, "false", email);
  }
  const users = await project.users();
  assert.deepEqual(users.map(({ email }) => email).filter((email) => email !== null), [ANN]);

  fixture.github.join({
    login: "ann",
    id: 8999,
    name: "Ann",
    emails: verifiedEmail("Kann@example.com"),
  });
  const { parameters } = await fixture.browser().signIn(project, "github", "ann");
  assert.deepEqual([parameters.userId, parameters.linkedByEmail], [id, "true"]);
});

/** Unicode normalization sorts these marks, which takes quadratic time. */
const MARKS = "\u0301\u0327".repeat(100_000);
const CALM_MS = 4_000;

Deno.test("long sequences of marks in an address or a password do not block the process", async () => {
  await using app = await openTestApp();
  const started = processorMs();
  for (const [email, password] of [[`${MARKS}@x`, PASSWORD], [ANN, MARKS]] as const) {
    const { status } = await app.send({
      method: "POST",
      path: "/dashboard/sign-in",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: "http://localhost:8000",
      },
      body: `email=${email}&password=${password}`,
    });
    assert.equal(status, 401);
  }
  const took = processorMs() - started;
  assert.ok(took < CALM_MS, `${took} ms`);
});
