import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { MAIL, openMail } from "./mail.ts";
import { ok, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

Deno.test("getKeptMail returns a kept mail with its code to admins only", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "keep:" } });
  const owner = await createTestOwner(app);
  const signUp = { email: "ada@example.com", password: "seven wet stones 41" };
  ok(await owner.project.asPublic({ path: "/api/userAuth/signup", body: signUp }), 201);
  await app.services.jobRunner.idle();
  const [{ id, subject }] = ok(await owner.asOwner({ path: "/mail/logs" })).items;
  const answer = await owner.asOwner({ path: `/mail/logs/${id}` });
  const mail = ok(answer);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual([mail.to, mail.kind, mail.state], ["ada@example.com", "verify", "kept"]);
  assert.match(mail.text, /\b\d{6}\b/);
  assert.notEqual(mail.subject, subject, "the log does not contain the subject");
  await owner.isForAdmins({ path: `/mail/logs/${id}` });
  const other = await createTestOwner(app);
  refused(await other.asOwner({ path: `/mail/logs/${id}` }), 404, "MAIL_NOT_FOUND");
  refused(await owner.asOwner({ path: "/mail/logs/x" }), 400, "INVALID_ID");
});

Deno.test("getKeptMail returns 404 for a mail that was sent", async () => {
  await using mail = await openMail();
  ok(await mail.send(MAIL));
  const [sent] = await mail.logged();
  assert.equal(sent!.state, "sent");
  refused(await mail.owner.asOwner({ path: `/mail/logs/${sent!.id}` }), 404, "MAIL_NOT_FOUND");
});
