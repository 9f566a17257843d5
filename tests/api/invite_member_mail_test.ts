import assert from "node:assert/strict";
import { INVITATION_MS } from "@/lib/limits.ts";
import { mailsOf } from "../support/mailbox.ts";
import { openAccount } from "../support/dashboard.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ADA, assertTraceless, MINUTE_MS, NO_MAIL } from "./account_email.ts";
import { mailEnv } from "./outbox_fixture.ts";
import { accept, inviteCall, offerCall } from "./invitations.ts";
import { openTeam } from "./team.ts";
import { ok, refused, times } from "./test_collection.ts";

/** Returns the mails with invitations, the oldest first. */
const invitationMails = async ({ services }: TestApp) =>
  (await mailsOf(services, "control")).filter(({ kind }) => kind === "invitation");

Deno.test("inviteMember mails the link of its response, with which the recipient joins", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { url, token, mailed } = ok(await team.owner.send(inviteCall(team, ADA, "admin")), 201);
  assert.equal(mailed, true);
  const [mail, ...more] = await invitationMails(app);
  assert.deepEqual(more, []);
  assert.equal(mail!.to, ADA);
  assert.ok(mail!.text!.includes(url), mail!.text!);
  assert.ok(mail!.html!.includes(`href="${url}"`));
  // The mail contains a link that works like a password, so it must be marked as secret.
  const usefulUntil = new Date(app.clock.now() + INVITATION_MS).toISOString();
  assert.deepEqual([mail!.hasCode, mail!.usefulUntil], [true, usefulUntil]);
  assert.equal(ok(await accept(team.stranger, token)).role, "admin");
});

Deno.test("inviteMember uses the project's template and language", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { owner, projectId } = team;
  const path = `/api/projects/${projectId}`;
  for (const [language, greeting] of [["en", "Come to"], ["de", "Komm zu"]]) {
    const body = { subject: `${greeting} {{project}}`, text: "Hier: {{url}}" };
    ok(
      await owner.send({
        method: "PUT",
        path: `${path}/mail/templates/invitation/${language}`,
        body,
      }),
    );
  }
  ok(await owner.send({ method: "PUT", path: `${path}/mail`, body: { mailLanguage: "de" } }));
  const { url } = ok(await owner.send(inviteCall(team, ADA)), 201);
  const [mail] = await invitationMails(app);
  assert.match(mail!.subject, /^Komm zu /);
  assert.deepEqual([mail!.text, mail!.html], [`Hier: ${url}`, null]);
});

Deno.test("inviteMember does not reveal whether the address has an account", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const known = await openAccount(app, { email: "known@example.com" });
  const seen = [];
  for (const email of [known.email, "other@example.com"]) {
    const { invitationId: _id, token, url, ...sent } = ok(
      await team.owner.send(inviteCall(team, email)),
      201,
    );
    const mail = (await invitationMails(app)).find(({ to }) => to === email)!;
    const normalize = (text: string) =>
      text.replaceAll(token, "TOKEN").replaceAll(email, "ADDRESS");
    seen.push(normalize(JSON.stringify([sent, url, mail.subject, mail.text, mail.html])));
  }
  assert.equal(seen[0], seen[1]);
});

Deno.test("inviteMember mails an address once a minute and five times an hour over all projects", async () => {
  await using app = await openTestApp();
  const teams = [await openTeam(app), await openTeam(app)];
  const countMailed = async () => {
    const answers = await Promise.all(
      times(
        6,
        (n) => teams[n % 2]!.owner.send(inviteCall(teams[n % 2]!, n < 3 ? ADA : "ADA@example.com")),
      ),
    );
    return answers.filter((answer) => ok(answer, 201).mailed).length;
  };
  for (const [minute, count] of [1, 1, 1, 1, 1, 0].entries()) {
    assert.equal(await countMailed(), count, `minute ${minute}`);
    app.clock.advance(MINUTE_MS);
  }
  assert.equal((await invitationMails(app)).length, 5);
  const otherCall = inviteCall(teams[0]!, "bob@example.com");
  assert.equal(ok(await teams[0]!.owner.send(otherCall), 201).mailed, true);
  app.clock.advance(54 * MINUTE_MS);
  assert.equal(await countMailed(), 1);
});

Deno.test("inviteMember mails nothing for a refused invitation", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  await assertTraceless(app, async () => {
    refused(await team.owner.send(inviteCall(team, "no address")), 400, "INVALID_BODY");
    refused(await team.viewer.send(inviteCall(team, ADA)), 403, "ROLE_REQUIRED");
    refused(await team.stranger.send(inviteCall(team, ADA)), 404, "PROJECT_NOT_FOUND");
  });
  refused(await team.owner.send(inviteCall(team, team.admin.email)), 409, "MEMBER_EXISTS");
  assert.deepEqual(await invitationMails(app), []);
});

Deno.test("inviteMember without a mail server returns the link and that it was not mailed", async () => {
  await using app = await openTestApp({ env: NO_MAIL });
  const team = await openTeam(app);
  const { token, mailed } = ok(await team.owner.send(inviteCall(team, ADA)), 201);
  assert.equal(mailed, false);
  assert.deepEqual(await mailsOf(app.services, "control"), []);
  assert.equal(ok(await accept(team.stranger, token)).role, "viewer");
});

Deno.test("inviteMember stores no link after the mail was sent", async () => {
  await using server = await startSmtpServer();
  await using app = await openTestApp({ env: mailEnv(server) });
  const team = await openTeam(app);
  const { token } = ok(await team.owner.send(inviteCall(team, ADA)), 201);
  const [mail] = await invitationMails(app);
  assert.deepEqual([mail!.state, mail!.text, mail!.html], ["sent", null, null]);
  assert.ok(!JSON.stringify(mail).includes(token));
  assert.ok((await server.next(ADA)).text.includes(token));
});

Deno.test("offerOwnership mails nothing", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  const { mailed } = ok(await team.owner.send(offerCall(team, team.admin.accountId)));
  assert.equal(mailed, false);
  assert.deepEqual(await invitationMails(app), []);
});
