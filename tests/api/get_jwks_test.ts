import assert from "node:assert/strict";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { openTestApp } from "../support/test_app.ts";
import { refused, UNKNOWN_ID } from "./test_collection.ts";

Deno.test("getJwks returns the public key that verifies the project's tokens", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id, token } = await project.user();
  const answer = await app.send({ path: `/api/projects/${project.projectId}/jwks.json` });
  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.body), ["keys"]);
  const [key] = answer.body.keys;
  assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x"]);
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(answer.body), {
    issuer: `http://localhost:8000/api/projects/${project.projectId}`,
    audience: project.projectId,
    typ: "at+jwt",
    algorithms: ["EdDSA"],
    currentDate: new Date(app.clock.now()),
  });
  assert.equal(payload.sub, id);
  assert.equal(payload.exp! - payload.iat!, 900);
  assert.equal(protectedHeader.kid, decodeProtectedHeader(token).kid);
  assert.equal(protectedHeader.kid, key.kid);
});

Deno.test("getJwks returns one stable key per project", async () => {
  await using app = await openTestApp();
  const [one, two] = [await app.project(), await app.project()];
  const read = async (id: string) =>
    (await app.send({ path: `/api/projects/${id}/jwks.json` })).body.keys;
  assert.notEqual((await read(one.projectId))[0].x, (await read(two.projectId))[0].x);
  assert.deepEqual(await read(one.projectId), await read(one.projectId.toUpperCase()));
});

Deno.test("getJwks returns 404 for an unknown project and 400 for an invalid project id", async () => {
  await using app = await openTestApp();
  await app.project();
  const unknown = await app.send({ path: `/api/projects/${UNKNOWN_ID}/jwks.json` });
  refused(unknown, 404, "PROJECT_NOT_FOUND", "Project not found or access denied");
  for (const id of ["x", "control", `${UNKNOWN_ID}0`, UNKNOWN_ID.slice(1)]) {
    const answer = await app.send({ path: `/api/projects/${id}/jwks.json` });
    refused(answer, 400, "INVALID_PROJECT_ID", "Invalid project ID");
  }
});

Deno.test("getJwks allows any origin", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const answer = await app.send({
    path: `/api/projects/${project.projectId}/jwks.json`,
    headers: { origin: "https://elsewhere.example" },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("access-control-allow-origin"), "https://elsewhere.example");
});
