import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { createKeyDirectory } from "@/lib/projects/api_keys.ts";
import { send as sendTo } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openTeam, putCall, type Team } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

const record = (team: Team, minutes: unknown) =>
  putCall(team.path("/requests/recording"), { minutes });

const statuses = async (app: TestApp, team: Team): Promise<number[]> => {
  await app.services.requestLog.store();
  const path = team.path("/requests?operation=getProjectOpenApi");
  const { items } = ok(await team.owner.send({ path }));
  return items.map(({ status }: { status: number }) => status);
};

const read = (app: TestApp, team: Team) =>
  app.open({ path: team.path("/openapi.json"), headers: { "x-api-key": team.publishableKey } })
    .then((response) => response.text());

Deno.test("recordRequests lists all requests from then on until its time is over", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await read(app, team);
  assert.deepEqual(await statuses(app, team), []);
  const recordsUntil = "2026-01-31T12:10:00.000Z";
  assert.deepEqual(ok(await team.admin.send(record(team, 10))), { recordsUntil });
  assert.equal(
    ok(await team.viewer.send({ path: team.path("/requests") })).recordsUntil,
    recordsUntil,
  );
  await read(app, team);
  assert.deepEqual(await statuses(app, team), [200]);
  app.clock.advance(10 * 60_000);
  await read(app, team);
  assert.deepEqual(await statuses(app, team), [200]);
  assert.equal(ok(await team.viewer.send({ path: team.path("/requests") })).recordsUntil, null);
});

Deno.test("another process starts recording within five seconds", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { services, clock } = app;
  const elsewhere = createApp({ ...services, keys: createKeyDirectory(services.engine, clock) });
  const path = "/api/data/none";
  const headers = { "x-api-key": team.publishableKey };
  const requestTypes = () => sendTo(elsewhere, { path: team.path("/types.ts"), headers });
  refused(await sendTo(elsewhere, { path, headers }), 404, "COLLECTION_NOT_FOUND");
  ok(await team.admin.send(record(team, 60)));
  clock.advance(5000);
  assert.equal((await requestTypes()).status, 200);
  await services.requestLog.store();
  const { items } = ok(await team.owner.send({ path: team.path("/requests?status=2xx") }));
  assert.ok(items.some(({ caller }: { caller: string }) => caller === "publishable"));
});

Deno.test("0 minutes stop the recording immediately", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  ok(await team.owner.send(record(team, 60)));
  assert.deepEqual(ok(await team.owner.send(record(team, 0))), { recordsUntil: null });
  await read(app, team);
  assert.deepEqual(await statuses(app, team), []);
});

Deno.test("an invalid number of minutes or a viewer's call is refused and records nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const minutes of [-1, 61, 1.5, "60", null, undefined]) {
    refused(await team.owner.send(record(team, minutes)), 400, "INVALID_BODY");
  }
  refused(await team.viewer.send(record(team, 1)), 403, "ROLE_REQUIRED");
  await read(app, team);
  assert.deepEqual(await statuses(app, team), []);
});
