import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { ALL } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import { createUser } from "./create_user.ts";
import { type UserRecord, USERS } from "./users.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";
const OTHER_PROJECT = "66f1a0c2e4b0a1b2c3d4e5f7";

const usersOf = (engine: Engine, projectId = PROJECT) =>
  engine.records<UserRecord>(projectId, USERS);

Deno.test("createUser stores the e-mail as entered and leaves other members empty", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const id = await createUser(services, PROJECT, { email: "Ada@Example.com", verified: true });
  const stored = await usersOf(services.engine).get(id);
  assert.deepEqual(stored?.value, {
    _id: id,
    email: "Ada@Example.com",
    emailLower: "ada@example.com",
    emailVerified: true,
    name: null,
    username: null,
    usernameLower: null,
    avatarUrl: null,
    disabled: false,
    passwordHash: null,
    providers: [],
    ownMembers: [],
    lastSignInAt: null,
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T12:00:00.000Z",
  });
});

Deno.test("createUser verifies the e-mail only if requested", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const id = await createUser(services, PROJECT, { email: "ada@example.com", verified: false });
  assert.equal((await usersOf(services.engine).get(id))?.value.emailVerified, false);
});

Deno.test("createUser throws EMAIL_TAKEN regardless of case and stores nothing", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createUser(services, PROJECT, { email: "ada@example.com", verified: true });
  for (const email of ["ada@example.com", "ADA@EXAMPLE.COM", "Ada@example.Com"]) {
    await assert.rejects(createUser(services, PROJECT, { email, verified: true }), {
      code: "EMAIL_TAKEN",
    });
  }
  assert.equal(await usersOf(services.engine).count(ALL), 1);
});

Deno.test("createUser allows the same e-mail in several projects", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const input = { email: "ada@example.com", verified: true };
  const ids = [
    await createUser(services, PROJECT, input),
    await createUser(services, OTHER_PROJECT, input),
  ];
  assert.equal(new Set(ids).size, 2);
  assert.equal(await usersOf(services.engine, OTHER_PROJECT).count(ALL), 1);
});

Deno.test("createUser creates one user for 20 concurrent calls with one e-mail", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const input = { email: "ada@example.com", verified: true };
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => createUser(services, PROJECT, input)),
  );
  const refused = all.filter((one) => one.status === "rejected");
  assert.deepEqual(refused.map(({ reason }) => reason.code), Array(19).fill("EMAIL_TAKEN"));
  assert.equal(await usersOf(services.engine).count(ALL), 1);
});

Deno.test("createUser refuses invalid addresses and stores nothing", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const wrong = [
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@@example.com",
    "ada@example.com, eve@example.com",
    "ada@example.com;eve@example.com",
    "Ada <ada@example.com>",
    '"ada"@example.com',
    "ada lovelace@example.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"e".repeat(191)}`,
  ];
  for (const email of wrong) {
    await assert.rejects(
      createUser(services, PROJECT, { email, verified: true }),
      { code: "INVALID_INPUT", message: "The e-mail must be one plain address." },
      JSON.stringify(email),
    );
  }
  assert.equal(await usersOf(services.engine).count(ALL), 0);
});

Deno.test("createUser accepts unusual plain addresses", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const right = ["a@b", "o'hara+news@sub.example.co.uk", "jürgen@köln.de", "x_1-2.3@127.0.0.1"];
  for (const email of right) await createUser(services, PROJECT, { email, verified: true });
  assert.equal(await usersOf(services.engine).count(ALL), right.length);
});
