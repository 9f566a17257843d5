import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const deletionOf = (place: string) => ({ method: "DELETE", path: `/mail/templates/${place}` });

Deno.test("deleteMailTemplate deletes a template once, in one language", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { subject: "Hi", text: "Text" };
  for (const language of ["en", "de-AT"]) {
    ok(await owner.asOwner({ method: "PUT", path: `/mail/templates/code/${language}`, body }));
  }
  assert.deepEqual(ok(await owner.as("admin", deletionOf("code/DE-at"))), { deleted: true });
  const assertNotFound = async (place: string, why: RegExp) =>
    refused(await owner.asOwner(deletionOf(place)), 404, "MAIL_TEMPLATE_NOT_FOUND", why);
  await assertNotFound("code/de-AT", /mail template\. Of "code" it has en\.$/);
  await assertNotFound("coed/en", /mail template\. Did you mean "code"\?$/);
  await assertNotFound("order/en", /mail template\.$/);
  refused(await owner.asOwner(deletionOf("Code/en")), 400, "INVALID_INPUT", "name");
  refused(await owner.asOwner(deletionOf("code/english")), 400, "INVALID_INPUT", "language");
  const { items } = ok(await owner.asOwner({ path: "/mail/templates" }));
  assert.deepEqual(items.map(({ language }: { language: string }) => language), ["en"]);
});

Deno.test("deleteMailTemplate admits only admins and the owner", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { subject: "Hi", text: "Text" };
  ok(await owner.asOwner({ method: "PUT", path: "/mail/templates/code/en", body }));
  await owner.isForAdmins(deletionOf("code/en"));
  assert.equal(ok(await owner.asOwner({ path: "/mail/templates" })).items.length, 1);
});
