import assert from "node:assert/strict";
import { SIGN_IN_RATE_PER_MINUTE } from "@/lib/limits.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { openTestServices } from "../support/test_services.ts";
import { database } from "../support/test_store.ts";

const LIMIT = 50;

Deno.test({
  name: "a limit holds for all processes on one MongoDB together" +
    (database === "mongodb" ? "" : " (left out: on SQLite each process counts for itself)"),
  ignore: database !== "mongodb",
  async fn() {
    const env = { RATE_LIMITS: "on", RATE_LIMIT_PER_MINUTE: String(LIMIT) };
    await using one = await openTestApp({ env });
    await using services = await openTestServices({ env, store: one.store, clock: one.clock });
    const other = createApp(services.services);
    const { publishableKey, collection } = await one.project();
    await collection({ name: "posts", rls: { mode: "public-read" } });
    const call = { path: "/api/data/posts", headers: { "x-api-key": publishableKey } };
    for (let n = 0; n < LIMIT; n++) assert.equal((await one.send(call)).status, 200);
    assert.equal((await send(other, call)).status, 200);
    await one.services.rateLimiter.share();
    await services.services.rateLimiter.share();
    const refused = await send(other, call);
    assert.equal(refused.status, 429, refused.text);
    assert.equal(refused.headers.get("ratelimit-remaining"), "0");
    one.clock.advance(60_000);
    assert.equal((await send(other, call)).status, 200);
  },
});

Deno.test({
  name: "the limit of sign-ins holds for all processes on one MongoDB together" +
    (database === "mongodb" ? "" : " (left out: on SQLite each process counts for itself)"),
  ignore: database !== "mongodb",
  async fn() {
    const env = { RATE_LIMITS: "on" };
    await using one = await openTestApp({ env });
    await using services = await openTestServices({ env, store: one.store, clock: one.clock });
    const other = createApp(services.services);
    const { publishableKey } = await one.project();
    const path = "/api/userAuth/refresh-token";
    const call = { method: "POST", path, headers: { "x-api-key": publishableKey } };
    for (let n = 0; n < SIGN_IN_RATE_PER_MINUTE; n++) {
      assert.equal((await one.send(call)).status, 401);
    }
    assert.equal((await send(other, call)).status, 401);
    await one.services.signInLimiter.share();
    await services.services.signInLimiter.share();
    const refused = await send(other, call);
    assert.equal(refused.status, 429, refused.text);
    assert.equal(refused.headers.get("ratelimit-limit"), "60");
  },
});
