import assert from "node:assert/strict";
import { createCollection, createProject, send } from "./project.ts";
import { startServer } from "./server.ts";

const MiB = 1_048_576;

/** As long as a bulk body may be, of the members that take longest: so many small ones. */
const dearest = (): string => {
  const document = Object.fromEntries(Array.from({ length: 480 }, (_, i) => [`m${i}`, i]));
  const filler = "a".repeat(Math.floor(8 * MiB / 100) - JSON.stringify(document).length - 20);
  return JSON.stringify(Array.from({ length: 100 }, () => ({ ...document, filler })));
};

Deno.test("reads go on while a long request is worked on, and its answer is as any other", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  const path = "/api/data/things";
  const { body } = await send(server, { path, key, body: { n: 1 } });
  const one = `${path}/${body.data._id}`;
  await send(server, { path: `${path}/bulk`, key, body: dearest() }); // Starts the thread.

  let isOver = false;
  const bulk = send(server, { path: `${path}/bulk`, key, body: dearest() });
  const began = performance.now();
  const bulkMs = bulk.then(() => (isOver = true, performance.now() - began));
  const reads: number[] = [];
  while (!isOver) {
    const at = performance.now();
    assert.equal((await send(server, { path: one, key })).status, 200);
    reads.push(performance.now() - at);
  }
  const answer = await bulk;
  assert.equal(answer.status, 201, server.stdout() + server.stderr());
  assert.equal(answer.body.data.insertedCount, 100);
  assert.ok(reads.length >= 10, `${reads.length} reads in ${await bulkMs} ms`);
  assert.ok(Math.max(...reads) < await bulkMs / 2, `${Math.max(...reads)} of ${await bulkMs} ms`);
  const { body: counted } = await send(server, { path: `${path}?count=true`, key });
  assert.equal(counted.data.count, 201, "what the other thread wrote is seen at once");

  const { stdout } = await server.stop();
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const logged = lines.filter(({ operation }) => operation === "createDocuments");
  assert.equal(logged.length, 2);
  assert.equal(logged[1].requestId, answer.headers.get("x-request-id"));
  assert.equal(logged[1].project, project.projectId);
});

Deno.test("what the thread for long requests is doing ends before the process does", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  await send(server, { path: "/api/health" }); // So that there is a connection to send it by.
  const bulk = send(server, { path: "/api/data/things/bulk", key, body: dearest() });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ended = server.stop();
  assert.equal((await bulk).status, 201, (await ended).stdout);
  assert.equal((await ended).code, 0);
  assert.equal((await ended).stderr, "");
});
