import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { createSessionDirectory, type SessionRecord, SESSIONS } from "./sessions.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER_PROJECT = "66f1a0c2e4b0a1b2c3d4e5f7";
const USER = "aaaaaaaaaaaaaaaaaaaaaaaa";
const OTHER_USER = "bbbbbbbbbbbbbbbbbbbbbbbb";
const SESSION = "cccccccccccccccccccccccc";

/** Inserts a session that is opened at noon and valid for half an hour. */
async function openSession(engine: Engine, parts: Partial<SessionRecord> = {}): Promise<Id> {
  const { json } = await engine.records<SessionRecord>(PROJECT, SESSIONS).insert({
    _id: SESSION,
    userId: USER,
    createdAt: "2026-01-31T12:00:00.000Z",
    lastUsedAt: "2026-01-31T12:00:00.000Z",
    userAgent: null,
    address: null,
    expiresAt: "2026-01-31T12:30:00.000Z",
    revokedAt: null,
    ...parts,
  });
  return JSON.parse(json)._id;
}

const revoke = (engine: Engine) =>
  engine.records<SessionRecord>(PROJECT, SESSIONS)
    .updateOne(eq("_id", SESSION), { set: { revokedAt: "2026-01-31T12:00:01.000Z" } });

Deno.test("isActive accepts a session of its user", async () => {
  await using opened = await openTestServices();
  const { engine, sessions } = opened.services;
  await openSession(engine);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
  assert.equal(await sessions.isActive(PROJECT, SESSION, OTHER_USER), false);
  assert.equal(await sessions.isActive(PROJECT, SESSION, ""), false);
});

Deno.test("isActive refuses an unknown session", async () => {
  await using opened = await openTestServices();
  assert.equal(await opened.services.sessions.isActive(PROJECT, SESSION, USER), false);
});

Deno.test("isActive accepts a cached session only in its own project", async () => {
  await using opened = await openTestServices();
  const { engine, sessions } = opened.services;
  await openSession(engine);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
  assert.equal(await sessions.isActive(OTHER_PROJECT, SESSION, USER), false);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
});

Deno.test("isActive in another project does not affect the session in its own", async () => {
  await using opened = await openTestServices();
  const { engine, sessions } = opened.services;
  await openSession(engine);
  assert.equal(await sessions.isActive(OTHER_PROJECT, SESSION, USER), false);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
});

Deno.test("isActive refuses an expired session to the millisecond, also from the cache", async () => {
  await using opened = await openTestServices();
  const { services: { engine, sessions }, clock } = opened;
  await openSession(engine, { expiresAt: "2026-01-31T12:00:02.000Z" });
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
  clock.advance(1999);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
  clock.advance(1);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), false);
});

Deno.test("isActive refuses a revoked session at once after forget", async () => {
  await using opened = await openTestServices();
  const { engine, sessions } = opened.services;
  await openSession(engine);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), true);
  await revoke(engine);
  sessions.forget(PROJECT, [SESSION]);
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), false);
});

Deno.test("isActive refuses a revoked session in other processes within five seconds", async () => {
  await using opened = await openTestServices();
  const { services: { engine }, clock } = opened;
  const elsewhere = createSessionDirectory(engine, clock);
  await openSession(engine);
  assert.equal(await elsewhere.isActive(PROJECT, SESSION, USER), true);
  await revoke(engine);
  clock.advance(2999);
  assert.equal(await elsewhere.isActive(PROJECT, SESSION, USER), true, "it is remembered for 3 s");
  clock.advance(1);
  assert.equal(await elsewhere.isActive(PROJECT, SESSION, USER), false);
});

Deno.test("isActive refuses a revoked session in time after the clock was set back by an hour", async () => {
  await using opened = await openTestServices();
  const { services: { engine }, clock } = opened;
  const elsewhere = createSessionDirectory(engine, clock);
  await openSession(engine);
  assert.equal(await elsewhere.isActive(PROJECT, SESSION, USER), true);
  await revoke(engine);
  clock.setBack(3_600_000);
  clock.advance(3000);
  assert.equal(await elsewhere.isActive(PROJECT, SESSION, USER), false);
});

Deno.test("isActive refuses a session that is revoked during its lookup", async () => {
  await using opened = await openTestServices();
  const { services: { engine }, clock } = opened;
  await openSession(engine);
  const [read, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = new Proxy(engine, {
    get: (target, property) =>
      property !== "records" ? Reflect.get(target, property, target) : () => ({
        async get(id: Id) {
          const found = await engine.records<SessionRecord>(PROJECT, SESSIONS).get(id);
          read.resolve();
          await goOn.promise;
          return found;
        },
      }),
  });
  const sessions = createSessionDirectory(slow, clock);
  const early = sessions.isActive(PROJECT, SESSION, USER);
  await read.promise;
  await revoke(engine);
  sessions.forget(PROJECT, [SESSION]);
  goOn.resolve();
  await early;
  assert.equal(await sessions.isActive(PROJECT, SESSION, USER), false);
});
