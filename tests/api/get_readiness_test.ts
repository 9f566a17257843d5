import assert from "node:assert/strict";
import type { Engine } from "@/lib/store/port.ts";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./shelf.ts";

const PATH = "/api/health/ready";

Deno.test("a process whose database answers is ready", async () => {
  await using app = await openTestApp();
  const answer = await app.send({ path: PATH });
  assert.deepEqual(ok(answer), { status: "ready", database: app.services.engine.name });
  assert.equal(answer.body.message, "Ready");
});

Deno.test("a process whose database is down is not ready, and names it and nothing else", async () => {
  await using app = await openTestApp();
  for (const error of [new StoreUnavailable("disk /secret/place"), new Error("password=hunter2")]) {
    const engine: Engine = {
      ...app.services.engine,
      name: "sqlite",
      ping: () => Promise.reject(error),
    };
    const answer = await send(createApp({ ...app.services, engine }), { path: PATH });
    refused(answer, 503, "NOT_READY", "database (sqlite)");
    assert.match(answer.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.ok(!/secret|hunter2/.test(answer.text));
  }
});
