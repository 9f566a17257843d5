import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { createProject } from "./create_project.ts";
import { checkedKeyKind, eachProject, findProject, keysMadeAt, rotateKey } from "./projects.ts";
import { type ProjectRecord, PROJECTS } from "./records.ts";

const UNKNOWN = "66f1a0c2e4b0a1b2c3d4e5f6";
const INPUT = { name: "Test", siteUrl: null };

Deno.test("a project is found by its id", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, INPUT);
  assert.equal((await findProject(services, projectId))._id, projectId);
});

Deno.test("an id of no project gets the interface's refusal", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  await createProject(services, INPUT);
  await assert.rejects(findProject(services, UNKNOWN), {
    code: "PROJECT_NOT_FOUND",
    status: 404,
    message: "Project not found or access denied",
  });
});

Deno.test("every project is met once, in the order of their ids, however many there are", async () => {
  await using opened = await openTestServices();
  const { engine } = opened.services;
  const ids = Array.from({ length: 1203 }, (_, n) => (n + 1).toString(16).padStart(24, "0"));
  await engine.records<ProjectRecord>("control", PROJECTS).insertMany(ids.map((_id) => ({
    _id,
    name: "Test",
    siteUrl: null,
    allowedOrigins: [],
    ownerId: null,
    sealedAiKey: null,
    deletedAt: null,
    createdAt: "2026-01-31T12:00:00.000Z",
  })));
  const met: string[] = [];
  for await (const { _id } of eachProject({ engine })) met.push(_id);
  assert.deepEqual(met, ids);
});

Deno.test("without projects there is nothing to meet", async () => {
  await using opened = await openTestServices();
  for await (const project of eachProject(opened.services)) assert.fail(JSON.stringify(project));
  assert.equal((await Array.fromAsync(eachProject(opened.services))).length, 0);
});

Deno.test("rotation gives a fresh key of the same kind and refuses the present one at once", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId, publishableKey, secretKey } = await createProject(services, INPUT);
  await services.keys.find(publishableKey);
  const fresh = await rotateKey(services, projectId, "publishable");
  assert.match(fresh, /^pk_live_/);
  assert.equal(await services.keys.find(publishableKey), null);
  assert.equal((await services.keys.find(fresh))?.projectId, projectId);
  assert.equal((await services.keys.find(secretKey))?.kind, "secret");
});

Deno.test("of 20 rotations at once exactly one key is left", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const { projectId } = await createProject(services, INPUT);
  const keys = await Promise.all(
    Array.from({ length: 20 }, () => rotateKey(services, projectId, "secret")),
  );
  const holders = await Promise.all(keys.map((key) => services.keys.find(key)));
  assert.equal(holders.filter((holder) => holder !== null).length, 1);
});

Deno.test("a project that is not there has no key to rotate", async () => {
  await using opened = await openTestServices();
  await assert.rejects(rotateKey(opened.services, UNKNOWN, "secret"), {
    code: "PROJECT_NOT_FOUND",
  });
});

Deno.test("it is known when each key was made, and of what kinds there are", async () => {
  await using opened = await openTestServices();
  const { services, clock } = opened;
  const { projectId } = await createProject(services, INPUT);
  const madeAt = new Date(clock.now()).toISOString();
  clock.advance(60_000);
  await rotateKey(services, projectId, checkedKeyKind("secret"));
  const rotatedAt = new Date(clock.now()).toISOString();
  assert.deepEqual(await keysMadeAt(services, projectId), {
    publishable: madeAt,
    secret: rotatedAt,
  });
  assert.deepEqual(await keysMadeAt(services, UNKNOWN), {});
  assert.throws(() => checkedKeyKind("Secret"), { code: "INVALID_INPUT" });
});
