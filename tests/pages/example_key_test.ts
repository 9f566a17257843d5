import assert from "node:assert/strict";
import { prepareDemo } from "@/routes/demo.ts";
import type { Answer } from "../support/conforming_client.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";

const CALL = { path: "/dashboard/example-key" };

function keyOf(answer: Answer): string | null {
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.ok(!answer.text.includes("sk_live_"));
  return JSON.parse(answer.text).key;
}

Deno.test("in start samples have the key of a project of the member, and otherwise no key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await project.owner();
  assert.equal(keyOf(await app.send(CALL)), null);
  assert.equal(keyOf(await owner.send(CALL)), project.publishableKey);
  const viewer = await openAccount(app);
  assert.equal(keyOf(await viewer.send(CALL)), null);
  await joinProject(app.services, project.projectId, viewer.accountId, "viewer");
  assert.equal(keyOf(await viewer.send(CALL)), project.publishableKey);
  const forged = { ...CALL, headers: { cookie: "corbel_session=forged" } };
  assert.equal(keyOf(await app.send(forged)), null);
});

Deno.test("a project in the trash provides no key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const owner = await project.owner();
  const path = `/api/projects/${project.projectId}`;
  const body = { name: "Test" };
  assert.equal((await owner.send({ method: "DELETE", path, body })).status, 200);
  assert.equal(keyOf(await owner.send(CALL)), null);
});

Deno.test("in dev everyone's samples have the printed key of the demo", async () => {
  await using app = await openTestApp({ isDev: true });
  assert.equal(keyOf(await app.send(CALL)), null);
  const greeting = await prepareDemo(app.services);
  const [, demo] = /publishable key +(pk_live_\S+)/.exec(greeting)!;
  await app.project();
  assert.equal(keyOf(await app.send(CALL)), demo);
});

Deno.test("dev provides strangers no key at another address", async () => {
  const env = { PUBLIC_URL: "https://corbel.example" };
  await using app = await openTestApp({ isDev: true, env });
  await prepareDemo(app.services);
  assert.equal(keyOf(await app.send(CALL)), null);
});

Deno.test("pages of other origins cannot read the key", async () => {
  await using app = await openTestApp({ isDev: true });
  await prepareDemo(app.services);
  const { headers } = await app.send({ ...CALL, headers: { origin: "http://localhost:5173" } });
  assert.equal(headers.get("access-control-allow-origin"), null);
});
