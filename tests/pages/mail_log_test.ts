import assert from "node:assert/strict";
import { MAIL, openMail, TO } from "../api/mail.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { codeTo } from "../support/mailbox.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

/** Opens a project whose mails are kept and not sent. */
async function openKept(app: TestApp) {
  const pages = await openProjectPages(app);
  return {
    ...pages,
    path: `${pages.home}/mail`,
    async send(body: unknown) {
      const answer = await pages.project.asSecret({ path: "/api/mail/send", body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.id as string;
    },
    async signUp(email: string) {
      const body = { email, password: "seven wet stones 41" };
      const answer = await pages.project.asPublic({ path: "/api/userAuth/signup", body });
      assert.equal(answer.status, 201, answer.text);
      await app.services.jobRunner.idle(); // The code is sent after the response.
    },
  };
}

Deno.test("the mailbox shows mails with their codes, newest first", async () => {
  await using app = await openTestApp();
  const { dashboard, path, signUp, send, project } = await openKept(app);
  assert.match((await dashboard.get(path)).words, /No mail so far/);
  await signUp("ada@example.com");
  app.clock.advance(1000);
  const id = await send({ ...MAIL, to: "bea@example.com", html: "<p>How <b>are</b> you?</p>" });
  const page = await dashboard.get(path);
  const mails = [...page.document.querySelectorAll("article.mail")];
  assert.deepEqual(
    mails.map((one) => /to (\S+@example\.com)/.exec(one.textContent)?.[1]),
    ["bea@example.com", "ada@example.com"],
  );
  const code = await codeTo(app.services, project.projectId, "ada@example.com");
  assert.ok(mails[1]!.querySelector("pre")!.textContent.includes(code));
  const frame = mails[0]!.querySelector("iframe")!;
  assert.equal(frame.getAttribute("src"), `${path}/kept/${id}`);
  assert.equal(frame.getAttribute("sandbox"), "");
  assert.equal(mails[0]!.querySelector("pre")!.textContent.trim(), MAIL.text);
});

Deno.test("the HTML of a mail is a separate page without scripts, loads and links to our site", async () => {
  await using app = await openTestApp();
  const { dashboard, path, send } = await openKept(app);
  const html = HOSTILE_TEXTS.join("\n");
  const id = await send({ ...MAIL, html });
  const answer = await dashboard.get(`${path}/kept/${id}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.text, html);
  assert.equal(
    answer.headers.get("content-security-policy"),
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'self'",
  );
  assert.equal(answer.headers.get("x-frame-options"), "SAMEORIGIN");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
  assertHarmless(await dashboard.get(path));
});

Deno.test("the mailbox has pages", async () => {
  await using app = await openTestApp();
  const { dashboard, path, send } = await openKept(app);
  const to = Array.from({ length: 23 }, (_, i) => `person${i}@example.com`);
  await send({ ...MAIL, to });
  const count = (page: Awaited<ReturnType<typeof dashboard.get>>) =>
    [...page.document.querySelectorAll("article.mail")].length;
  const first = await dashboard.get(path);
  assert.equal(count(first), 20);
  const next = first.document.querySelector(".pages a")!.getAttribute("href")!;
  assert.equal(count(await dashboard.get(next)), 3);
  const refused = await dashboard.get(`${path}?cursor=made-up`);
  assert.equal(refused.status, 400);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /cursor/);
});

Deno.test("viewers see the log, and nothing by which they could sign in as a user", async () => {
  await using app = await openTestApp();
  const { as, path, signUp, send, project } = await openKept(app);
  await signUp("ada@example.com");
  const id = await send(MAIL);
  const code = await codeTo(app.services, project.projectId, "ada@example.com");
  const viewer = await as("viewer");
  for (const at of [path, `${path}/log`]) {
    const page = await viewer.get(at);
    assert.equal(page.status, 200);
    assert.match(page.words, /ada@example\.com/);
    assert.ok(!page.text.includes(code), at);
    assert.equal(page.document.querySelector("article.mail"), null);
    assert.deepEqual([...page.document.querySelectorAll("main form")], []);
  }
  assert.equal((await viewer.get(`${path}/kept/${id}`)).status, 403);
  assert.equal((await (await as(null)).get(path)).status, 404);
  const other = await openProjectPages(app);
  assert.equal((await other.dashboard.get(`${other.home}/mail/kept/${id}`)).status, 404);
});

Deno.test("the log shows state, recipient, kind, tries and the server's answer", async () => {
  await using mail = await openMail();
  const dashboard = openDashboard(mail.app, mail.owner.account);
  const path = `/dashboard/projects/${mail.projectId}/mail`;
  await mail.send(MAIL);
  await mail.logged();
  const sent = await dashboard.get(path);
  assert.equal(sent.document.querySelector("tbody .badge")!.textContent, "sent");
  assert.match(sent.words, /ada@example\.comSent by your application · Hello.*250 /);
  mail.smtp.behave(() => ({ code: 550, message: "not <b>today</b>" }));
  await mail.send({ ...MAIL, subject: HOSTILE_TEXTS[0] });
  await mail.logged();
  const failed = await dashboard.get(path);
  assert.equal(failed.document.querySelector("tbody .badge")!.textContent, "failed");
  assert.match(failed.words, /550 not <b>today<\/b>/);
  assertHarmless(failed);
});

Deno.test("an admin can resend a failed mail by its button, except one with a code", async () => {
  await using mail = await openMail();
  const { app, projectId, smtp } = mail;
  const dashboard = openDashboard(app, mail.owner.account);
  const path = `/dashboard/projects/${projectId}/mail`;
  smtp.behave(() => ({ code: 550, message: "not today" }));
  await mail.send(MAIL);
  await app.send({
    path: "/api/userAuth/code/request",
    headers: { "x-api-key": mail.owner.project.publishableKey },
    body: { email: "bea@example.com" },
  });
  const mails = await mail.logged();
  assert.deepEqual(mails.map(({ state, hasCode }) => [state, hasCode]), [
    ["failed", true],
    ["failed", false],
  ]);
  const logged = mails.find(({ to }) => to === TO);
  smtp.behave(null);
  const page = await dashboard.get(path);
  const buttons = [...page.document.querySelectorAll("tbody button")];
  assert.deepEqual(buttons.map((one) => one.getAttribute("aria-label")), [`Send again to ${TO}`]);
  const viewer = await openAccount(app);
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const refused = await openDashboard(app, viewer).submit(`${path}/log/${logged!.id}`);
  assert.equal(refused.status, 403);
  assert.equal(smtp.mails.length, 0);

  const answer = await dashboard.fill(page, `Send again to ${TO}`);
  assert.equal(answer.location, `${path}/log?done=again`);
  assert.equal((await smtp.next(TO)).subject, MAIL.subject);
  assert.match((await dashboard.follow(answer)).words, /on its way again/);
  await mail.logged();
  const twice = await dashboard.fill(page, `Send again to ${TO}`);
  assert.equal(twice.status, 409);
  assert.match(
    twice.document.querySelector("[role=alert]")!.textContent,
    /Only a failed mail/,
  );
  assert.equal(smtp.mails.length, 1);
});

Deno.test("without a mail server the page of mail says so and links to its settings", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const { dashboard, home } = await openProjectPages(app);
  const page = await dashboard.get(`${home}/mail`);
  assert.match(page.words, /No mail can be sent/);
  const link = page.document.querySelector(".note a")!;
  assert.equal(link.getAttribute("href"), `${home}/mail/server`);
});
