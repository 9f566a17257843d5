import assert from "node:assert/strict";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createProject } from "../projects/create_project.ts";
import type { Services } from "../services.ts";
import { eq } from "../store/filter.ts";
import { createAccessTokens } from "./access_tokens.ts";
import { createUser } from "./create_user.ts";
import { issueToken } from "./issue_token.ts";
import { createSessionDirectory, type SessionRecord, SESSIONS } from "./sessions.ts";

/** Creates a project with a signed-in user, whose token is valid for 15 minutes from noon. */
async function signedIn(services: Services) {
  const { projectId } = await createProject(services, { name: "Test", siteUrl: null });
  const userId = await createUser(services, projectId, {
    email: "ada@example.com",
    verified: true,
  });
  const token = await issueToken(services, projectId, { userId, seconds: 900 });
  const sessionId = decodeJwt(token).sid as string;
  return { projectId, userId, token, sessionId };
}

const revoke = ({ engine }: Services, projectId: string, sessionId: string) =>
  engine.records<SessionRecord>(projectId, SESSIONS)
    .updateOne(eq("_id", sessionId), { set: { revokedAt: "2026-01-31T12:00:01.000Z" } });

Deno.test("issue writes exactly the documented claims", async () => {
  await using opened = await openTestServices({ env: { PUBLIC_URL: "https://api.example.com" } });
  const { projectId, userId, token } = await signedIn(opened.services);
  const key = await opened.services.signingKeys.find(projectId);
  assert.deepEqual(decodeProtectedHeader(token), { alg: "EdDSA", typ: "at+jwt", kid: key!.kid });
  const { sid, ...claims } = decodeJwt(token);
  assert.deepEqual(claims, {
    iss: `https://api.example.com/api/projects/${projectId}`,
    aud: projectId,
    sub: userId,
    iat: 1_769_860_800,
    exp: 1_769_861_700,
  });
  assert.match(String(sid), /^[0-9a-f]{24}$/);
});

Deno.test("verify returns user and session, also from the cache", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, userId, token, sessionId } = await signedIn(services);
  for (let n = 0; n < 2; n++) {
    const bearer = await services.tokens.verify(projectId, token);
    assert.equal(bearer?.userId, userId);
    assert.equal(bearer?.sessionId, sessionId);
  }
});

Deno.test("verify refuses an expired token, with a tolerance of five seconds", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, token } = await signedIn(services);
  clock.advance(900_000 + 4999);
  assert.notEqual(await services.tokens.verify(projectId, token), null);
  clock.advance(1);
  assert.equal(await services.tokens.verify(projectId, token), null);
});

Deno.test("verify applies the tolerance to uncached tokens", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, token } = await signedIn(services);
  clock.advance(900_000 + 5000);
  assert.equal(await services.tokens.verify(projectId, token), null);
  clock.advance(-1);
  assert.notEqual(await services.tokens.verify(projectId, token), null);
});

Deno.test("verify refuses a cached token when its session is revoked and forgotten", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, token, sessionId } = await signedIn(services);
  assert.notEqual(await services.tokens.verify(projectId, token), null);
  await revoke(services, projectId, sessionId);
  services.sessions.forget(projectId, [sessionId]);
  assert.equal(await services.tokens.verify(projectId, token), null);
});

Deno.test("verify refuses a cached token of a revoked session in other processes within five seconds", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, token, sessionId } = await signedIn(services);
  const elsewhere = createAccessTokens({
    clock,
    publicUrl: services.config.publicUrl,
    signingKeys: services.signingKeys,
    sessions: createSessionDirectory(services.engine, clock),
  });
  assert.notEqual(await elsewhere.verify(projectId, token), null);
  await revoke(services, projectId, sessionId);
  for (let seconds = 0; seconds < 5; seconds++) {
    clock.advance(1000);
    await elsewhere.verify(projectId, token);
  }
  assert.equal(await elsewhere.verify(projectId, token), null);
});

Deno.test("verify refuses a token whose session was deleted or has expired", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, token, sessionId } = await signedIn(services);
  const sessions = services.engine.records<SessionRecord>(projectId, SESSIONS);
  await sessions.updateOne(eq("_id", sessionId), {
    set: { expiresAt: "2026-01-31T12:05:00.000Z" },
  });
  assert.notEqual(await services.tokens.verify(projectId, token), null);
  clock.advance(300_000);
  assert.equal(await services.tokens.verify(projectId, token), null);
  clock.advance(-300_000);
  await sessions.deleteOne(eq("_id", sessionId));
  services.sessions.forget(projectId, [sessionId]);
  assert.equal(await services.tokens.verify(projectId, token), null);
});

Deno.test("verify accepts a cached token only in its own project", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [await signedIn(services), await signedIn(services)];
  assert.notEqual(await services.tokens.verify(one.projectId, one.token), null);
  assert.equal(await services.tokens.verify(other.projectId, one.token), null);
  assert.equal(await services.tokens.verify(one.projectId, other.token), null);
  assert.equal(await services.tokens.verify("66f1a0c2e4b0a1b2c3d4e5f6", one.token), null);
});

Deno.test("verify refuses a token of another project with an equal session", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const [one, other] = [await signedIn(services), await signedIn(services)];
  const sessionsOf = (projectId: string) =>
    services.engine.records<SessionRecord>(projectId, SESSIONS);
  const session = await sessionsOf(one.projectId).get(one.sessionId);
  await sessionsOf(other.projectId).insert(session!.value);
  assert.notEqual(await services.tokens.verify(one.projectId, one.token), null);
  assert.equal(await services.tokens.verify(other.projectId, one.token), null);
});

Deno.test("verify refuses a token from another public URL", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId, token } = await signedIn(services);
  const elsewhere = createAccessTokens({
    clock,
    publicUrl: "https://other.example.com",
    signingKeys: services.signingKeys,
    sessions: services.sessions,
  });
  assert.equal(await elsewhere.verify(projectId, token), null);
});

Deno.test("issue rejects if the project has no signing key", async () => {
  await using opened = await openTestServices();
  const bearer = { userId: "a".repeat(24), sessionId: "b".repeat(24) };
  await assert.rejects(
    opened.services.tokens.issue("66f1a0c2e4b0a1b2c3d4e5f6", bearer, 900),
    /has no signing key/,
  );
});

Deno.test("verify returns the same user to 100 concurrent callers", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, userId, token } = await signedIn(services);
  const checks = Array.from({ length: 100 }, () => services.tokens.verify(projectId, token));
  const users = (await Promise.all(checks)).map((bearer) => bearer?.userId);
  assert.deepEqual(new Set(users), new Set([userId]));
});
