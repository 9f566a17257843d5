/** Tests that each change of a user is recorded once for webhooks, however it is made. */

import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import type { UserEventRecord } from "@/lib/auth/user_events.ts";
import { codeTo } from "../support/mailbox.ts";
import { openChangeReader } from "../support/change_reader.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { openSignInFixture } from "./sign_in_fixture.ts";
import { ok, times } from "./test_collection.ts";
import {
  ADA,
  authProject,
  HEADER_MODE,
  logIn,
  MINUTE_MS,
  PASSWORD,
  requestCode,
  signUp,
  userCall,
  userOf,
} from "./user_email.ts";

/** Returns a function that lists the events since its last call, with the changed members. */
async function eventsOf({ services }: TestApp, { projectId }: TestProject) {
  const recorded = await openChangeReader(services, projectId);
  return async (): Promise<string[]> => {
    const events = (await recorded()).filter(({ action }) => action === "created");
    return events.map(({ after }) => {
      const { event, previous, document } = JSON.parse(after!) as UserEventRecord;
      if (event !== "changed") return event;
      const [was, is] = [previous, document] as [Record<string, unknown>, Record<string, unknown>];
      const names = Object.keys(is).filter((name) =>
        name !== "updatedAt" && JSON.stringify(is[name]) !== JSON.stringify(was[name])
      );
      return `changed ${names.sort().join(", ")}`;
    });
  };
}

Deno.test("a guest is created and signed in, and changed by signing up", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const events = await eventsOf(app, project);
  const guest = userOf(
    await project.asPublic(userCall("anonymous", undefined, HEADER_MODE)),
    201,
  );
  assert.deepEqual(await events(), ["created", "signedIn"]);
  await signUp(project, { email: ADA }, guest);
  assert.deepEqual(await events(), ["changed email, isAnonymous"]);
  ok(await logIn(project, ADA));
  assert.deepEqual(await events(), []);
});

Deno.test("a sign-in by code creates a user and signs them in only the first time", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const events = await eventsOf(app, project);
  const signIn = async () => {
    const otp = await requestCode(app, project, "code/request", ADA);
    ok(await project.asPublic(userCall("code/verify", { email: ADA, otp }, HEADER_MODE)));
    return await events();
  };
  assert.deepEqual(await signIn(), ["created", "signedIn"]);
  assert.deepEqual(await signIn(), []);
});

Deno.test("a verified and a changed address are recorded as changes, a new password is not", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const events = await eventsOf(app, project);
  const signedUp = await signUp(project, { email: ADA });
  assert.deepEqual(await events(), ["created", "signedIn"]);
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("verify-email", { email: ADA, otp }), signedUp));
  assert.deepEqual(await events(), ["changed emailVerified"]);
  const user = userOf(await logIn(project, ADA));
  app.clock.advance(MINUTE_MS);
  const newEmail = "ada@example.org";
  ok(await project.asPublic(userCall("change-email", { newEmail, password: PASSWORD }), user));
  assert.deepEqual(await events(), []);
  const code = await codeTo(app.services, project.projectId, newEmail);
  ok(await project.asPublic(userCall("confirm-email-change", { otp: code }), user));
  assert.deepEqual(await events(), ["changed email"]);
  const next = userOf(await logIn(project, newEmail));
  const passwords = { currentPassword: PASSWORD, newPassword: "eight dry leaves 52" };
  ok(await project.asPublic({ ...userCall("change-password", passwords), method: "PUT" }, next));
  assert.deepEqual(await events(), []);
});

Deno.test("concurrent provider sign-ins create one user; another provider changes them", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const events = await eventsOf(fixture.app, project);
  const signIn = (provider: "github" | "google") =>
    fixture.browser().signIn(project, provider, "ann");
  await Promise.all(times(10, () => signIn("github")));
  assert.deepEqual(await events(), ["created", "signedIn"]);
  await signIn("google");
  assert.deepEqual(await events(), ["changed providers"]);
  for (const provider of ["github", "google"] as const) await signIn(provider);
  assert.deepEqual(await events(), []);
});

Deno.test("a user created by command is created, and signed in when they first sign in", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const events = await eventsOf(app, project);
  await createUser(app.services, project.projectId, { email: ADA, verified: true });
  assert.deepEqual(await events(), ["created"]);
  const otp = await requestCode(app, project, "code/request", ADA);
  ok(await project.asPublic(userCall("code/verify", { email: ADA, otp }, HEADER_MODE)));
  assert.deepEqual(await events(), ["signedIn"]);
});
