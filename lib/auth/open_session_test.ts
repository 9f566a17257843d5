import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { Services } from "../services.ts";
import { createUser } from "./create_user.ts";
import { openSession } from "./open_session.ts";
import { SESSIONS } from "./sessions.ts";
import { type UserRecord, USERS } from "./users.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const device = { userAgent: "Test/1.0", address: "203.0.113.0" };

const usersOf = ({ engine }: Services) => engine.records<UserRecord>(PROJECT, USERS);

/** Opens a session for a user. @param fail Whether the transaction is rolled back. */
const open = (services: Services, userId: Id, fail = false) =>
  services.engine.transaction(PROJECT, async (tx) => {
    const { sessionId: id } = await openSession(tx, services, { userId, device });
    if (fail) throw new Error("fails");
    return id;
  });

async function setup(services: Services): Promise<Id> {
  await services.engine.createSpace(PROJECT);
  return await createUser(services, PROJECT, { email: "ada@example.com", verified: true });
}

Deno.test("openSession stores the device and an expiry after 30 days", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const userId = await setup(services);
  const id = await open(services, userId);
  const session = await services.engine.records(PROJECT, SESSIONS).get(id);
  assert.deepEqual(session?.value, {
    _id: id,
    userId,
    ...device,
    createdAt: "2026-01-31T12:00:00.000Z",
    lastUsedAt: "2026-01-31T12:00:00.000Z",
    expiresAt: "2026-03-02T12:00:00.000Z",
    revokedAt: null,
  });
});

Deno.test("openSession stores the last sign-in in the transaction of the session", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const userId = await setup(services);
  const lastSignInAt = async () => (await usersOf(services).get(userId))!.value.lastSignInAt;
  await assert.rejects(open(services, userId, true), { message: "fails" });
  assert.equal(await lastSignInAt(), null);
  assert.equal(await services.engine.records(PROJECT, SESSIONS).count(ALL), 0);
  clock.advance(1000);
  await open(services, userId);
  assert.equal(await lastSignInAt(), "2026-01-31T12:00:01.000Z");
});

Deno.test("openSession refuses disabled and unknown users", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const userId = await setup(services);
  await usersOf(services).updateOne(eq("_id", userId), { set: { disabled: true } });
  for (const id of [userId, PROJECT]) {
    await assert.rejects(open(services, id), { code: "USER_NOT_FOUND" });
  }
  assert.equal(await services.engine.records(PROJECT, SESSIONS).count(ALL), 0);
});
