import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

Deno.test("getIndex returns addresses that all respond", async () => {
  await using app = await openTestApp({ env: { PUBLIC_URL: "https://api.example" } });
  const data = ok(await app.send({ path: "/" }));
  assert.deepEqual(data, {
    name: "Corbel",
    reference: "https://api.example/docs",
    document: "https://api.example/openapi.json",
    client: "https://api.example/client.js",
    commandLine: "https://api.example/cli.js",
    health: "https://api.example/api/health",
    ready: "https://api.example/api/health/ready",
  });
  const { name: _name, ...addresses } = data as Record<string, string>;
  for (const address of Object.values(addresses)) {
    assert.equal((await app.send({ path: new URL(address).pathname })).status, 200, address);
  }
});
