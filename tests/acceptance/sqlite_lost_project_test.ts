import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createTestStore } from "../support/test_store.ts";
import { createCollection, createProject, type Project, send, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";

const READY = { status: "ready", database: "sqlite", storage: "disk" };

/** Creates a store with two projects of one document each, and returns the file of one project. */
async function openFilled() {
  const store = await createTestStore();
  const projects = [await createProject(store.settings), await createProject(store.settings)];
  {
    await using server = await startServer({ store });
    for (const project of projects) {
      await createCollection(store.settings, project, THINGS);
      assert.equal((await write(server, project)).status, 201);
    }
  }
  const fileOf = ({ projectId }: Project) => `${store.folder}/projects/${projectId}.db`;
  return { store, lost: projects[0]!, other: projects[1]!, fileOf };
}

const write = (server: Server, { secretKey: key }: Project) =>
  send(server, { path: "/api/data/things", key, body: { n: 1 } });

const read = (server: Server, { secretKey: key }: Project) =>
  send(server, { path: "/api/data/things", key });

const readiness = async (server: Server) => {
  const { status, body } = await send(server, { path: "/api/health/ready" });
  assert.equal(status, 200, "all other projects are served");
  return body.data;
};

Deno.test("a project without its file is 503, is logged and at /ready, and recovers with the file", async () => {
  const { store, lost, other, fileOf } = await openFilled();
  await using _store = store;
  const file = fileOf(lost);
  await Deno.rename(file, `${store.folder}/elsewhere`);
  await using server = await startServer({ store });
  assert.match(server.stdout(), new RegExp(`missing or empty.*backup.*${lost.projectId}`));
  assert.deepEqual(await readiness(server), { ...READY, unusableProjects: 1 });
  for (const use of [read, write]) {
    const refused = await use(server, lost);
    assert.equal(refused.status, 503);
    assert.equal(refused.body.code, "STORE_UNAVAILABLE");
    assert.ok(!refused.text.includes(store.folder), "only the log contains the path");
  }
  assert.match(server.stdout(), new RegExp(`${lost.projectId}.*is missing or empty`));
  assert.equal((await read(server, other)).body.data.total, 1);
  assert.equal((await write(server, other)).status, 201);
  await assert.rejects(Deno.stat(file), Deno.errors.NotFound, "no file is created in its place");

  await Deno.rename(`${store.folder}/elsewhere`, file);
  assert.equal((await read(server, lost)).body.data.total, 1);
  assert.deepEqual(await readiness(server), READY);
});

Deno.test("a project's file of a newer version is 503, not 500, and counted at /ready", async () => {
  const { store, lost, other, fileOf } = await openFilled();
  await using _store = store;
  using db = new DatabaseSync(fileOf(lost));
  db.exec("pragma user_version = 9999");
  await using server = await startServer({ store });
  const refused = await read(server, lost);
  assert.equal(refused.status, 503);
  assert.equal(refused.body.code, "STORE_UNAVAILABLE");
  assert.match(server.stdout(), /schema version is 9999.*Run the newer Corbel/);
  assert.equal((await read(server, other)).status, 200);
  assert.deepEqual(await readiness(server), { ...READY, unusableProjects: 1 });
});
