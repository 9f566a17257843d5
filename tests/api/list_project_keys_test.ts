import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openTeam } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("listProjectKeys returns the publishable key and only the start of the secret key", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const account of [team.owner, team.admin, team.viewer]) {
    const answer = await account.send({ path: team.path("/keys") });
    assert.deepEqual(ok(answer).items, [
      {
        kind: "publishable",
        key: team.publishableKey,
        start: null,
        createdAt: "2026-01-31T12:00:00.000Z",
        formerValidUntil: null,
      },
      {
        kind: "secret",
        key: null,
        start: team.secretKey.slice(0, 12),
        createdAt: "2026-01-31T12:00:00.000Z",
        formerValidUntil: null,
      },
    ]);
    assert.ok(!JSON.stringify(answer.body).includes(team.secretKey.slice(0, 13)));
  }
  refused(await team.stranger.send({ path: team.path("/keys") }), 404, "PROJECT_NOT_FOUND");
});

Deno.test("getProject and listProjects return the publishable key", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.equal(
    ok(await team.viewer.send({ path: team.path() })).publishableKey,
    team.publishableKey,
  );
  const { items } = ok(await team.viewer.send({ path: "/api/projects" }));
  assert.deepEqual(items.map((one: { publishableKey: string }) => one.publishableKey), [
    team.publishableKey,
  ]);
});
