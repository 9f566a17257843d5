/** Runs the server that docs/extending.md shows. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { freePort } from "../services/guarded.ts";
import { createTestStore } from "../support/test_store.ts";
import { admin, startServer } from "./server.ts";
import { until } from "./until.ts";

const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = `${CHECKOUT}examples/extending/server.ts`;

Deno.test("docs/extending.md shows the example unchanged", async () => {
  const page = await Deno.readTextFile(`${CHECKOUT}docs/extending.md`);
  const [, shown] = /```ts\n([^]*?)```/.exec(page)!;
  assert.ok((await Deno.readTextFile(EXAMPLE)).endsWith(shown!));
});

Deno.test("an extended server serves Corbel, a route and a middleware", async () => {
  await using store = await createTestStore();
  await using corbel = await startServer({ store, task: "dev" });
  const { projects: [project] } = await admin(["project", "list"], corbel.settings);
  const { PATH = "", HOME = "", DENO_DIR = "" } = Deno.env.toObject();
  // A second server, on another port than the one that created the demo.
  const port = String(freePort());
  await using _server = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", EXAMPLE],
    cwd: CHECKOUT,
    clearEnv: true,
    env: { PATH, HOME, ...(DENO_DIR && { DENO_DIR }), ...corbel.settings, PORT: port },
    stdin: "null",
    stdout: "null",
  }).spawn();
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { served: response.headers.get("x-served-by"), body: await response.json() };
  };
  await until("the server responds", () => get("/api/health").then(() => true, () => false));
  const health = await get("/api/health");
  assert.deepEqual([health.served, health.body.success], ["our own server", true]);
  const sizes = await get(`/sizes/${project.projectId}/posts`);
  assert.equal(sizes.served, "our own server");
  assert.ok(sizes.body.count > 100, JSON.stringify(sizes.body));
});
