import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

Deno.test("getHealth reports a serving process as alive", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: "/api/health" });
  assert.deepEqual(ok(answer), { status: "ok" });
  assert.equal(answer.body.message, "Alive");
});

Deno.test("getHealth reports the process as alive if the database is unavailable", async () => {
  await using app = await openTestApp();
  const engine = new Proxy(app.services.engine, {
    get: () => () => Promise.reject(new Error("away")),
  });
  const answer = await send(createApp({ ...app.services, engine }), { path: "/api/health" });
  assert.deepEqual(ok(answer), { status: "ok" });
});
