import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { openTeam } from "./team.ts";

Deno.test("a fresh key takes the place of the present one at once; the other kind stays", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const asked = (key: string) =>
    app.send({ path: "/api/data/none", headers: { "x-api-key": key } });
  const keys = { publishable: team.publishableKey, secret: team.secretKey };
  for (const kind of ["publishable", "secret"] as const) {
    refused(await asked(keys[kind]), 404, "COLLECTION_NOT_FOUND");
    const path = team.path(`/keys/${kind}/rotate`);
    const answer = await team.admin.send({ method: "POST", path });
    const { kind: told, key } = ok(answer);
    assert.equal(told, kind);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    refused(await asked(keys[kind]), 401, "API_KEY_INVALID");
    keys[kind] = key;
    for (const one of Object.values(keys)) {
      refused(await asked(one), 404, "COLLECTION_NOT_FOUND");
    }
  }
});

Deno.test("a kind that is none is 400, and no key changes", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  for (const kind of ["private", "PUBLISHABLE", "%7B%7D"]) {
    const path = team.path(`/keys/${kind}/rotate`);
    refused(await team.owner.send({ method: "POST", path }), 400, "INVALID_INPUT");
  }
  const headers = { "x-api-key": team.secretKey };
  refused(await app.send({ path: "/api/data/none", headers }), 404, "COLLECTION_NOT_FOUND");
});
