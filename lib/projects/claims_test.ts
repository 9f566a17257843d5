import assert from "node:assert/strict";
import { openTestServices } from "@/tests/support/test_services.ts";
import { claim } from "./claims.ts";

Deno.test("claim succeeds for one of 50 concurrent callers and never again", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const claims = Array.from({ length: 50 }, () => claim(services, "demo"));
  assert.equal((await Promise.all(claims)).filter(Boolean).length, 1);
  opened.clock.advance(86_400_000_000);
  assert.equal(await claim(services, "demo"), false);
});

Deno.test("claim treats names that differ in case as different tasks", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  assert.equal(await claim(services, "one"), true);
  assert.equal(await claim(services, "other"), true);
  assert.equal(await claim(services, "One"), true);
  assert.equal(await claim(services, "one"), false);
});

Deno.test("claim succeeds in only one of two processes with the same store", async () => {
  await using opened = await openTestServices();
  await using elsewhere = await openTestServices({ store: opened.store });
  const claims = [claim(opened.services, "demo"), claim(elsewhere.services, "demo")];
  assert.deepEqual((await Promise.all(claims)).sort(), [false, true]);
});

Deno.test("claim rejects if the store fails", async () => {
  await using opened = await openTestServices();
  const failing = new Proxy(opened.services.engine, {
    get: () => () => ({ insert: () => Promise.reject(new Error("disk full")) }),
  });
  await assert.rejects(claim({ ...opened.services, engine: failing }, "demo"), /disk full/);
});
