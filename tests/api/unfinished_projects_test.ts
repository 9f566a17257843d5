import assert from "node:assert/strict";
import { createLog } from "@/lib/runtime/log.ts";
import { objectIds } from "@/lib/ids.ts";
import { ALL } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

const HOUR_MS = 3_600_000;

/** Leaves what is stored of a project whose creation is killed. */
async function beginProject({ services, clock }: TestApp): Promise<string> {
  const projectId = objectIds(clock)();
  await services.engine.createSpace(projectId);
  await services.signingKeys.create(projectId);
  return projectId;
}

Deno.test("the remains of a killed project creation are removed after an hour", async () => {
  await using app = await openTestApp();
  const { services: { engine }, clock } = app;
  const project = await app.project();
  const begun = await beginProject(app);
  clock.advance(HOUR_MS - 60_000);
  assert.equal((await maintain(app.services)).unfinished, 0);
  assert.ok((await engine.spaces()).includes(begun), "its creation may still be in progress");
  clock.advance(120_000);
  assert.equal((await maintain(app.services)).unfinished, 1);
  const left = await engine.spaces();
  assert.ok(!left.includes(begun));
  assert.ok(left.includes(project.projectId), "an unused project stays");
  await project.collection({ name: "notes", fields: [], rls: { enabled: false } });
  ok(await project.asSecret({ path: "/api/data/notes", body: { text: "still there" } }), 201);
  assert.equal((await maintain(app.services)).unfinished, 0);
});

Deno.test("data of an unknown project stays, and the log names the project", async () => {
  const said: string[] = [];
  using log = createLog("error", (text) => said.push(text));
  await using app = await openTestApp({ log });
  const { services: { engine }, clock } = app;
  const begun = await beginProject(app);
  const notes = engine.records(begun, { name: "notes", fields: {}, indexes: [], trash: false });
  await notes.insert({ _id: objectIds(clock)() });
  clock.advance(2 * HOUR_MS);
  assert.equal((await maintain(app.services)).unfinished, 0);
  log.flush();
  assert.match(said.join(""), new RegExp(`without a project: restore .*${begun}`));
  assert.equal(await notes.count(ALL), 1);
});
