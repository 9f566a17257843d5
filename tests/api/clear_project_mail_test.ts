import assert from "node:assert/strict";
import { startSmtpServer } from "../support/smtp_server.ts";
import { MAIL, openMail, ownServer } from "./mail.ts";
import { ok } from "./test_collection.ts";

const CLEAR = { method: "DELETE", path: "/mail" };

Deno.test("clearProjectMail returns to the platform's mail server and keeps the language", async () => {
  await using mail = await openMail();
  await using own = await startSmtpServer();
  const body = { ...ownServer(own), mailLanguage: "de" };
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body }));
  assert.equal(ok(await mail.send(MAIL)).provider, "byok");
  await own.next();
  const cleared = { own: null, mailLanguage: "de" };
  for (const _ of [1, 2]) assert.deepEqual(ok(await mail.owner.as("admin", CLEAR)), cleared);
  assert.deepEqual(ok(await mail.owner.asOwner({ path: "/mail" })), cleared);
  assert.equal(ok(await mail.send(MAIL)).provider, "default");
  assert.equal((await mail.smtp.next()).from, "no-reply@corbel.example");
});

Deno.test("clearProjectMail admits only admins and the owner", async () => {
  await using mail = await openMail();
  const body = ownServer(mail.smtp);
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body }));
  await mail.owner.isForAdmins(CLEAR);
  assert.notEqual(ok(await mail.owner.asOwner({ path: "/mail" })).own, null);
});
