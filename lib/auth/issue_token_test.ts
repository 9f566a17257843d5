import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createProject } from "../projects/create_project.ts";
import type { Services } from "../services.ts";
import { ALL, eq } from "../store/filter.ts";
import { createUser } from "./create_user.ts";
import { issueToken } from "./issue_token.ts";
import { type SessionRecord, SESSIONS } from "./sessions.ts";
import { type UserRecord, USERS } from "./users.ts";

async function projectWithUser(services: Services) {
  const { projectId } = await createProject(services, { name: "Test", siteUrl: null });
  const input = { email: "ada@example.com", verified: true };
  return { projectId, userId: await createUser(services, projectId, input) };
}

const sessionsOf = ({ engine }: Services, projectId: string) =>
  engine.records<SessionRecord>(projectId, SESSIONS);

Deno.test("issueToken returns a token that is valid for the requested time", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, userId } = await projectWithUser(services);
  const token = await issueToken(services, projectId, { userId, seconds: 60 });
  assert.equal((await services.tokens.verify(projectId, token))?.userId, userId);
  const { iat, exp } = decodeJwt(token);
  assert.equal(exp! - iat!, 60);
});

Deno.test("issueToken opens a session of 30 days for each token", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, userId } = await projectWithUser(services);
  const tokens = [];
  for (let n = 0; n < 2; n++) {
    tokens.push(await issueToken(services, projectId, { userId, seconds: 60 }));
  }
  const [one, other] = tokens.map((token) => decodeJwt(token).sid as string);
  assert.notEqual(one, other);
  const session = await sessionsOf(services, projectId).get(one!);
  assert.deepEqual(session?.value, {
    _id: one,
    userId,
    userAgent: null,
    address: null,
    createdAt: "2026-01-31T12:00:00.000Z",
    lastUsedAt: "2026-01-31T12:00:00.000Z",
    expiresAt: "2026-03-02T12:00:00.000Z",
    revokedAt: null,
  });
});

Deno.test("issueToken extends the session to the lifetime of the token", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, userId } = await projectWithUser(services);
  const seconds = 90 * 86_400;
  const token = await issueToken(services, projectId, { userId, seconds });
  clock.advance((seconds - 1) * 1000);
  assert.notEqual(await services.tokens.verify(projectId, token), null);
});

Deno.test("issueToken accepts the user's id in upper case", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, userId } = await projectWithUser(services);
  const token = await issueToken(services, projectId, {
    userId: userId.toUpperCase(),
    seconds: 60,
  });
  assert.equal(decodeJwt(token).sub, userId);
});

Deno.test("issueToken refuses invalid ids, unknown users and users of another project", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [await projectWithUser(services), await projectWithUser(services)];
  const wrong = [
    ["ada@example.com", "INVALID_ID"],
    ["", "INVALID_ID"],
    ["66f1a0c2e4b0a1b2c3d4e5f6", "USER_NOT_FOUND"],
    [other.userId, "USER_NOT_FOUND"],
  ] as const;
  for (const [userId, code] of wrong) {
    await assert.rejects(issueToken(services, one.projectId, { userId, seconds: 60 }), { code });
  }
  assert.equal(await sessionsOf(services, one.projectId).count(ALL), 0, "a session was opened");
});

Deno.test("issueToken refuses a disabled user and opens no session", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, userId } = await projectWithUser(services);
  await services.engine.records<UserRecord>(projectId, USERS)
    .updateOne(eq("_id", userId), { set: { disabled: true } });
  await assert.rejects(issueToken(services, projectId, { userId, seconds: 60 }), {
    code: "USER_NOT_FOUND",
  });
  assert.equal(await sessionsOf(services, projectId).count(ALL), 0);
});
