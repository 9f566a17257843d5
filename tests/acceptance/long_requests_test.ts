import assert from "node:assert/strict";
import { createCollection, createProject, send } from "./project.ts";
import { startServer } from "./server.ts";

const MiB = 1_048_576;

/** Returns the slowest valid bulk body: maximum length, with many small members. */
const slowestBulkBody = (): string => {
  const document = Object.fromEntries(Array.from({ length: 480 }, (_, i) => [`m${i}`, i]));
  const filler = "a".repeat(Math.floor(8 * MiB / 100) - JSON.stringify(document).length - 20);
  return JSON.stringify(Array.from({ length: 100 }, () => ({ ...document, filler })));
};

/** Number of attempts, because other load on the machine may delay reads. */
const TRIES = 5;
/** Milliseconds that a read may take on an idle machine. */
const READ_MS = 250;
/** Share of the bulk's duration that a read may take on a busy machine. */
const READ_SHARE = 0.7;

Deno.test("reads continue during a long request, which gets a normal response", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  const path = "/api/data/things";
  const { body } = await send(server, { path, key, body: { n: 1 } });
  const one = `${path}/${body.data._id}`;

  /** Sends a bulk, and resolves to its response and whether reads were fast until then. */
  async function bulkWithReads() {
    let isOver = false;
    const began = performance.now();
    const bulk = send(server, { path: `${path}/bulk`, key, body: slowestBulkBody() })
      .finally(() => isOver = true);
    let longest = 0;
    while (!isOver) {
      const at = performance.now();
      assert.equal((await send(server, { path: one, key })).status, 200);
      longest = Math.max(longest, performance.now() - at);
    }
    const bound = Math.max(READ_MS, READ_SHARE * (performance.now() - began));
    return { answer: await bulk, areFast: longest < bound, readTime: `${longest} of ${bound} ms` };
  }

  let bulks = 0;
  for (let isOver = false; !isOver; bulks++) {
    const { answer, areFast, readTime } = await bulkWithReads();
    assert.equal(answer.status, 201, server.stdout() + server.stderr());
    assert.equal(answer.body.data.insertedCount, 100);
    assert.ok(areFast || bulks < TRIES, `a read took ${readTime}`);
    isOver = areFast;
  }
  const { body: counted } = await send(server, { path: `${path}?count=true`, key });
  assert.equal(counted.data.count, 100 * bulks + 1);

  const { stdout } = await server.stop();
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const logged = lines.filter(({ operation }) => operation === "createDocuments");
  assert.equal(logged.length, bulks);
  assert.equal(logged[0].project, project.projectId);
});

Deno.test("a process completes a running long request before it ends", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  await send(server, { path: "/api/health" }); // Opens the connection that sends the bulk.
  const bulk = send(server, { path: "/api/data/things/bulk", key, body: slowestBulkBody() });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ended = server.stop();
  assert.equal((await bulk).status, 201, (await ended).stdout);
  assert.equal((await ended).code, 0);
  assert.equal((await ended).stderr, "");
});
