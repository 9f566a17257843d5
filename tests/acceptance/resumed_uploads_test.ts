/** Resumable uploads that are interrupted, with one server and with two on one store. */

import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { createProject } from "./project.ts";
import {
  assertSameBytes,
  confirm,
  fetchServed,
  head,
  manyBytes,
  offsetOf,
  patch,
  request,
  resumeToEnd,
  startUpload,
  type Upload,
} from "./resumable.ts";
import { runAdmin, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

/** A file that is longer than one part of a bucket's upload. */
const FILE = manyBytes(6_000_000);
const BEGINNING = 400_000;
const SOON_MS = 60_000;
/** Milliseconds for a takeover after two seconds, plus the upload on a busy machine. */
const AT_ONCE_MS = 5_000;

/** Starts two servers on one store. The second stops before the store is removed. */
async function startTwo() {
  await using starting = new AsyncDisposableStack();
  const store = starting.use(await createTestStore());
  // Addresses must not contain the port of a process.
  const settings = { PUBLIC_URL: "http://localhost:8000" };
  const one = starting.use(await startServer({ store, settings }));
  const two = starting.use(await startServer({ store, settings }));
  const started = starting.move();
  return { one, two, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

const hold = (server: Server, upload: Upload) =>
  startUpload(server, upload, FILE.subarray(0, BEGINNING), `content-length: ${FILE.length}`);

async function assertServed(server: Server, confirmed: Awaited<ReturnType<typeof confirm>>) {
  const { url } = confirmed.body;
  const at = url.startsWith("http://localhost:8000") ? server.url + new URL(url).pathname : url;
  assertSameBytes(await fetchServed(server, { ...confirmed, body: { url: at } }), FILE);
}

async function assertNoDrift(server: Server, projectId: string): Promise<void> {
  const words = ["storage", "reconcile", "--project", projectId];
  const { code, stdout } = await runAdmin(words, server.settings);
  assert.equal(code, 0, stdout);
}

Deno.test("a PATCH at another process takes over from an open request", async () => {
  await using servers = await startTwo();
  const { one, two } = servers;
  const project = await createProject(one.settings);
  const upload = await request(one, project, FILE.length);
  using connection = await hold(one, upload);
  await resumeToEnd(two, upload, FILE);
  const { status, body } = await connection.answer();
  assert.deepEqual([status, JSON.parse(body).code], [423, "UPLOAD_LOCKED"]);
  await assertServed(two, await confirm(two, project, upload));
  await assertNoDrift(two, project.projectId);
});

Deno.test("after kill -9 during an upload another process resumes it, and the file is exact", async () => {
  await using servers = await startTwo();
  const { one, two } = servers;
  const project = await createProject(one.settings);
  const upload = await request(one, project, FILE.length);
  using _connection = await hold(one, upload);
  await one.kill();
  await resumeToEnd(two, upload, FILE);
  await assertServed(two, await confirm(two, project, upload));
  assert.equal((await head(two, upload)).status, 410);
  await assertNoDrift(two, project.projectId);
});

for (const way of ["ends", "resets"] as const) {
  Deno.test(`a client that ${way} its connection during an upload resumes it`, async () => {
    await using server = await startServer();
    const project = await createProject(server.settings);
    const upload = await request(server, project, FILE.length);
    {
      using connection = await hold(server, upload);
      if (way === "ends") {
        connection.end();
        const isKept = async () => await offsetOf(server, upload) === BEGINNING;
        await until("the received bytes are stored", isKept, SOON_MS);
      }
    }
    await resumeToEnd(server, upload, FILE);
    assertSameBytes(await fetchServed(server, await confirm(server, project, upload)), FILE);
  });
}

for (const way of ["ends", "resets", "says nothing more on"] as const) {
  Deno.test(`a client that ${way} its connection resumes at once, at this process and at another`, async () => {
    await using servers = await startTwo();
    const { one } = servers;
    const project = await createProject(one.settings);
    for (const server of [one, servers.two]) {
      const upload = await request(one, project, FILE.length);
      using connection = await hold(one, upload);
      if (way === "ends") connection.end();
      else if (way === "resets") connection[Symbol.dispose]();
      const began = performance.now();
      const offset = await offsetOf(server, upload);
      assert.equal(await patch(server, upload, offset, FILE.slice(offset)), 204);
      const took = performance.now() - began;
      assert.ok(took < AT_ONCE_MS, `${took} ms`);
      await assertServed(server, await confirm(server, project, upload));
    }
  });
}
