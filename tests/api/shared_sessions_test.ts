import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { openTestServices } from "../support/test_services.ts";
import { ok, tally, times } from "./test_collection.ts";
import { arrive, exchangeCall, signIn } from "./signed_in.ts";

/** Milliseconds within which another process notices a change. */
const STALE_MS = 5000;

Deno.test("a session revoked in one process is refused there immediately, elsewhere within 5 s", async () => {
  await using one = await openTestApp();
  await using services = await openTestServices({ store: one.store, clock: one.clock });
  const other = createApp(services.services);
  const project = await one.project();
  await project.collection({ name: "notes", fields: [] });
  const user = await project.user();
  const staying = await project.user();
  const path = "/api/data/notes";
  const callOf = ({ token }: { token: string }) => ({
    path,
    headers: { "x-api-key": project.publishableKey, authorization: `Bearer ${token}` },
  });
  const statuses = async (call: ReturnType<typeof callOf>) => [
    (await one.send(call)).status,
    (await send(other, call)).status,
  ];
  assert.deepEqual(await statuses(callOf(user)), [200, 200]);
  assert.deepEqual(await statuses(callOf(staying)), [200, 200]);

  const { headers } = callOf(user);
  ok(await one.send({ method: "POST", path: "/api/userAuth/logout", headers }));
  assert.equal((await one.send(callOf(user))).status, 401);

  // In constant use, which must not keep the session cached for longer.
  for (let passed = 0; passed < STALE_MS; passed += 500) {
    one.clock.advance(500);
    await send(other, callOf(user));
  }
  assert.deepEqual(await statuses(callOf(user)), [401, 401]);
  assert.deepEqual(await statuses(callOf(staying)), [200, 200]);
});

Deno.test("of 50 exchanges of one code across two processes one succeeds", async () => {
  await using one = await openTestApp();
  await using services = await openTestServices({ store: one.store, clock: one.clock });
  const other = createApp(services.services);
  const project = await one.project();
  const { rtCode, token } = await arrive(one, project);
  const call = exchangeCall({ rtCode, token }, { "x-api-key": project.publishableKey });
  const answers = await Promise.all(
    times(50, (i) => i % 2 === 0 ? one.send(call) : send(other, call)),
  );
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
});

Deno.test("a refresh token may be repeated 50 times across two processes", async () => {
  await using one = await openTestApp();
  await using services = await openTestServices({ store: one.store, clock: one.clock });
  const other = createApp(services.services);
  const project = await one.project();
  const { refreshToken } = await signIn(one, project);
  const call = {
    method: "POST",
    path: "/api/userAuth/refresh-token",
    headers: { "x-api-key": project.publishableKey, "x-refresh-token": refreshToken },
  };
  const answers = await Promise.all(
    times(60, (i) => i % 2 === 0 ? one.send(call) : send(other, call)),
  );
  assert.deepEqual(tally(answers), { 200: 51, 401: 9 });
});
