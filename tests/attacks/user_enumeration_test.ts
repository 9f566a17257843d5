import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { authProject, PASSWORD, setAuth, signUp, userCall } from "../api/user_email.ts";
import { ok } from "../api/test_collection.ts";
import {
  KNOWN,
  people,
  QUESTIONS,
  tellingHeaders,
  TRIED_PASSWORD,
  UNKNOWN,
} from "./user_fixture.ts";

/** Somebody who wants to know who has an account: no answer to what they can ask tells them. */

/** Some of them again, as one who was asked for before. */
const EVERYBODY = [UNKNOWN, ...Object.values(KNOWN), UNKNOWN, KNOWN.unverified];

/** Fails unless all are answered alike, headers too. */
async function assertOneAnswer(
  project: TestProject,
  calls: readonly Call[],
  { status, user }: { status: number; user?: TestUser },
): Promise<void> {
  const answers = new Set<string>();
  for (const call of calls) {
    const answer = await project.asPublic(call, user);
    assert.equal(answer.status, status, answer.text);
    answers.add(JSON.stringify([tellingHeaders(answer.headers), answer.text]));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
}

for (const [operation, { ask, status }] of Object.entries(QUESTIONS)) {
  Deno.test(`enumeration: ${operation} answers known and unknown addresses alike, headers too`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    await people(app, project);
    await assertOneAnswer(project, EVERYBODY.map(ask), { status });
  });
}

Deno.test("enumeration: with requireVerifiedEmail sign-up answers known and unknown alike, headers too", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  await people(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  const headers = { origin: "https://app.example.com" };
  const calls = EVERYBODY.map((email) =>
    userCall("signup", { email, password: TRIED_PASSWORD }, headers)
  );
  await assertOneAnswer(project, calls, { status: 201 });
});

Deno.test("enumeration: with requireVerifiedEmail a refusal of sign-up does not depend on the address", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { requireVerifiedEmail: true });
  const signingUp = (email: string, more = {}) =>
    userCall("signup", { email, password: PASSWORD, ...more });
  ok(await project.asPublic(signingUp(KNOWN.unverified)), 201);
  const namesake = { username: "taken" };
  ok(await project.asPublic(signingUp("namesake@example.com", namesake)), 201);
  const refusals = [
    [{ username: "TAKEN" }, 409],
    [{ password: "short" }, 400],
    [{ company: "x" }, 400],
  ] as const;
  for (const [more, status] of refusals) {
    const calls = [KNOWN.unverified, UNKNOWN].map((email) => signingUp(email, more));
    await assertOneAnswer(project, calls, { status });
  }
});

Deno.test("enumeration: change-email answers the same for an address that somebody has", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await people(app, project);
  const user = await signUp(project);
  const calls = [KNOWN.unverified, UNKNOWN, KNOWN.disabled].map((newEmail) =>
    userCall("change-email", { newEmail, password: PASSWORD })
  );
  await assertOneAnswer(project, calls, { status: 200, user });
});
