import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";
import { declareFields } from "./user_email.ts";

const call = { path: "/users/fields" };

Deno.test("getUserFields returns the declared fields to each member, and none at first", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.deepEqual(ok(await owner.asOwner(call)), { fields: [] });
  await declareFields(
    app,
    owner.project,
    { key: "company", type: "String", public: true },
    { key: "tags", type: "Array", items: { type: "String" }, required: true },
  );
  const { fields } = ok(await owner.asOwner(call));
  const members = fields.map((field: Record<string, unknown>) => [
    field.key,
    field.type,
    field.required,
    field.public,
  ]);
  assert.deepEqual(members, [["company", "String", false, true], ["tags", "Array", true, false]]);
  for (const role of ["admin", "viewer"] as const) {
    assert.deepEqual(ok(await owner.as(role, call)), { fields });
  }
});

Deno.test("getUserFields returns another process's change within five seconds", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await using second = await openTestApp({ store: app.store, clock: app.clock });
  assert.deepEqual(ok(await owner.asOwner(call)), { fields: [] });
  await declareFields(second, owner.project, { key: "company", type: "String" });
  app.clock.advance(5000);
  assert.equal(ok(await owner.asOwner(call)).fields.length, 1);
});

Deno.test("getUserFields refuses strangers and requests without a session", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const path = `/api/projects/${owner.projectId}/users/fields`;
  const stranger = await openAccount(app);
  refused(await stranger.send({ path }), 404, "PROJECT_NOT_FOUND");
  refused(await app.send({ path }), 401, "SIGN_IN_REQUIRED");
});
