import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openAccount } from "../support/dashboard.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

Deno.test("getProjectMail returns the mail settings without the password, to members only", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const get = { path: "/mail" };
  assert.deepEqual(ok(await owner.as("viewer", get)), { own: null, mailLanguage: null });
  const body = { url: "smtps://blog:hush@smtp.example.com", from: "Blog <blog@example.com>" };
  const set = await owner.asOwner({ method: "PUT", path: "/mail", body });
  const answer = await owner.as("viewer", get);
  assert.deepEqual(ok(answer), ok(set));
  assert.deepEqual(ok(answer), {
    own: {
      host: "smtp.example.com",
      port: 465,
      from: "Blog <blog@example.com>",
      replyTo: null,
      hasPassword: true,
    },
    mailLanguage: null,
  });
  assert.ok(!answer.text.includes("hush"));
  const stranger = await openAccount(app);
  const path = `/api/projects/${owner.projectId}/mail`;
  refused(await stranger.send({ path }), 404, "PROJECT_NOT_FOUND");
});
