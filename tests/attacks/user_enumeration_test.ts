import assert from "node:assert/strict";
import type { Call } from "../support/conforming_client.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { authProject, PASSWORD, setAuth, signUp, userCall } from "../api/user_email.ts";
import { ok } from "../api/test_collection.ts";
import {
  ADDRESS_REQUESTS,
  comparableHeaders,
  createPeople,
  KNOWN,
  TRIED_PASSWORD,
  UNKNOWN,
} from "./user_fixture.ts";

/** Attacks that find users by comparing responses. */

/** Addresses, some of them again, because a repeated request may differ. */
const EVERYBODY = [UNKNOWN, ...Object.values(KNOWN), UNKNOWN, KNOWN.unverified];

async function assertOneAnswer(
  project: TestProject,
  calls: readonly Call[],
  { status, user }: { status: number; user?: TestUser },
): Promise<void> {
  const answers = new Set<string>();
  for (const call of calls) {
    const answer = await project.asPublic(call, user);
    assert.equal(answer.status, status, answer.text);
    answers.add(JSON.stringify([comparableHeaders(answer.headers), answer.text]));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
}

for (const [operation, { ask, status }] of Object.entries(ADDRESS_REQUESTS)) {
  Deno.test(`enumeration: ${operation} gives known and unknown addresses equal responses and headers`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    await createPeople(app, project);
    await assertOneAnswer(project, EVERYBODY.map(ask), { status });
  });
}

Deno.test("enumeration: with requireVerifiedEmail sign-up gives equal responses and headers", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  await createPeople(app, project);
  await setAuth(app, project, { requireVerifiedEmail: true });
  const headers = { origin: "https://app.example.com" };
  const calls = EVERYBODY.map((email) =>
    userCall("signup", { email, password: TRIED_PASSWORD }, headers)
  );
  await assertOneAnswer(project, calls, { status: 201 });
});

Deno.test("enumeration: with requireVerifiedEmail a refused sign-up is independent of the address", async () => {
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

Deno.test("enumeration: change-email gives an address in use the usual response", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await createPeople(app, project);
  const user = await signUp(project);
  const calls = [KNOWN.unverified, UNKNOWN, KNOWN.disabled].map((newEmail) =>
    userCall("change-email", { newEmail, password: PASSWORD })
  );
  await assertOneAnswer(project, calls, { status: 200, user });
});
