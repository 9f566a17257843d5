/** Refusals of credentials describe the credential itself and reveal nothing about projects. */

import assert from "node:assert/strict";
import { decodeJwt, SignJWT } from "jose";
import { rotateKey } from "@/lib/projects/rotate_key.ts";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { eq } from "@/lib/store/filter.ts";
import { refused } from "../api/test_collection.ts";
import { openTestApp } from "../support/test_app.ts";

const PATH = "/api/data/posts";
const UNKNOWN_KEY = `pk_live_${"a".repeat(43)}`;

Deno.test("a rotated key and a deleted project's key are refused like unknown keys", async () => {
  await using app = await openTestApp();
  const [rotated, deleted, kept] = [await app.project(), await app.project(), await app.project()];
  await rotateKey(app.services, rotated.projectId, { kind: "publishable" });
  await rotateKey(app.services, rotated.projectId, { kind: "secret" });
  const owner = await deleted.owner();
  const { status } = await owner.send({
    method: "DELETE",
    path: `/api/projects/${deleted.projectId}`,
    body: { name: await nameOf(owner, deleted.projectId) },
  });
  assert.equal(status, 200);
  const texts = new Set<string>();
  for (
    const key of [
      UNKNOWN_KEY,
      UNKNOWN_KEY.replace("pk_", "sk_"),
      ...[rotated, deleted].flatMap((one) => [one.publishableKey, one.secretKey]),
      kept.publishableKey.replace("pk_", "sk_"),
    ]
  ) {
    for (const path of [PATH, "/api/data/users", `/api/projects/${kept.projectId}/openapi.json`]) {
      const answer = await app.send({ path, headers: { "x-api-key": key } });
      refused(answer, 401, "API_KEY_INVALID", /^No project here has this API key/);
      texts.add(answer.text);
    }
  }
  assert.equal(texts.size, 1, [...texts].join("\n"));
});

async function nameOf(
  owner: { send(call: { path: string }): Promise<{ body: { data: { name: string } } }> },
  projectId: string,
): Promise<string> {
  return (await owner.send({ path: `/api/projects/${projectId}` })).body.data.name;
}

Deno.test("a key as a bearer token is reported, whether or not a project has it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const texts = new Set<string>();
  for (const key of [UNKNOWN_KEY, project.publishableKey, project.secretKey, "pk_live_short"]) {
    for (const authorization of [`Bearer ${key}`, key]) {
      const answer = await app.send({ path: PATH, headers: { authorization } });
      refused(answer, 401, "API_KEY_INVALID", /send it as the header x-api-key instead/);
      texts.add(answer.text);
    }
  }
  assert.equal(texts.size, 1);
});

Deno.test("a secret key in an address is refused, whether or not a project has it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const texts = new Set<string>();
  for (const key of [project.secretKey, UNKNOWN_KEY.replace("pk_", "sk_"), "sk_live_short"]) {
    const path = `/api/userAuth/social/github/start?x-api-key=${key}`;
    const answer = await app.send({ path });
    refused(answer, 401, "API_KEY_INVALID", /must not be in an address/);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

Deno.test("a refused token reveals nothing about its signature or session", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  const [ann, eve, gone] = [await project.user(), await other.user(), await project.user()];
  const claims = decodeJwt(ann.token);
  const forge = (changes: object) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: "HS256" })
      .sign(new Uint8Array(32));
  const sessions = app.services.engine.records<SessionRecord>(project.projectId, SESSIONS);
  await sessions.updateOne(eq("_id", decodeJwt(gone.token).sid as string), {
    set: { revokedAt: new Date(app.clock.now()).toISOString() },
  });
  const unknownProject = "66f1a0c2e4b0a1b2c3d4e5f6";
  const refusal = async (token: string) => {
    const answer = await project.asPublic({ path: PATH }, { id: "", token });
    refused(answer, 401, "ACCESS_TOKEN_INVALID");
    return answer.body.message;
  };
  const foreign = await refusal(eve.token);
  assert.match(foreign, /is for another project/);
  assert.equal(
    await refusal(await forge({ aud: unknownProject })),
    foreign,
    "a project that does not exist",
  );
  const invalid = await refusal(gone.token);
  assert.match(invalid, /not valid, or its session has ended/);
  assert.equal(await refusal(await forge({})), invalid);
  const expired = await refusal(await forge({ exp: 1 }));
  app.clock.advance(16 * 60_000);
  assert.equal(await refusal(ann.token), expired);
  assert.match(expired, /has expired/);
});

Deno.test("a token without Bearer and a key in its place are reported", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { token } = await project.user();
  const ask = (authorization: string) =>
    project.asPublic({ path: PATH, headers: { authorization } });
  refused(await ask(token), 401, "ACCESS_TOKEN_INVALID", /must follow "Bearer "/);
  refused(await ask(`Token ${token}`), 401, "ACCESS_TOKEN_INVALID", /follow "Bearer "/);
  const key = await ask(`Bearer ${project.publishableKey}`);
  refused(key, 401, "ACCESS_TOKEN_INVALID", /holds an API key/);
});
