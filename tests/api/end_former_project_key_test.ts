import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { deleteCall, openTeam } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("endFormerProjectKey ends the former key before its grace period does, once", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const send = (key: string) => app.send({ path: "/api/data/none", headers: { "x-api-key": key } });
  const rotate = team.path("/keys/secret/rotate");
  const rotated = await team.owner.send({
    method: "POST",
    path: rotate,
    body: { graceHours: 24 },
  });
  const former = deleteCall(team.path("/keys/secret/former"));
  refused(await team.viewer.send(former), 403, "ROLE_REQUIRED");
  refused(await team.owner.send(deleteCall(team.path("/keys/x/former"))), 400, "INVALID_INPUT");
  refused(await send(team.secretKey), 404, "COLLECTION_NOT_FOUND");
  const other = deleteCall(team.path("/keys/publishable/former"));
  assert.deepEqual(ok(await team.admin.send(other)), { kind: "publishable", ended: false });
  refused(await send(team.secretKey), 404, "COLLECTION_NOT_FOUND");
  assert.deepEqual(ok(await team.admin.send(former)), { kind: "secret", ended: true });
  refused(await send(team.secretKey), 401, "API_KEY_INVALID");
  refused(await send(ok(rotated).key), 404, "COLLECTION_NOT_FOUND");
  assert.deepEqual(ok(await team.admin.send(former)), { kind: "secret", ended: false });
});
