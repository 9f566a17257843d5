import assert from "node:assert/strict";
import { NO_DEVICE } from "@/lib/auth/device.ts";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { IDENTITIES } from "@/lib/auth/identities.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { USERS } from "@/lib/auth/users.ts";
import { createProject } from "@/lib/projects/create_project.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { UniqueViolation } from "../store/errors.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { signIn, type SignInInput } from "./sign_in.ts";

const ANN: SignInInput = {
  provider: "some",
  profile: {
    providerUserId: "1",
    email: "ann@example.com",
    name: "Ann",
    username: null,
    avatarUrl: null,
  },
  linking: "verified",
  canCreateUser: true,
  device: NO_DEVICE,
};

const counts = (engine: Engine, projectId: Id) =>
  Promise.all(
    [USERS, IDENTITIES, SESSIONS, EXCHANGE_CODES].map((definition) =>
      engine.records(projectId, definition).count(ALL)
    ),
  );

/** Wraps an engine so that `before` runs before each transaction. */
const withBefore = (engine: Engine, before: () => Promise<void>): Engine => ({
  ...engine,
  name: engine.name,
  records: (space, definition) => engine.records(space, definition),
  async transaction(space, work) {
    await before();
    return await engine.transaction(space, work);
  },
});

Deno.test("signIn finds the user that a concurrent first sign-in has created", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "x", siteUrl: null });
  let first: Id | undefined;
  const engine = withBefore(services.engine, async () => {
    if (first !== undefined) return;
    first = (await signIn(services, projectId, ANN)).userId;
    throw new UniqueViolation("identity");
  });
  const second = await signIn({ ...services, engine }, projectId, ANN);
  assert.deepEqual([second.userId, second.isNewUser], [first, false]);
  assert.deepEqual(await counts(services.engine, projectId), [1, 1, 2, 2]);
});

Deno.test("signIn gives up after losing the race several times", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "x", siteUrl: null });
  let attempts = 0;
  const engine = withBefore(services.engine, () => {
    attempts++;
    return Promise.reject(new UniqueViolation("emailLower"));
  });
  await assert.rejects(signIn({ ...services, engine }, projectId, ANN), { path: "emailLower" });
  assert.equal(attempts, 5);
});

Deno.test("signIn writes user, session and code in one transaction", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, { name: "x", siteUrl: null });
  const tokens = { ...services.tokens, issue: () => Promise.reject(new Error("no key")) };
  await assert.rejects(signIn({ ...services, tokens }, projectId, ANN), { message: "no key" });
  assert.deepEqual(await counts(services.engine, projectId), [0, 0, 0, 0]);
});
