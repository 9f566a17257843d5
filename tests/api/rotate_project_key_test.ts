import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam } from "./team.ts";

Deno.test("rotateProjectKey replaces the current key immediately; the other kind stays", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const listWith = (key: string) =>
    app.send({ path: "/api/data/none", headers: { "x-api-key": key } });
  const keys = { publishable: team.publishableKey, secret: team.secretKey };
  for (const kind of ["publishable", "secret"] as const) {
    refused(await listWith(keys[kind]), 404, "COLLECTION_NOT_FOUND");
    const path = team.path(`/keys/${kind}/rotate`);
    const answer = await team.admin.send({ method: "POST", path });
    const { kind: rotated, key, formerValidUntil } = ok(answer);
    assert.deepEqual([rotated, formerValidUntil], [kind, null]);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    refused(await listWith(keys[kind]), 401, "API_KEY_INVALID");
    keys[kind] = key;
    for (const one of Object.values(keys)) {
      refused(await listWith(one), 404, "COLLECTION_NOT_FOUND");
    }
  }
});

Deno.test("an unknown kind is 400 and no key changes", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const kind of ["private", "PUBLISHABLE", "%7B%7D"]) {
    const path = team.path(`/keys/${kind}/rotate`);
    refused(await team.owner.send({ method: "POST", path }), 400, "INVALID_INPUT");
  }
  const headers = { "x-api-key": team.secretKey };
  refused(await app.send({ path: "/api/data/none", headers }), 404, "COLLECTION_NOT_FOUND");
});

Deno.test("with a grace period both keys work until its end", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const listWith = (key: string) =>
    app.send({ path: "/api/data/none", headers: { "x-api-key": key } });
  const keys = { publishable: team.publishableKey, secret: team.secretKey };
  for (const kind of ["publishable", "secret"] as const) {
    const path = team.path(`/keys/${kind}/rotate`);
    const body = { graceHours: 72 };
    const { key, formerValidUntil } = ok(await team.admin.send({ method: "POST", path, body }));
    assert.equal(formerValidUntil, "2026-02-03T12:00:00.000Z");
    for (const one of [keys[kind], key]) refused(await listWith(one), 404, "COLLECTION_NOT_FOUND");
    keys[kind] = key;
  }
  app.clock.advance(72 * 3_600_000);
  refused(await listWith(team.publishableKey), 401, "API_KEY_INVALID");
  refused(await listWith(team.secretKey), 401, "API_KEY_INVALID");
  for (const one of Object.values(keys)) refused(await listWith(one), 404, "COLLECTION_NOT_FOUND");
});

Deno.test("an invalid grace period or a viewer's call is refused and no key changes", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const path = team.path("/keys/secret/rotate");
  for (const graceHours of [-1, 73, 1.5, "24", null]) {
    const body = { graceHours };
    refused(await team.owner.send({ method: "POST", path, body }), 400, "INVALID_BODY");
  }
  const other = { method: "POST", path, body: { hours: 1 } };
  refused(await team.owner.send(other), 400, "INVALID_BODY");
  refused(await team.viewer.send({ method: "POST", path }), 403, "ROLE_REQUIRED");
  const { items } = ok(await team.viewer.send({ path: team.path("/keys") }));
  assert.deepEqual(items.map((one: { createdAt: string }) => one.createdAt), [
    "2026-01-31T12:00:00.000Z",
    "2026-01-31T12:00:00.000Z",
  ]);
  const headers = { "x-api-key": team.secretKey };
  refused(await app.send({ path: "/api/data/none", headers }), 404, "COLLECTION_NOT_FOUND");
});

Deno.test("after 20 concurrent rotations with a grace period the current and one former key work", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const path = team.path("/keys/secret/rotate");
  const body = { graceHours: 1 };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => team.owner.send({ method: "POST", path, body })),
  );
  const keys = answers.map((answer) => ok(answer).key);
  const statuses = await Promise.all(keys.map(async (key) => {
    const answer = await app.send({ path: "/api/data/none", headers: { "x-api-key": key } });
    return answer.status;
  }));
  assert.equal(statuses.filter((status) => status === 404).length, 2);
  assert.equal(statuses.filter((status) => status === 401).length, 18);
});
