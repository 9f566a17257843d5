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

/** What else the machine does is no fault of the server. */
const TRIES = 5;
/** What a read may wait for on a machine that has nothing else to do. */
const READ_MS = 250;
/** The part of the bulk's time that a read may wait for on any other machine. */
const READ_PART = 0.7;

Deno.test("reads go on while a long request is worked on, and its answer is as any other", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, { name: "things", fields: [], strict: false });
  const key = project.secretKey;
  const path = "/api/data/things";
  const { body } = await send(server, { path, key, body: { n: 1 } });
  const one = `${path}/${body.data._id}`;

  /** Sends a bulk, and resolves to its answer and whether reads went on until it came. */
  async function bulkWithReads() {
    let isOver = false;
    const began = performance.now();
    const bulk = send(server, { path: `${path}/bulk`, key, body: dearest() })
      .finally(() => isOver = true);
    let longest = 0;
    while (!isOver) {
      const at = performance.now();
      assert.equal((await send(server, { path: one, key })).status, 200);
      longest = Math.max(longest, performance.now() - at);
    }
    const bound = Math.max(READ_MS, READ_PART * (performance.now() - began));
    return { answer: await bulk, areFast: longest < bound, told: `${longest} of ${bound} ms` };
  }

  let bulks = 0;
  for (let isOver = false; !isOver; bulks++) {
    const { answer, areFast, told } = await bulkWithReads();
    assert.equal(answer.status, 201, server.stdout() + server.stderr());
    assert.equal(answer.body.data.insertedCount, 100);
    assert.ok(areFast || bulks < TRIES, `a read took ${told}`);
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

Deno.test("a long request that is worked on ends before the process does", async () => {
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
