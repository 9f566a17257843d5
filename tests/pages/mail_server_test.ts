import assert from "node:assert/strict";
import { openMail, ownServer } from "../api/mail.ts";
import { ok } from "../api/test_collection.ts";
import { joinProject, openAccount } from "../support/dashboard.ts";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { startSmtpServer } from "../support/smtp_server.ts";

const USER = { name: "blog@blog.example", password: "a:password/that @stays" };

async function openServerPage(options: Parameters<typeof openMail>[0] = {}) {
  const mail = await openMail(options);
  const path = `/dashboard/projects/${mail.projectId}/mail/server`;
  const dashboard = openDashboard(mail.app, mail.owner.account);
  return {
    mail,
    path,
    dashboard,
    page: () => dashboard.get(path),
    settings: async () => ok(await mail.owner.asOwner({ path: "/mail" })),
    [Symbol.asyncDispose]: () => mail[Symbol.asyncDispose](),
  };
}

const enteredServer = (port: number) => ({
  host: "127.0.0.1",
  port: String(port),
  user: USER.name,
  password: USER.password,
  from: "Blog <blog@blog.example>",
  replyTo: "answers@blog.example",
});

Deno.test("a mail server is set field by field and tested, and its password is never shown", async () => {
  await using fixture = await openServerPage();
  const { dashboard, page, path, settings, mail } = fixture;
  await using own = await startSmtpServer({ user: USER });
  const before = await page();
  assert.match(before.words, /Mails this month/);
  assert.doesNotMatch(before.words, /Send a test/);
  const saved = await dashboard.fill(before, "Save server", enteredServer(own.port));
  assert.equal(saved.location, `${path}?done=saved`);
  assert.deepEqual((await settings()).own, {
    host: "127.0.0.1",
    port: own.port,
    from: "Blog <blog@blog.example>",
    replyTo: "answers@blog.example",
    hasPassword: true,
  });
  const shown = await dashboard.follow(saved);
  const { email } = mail.owner.account;
  const tested = await dashboard.fill(shown, `Send a test to ${email}`);
  assert.equal(tested.status, 200);
  assert.match(tested.words, /The server took a mail to .*It said: 250/);
  const arrived = await own.next(email);
  assert.deepEqual([arrived.user, arrived.from], [USER.name, "blog@blog.example"]);
  for (const answer of [shown, tested]) {
    assert.ok(!answer.text.includes("stays"), "the password");
    assertHarmless(answer);
  }
});

Deno.test("an unchanged server keeps its password, and another one requires it again", async () => {
  await using fixture = await openServerPage();
  const { dashboard, page, mail, settings } = fixture;
  await using own = await startSmtpServer({ user: USER });
  await dashboard.fill(await page(), "Save server", enteredServer(own.port));
  await dashboard.fill(await page(), "Save server", { from: "other@blog.example", replyTo: "" });
  const { from, replyTo, hasPassword } = (await settings()).own;
  assert.deepEqual([from, replyTo, hasPassword], ["other@blog.example", null, true]);
  const tested = await dashboard.fill(await page(), `Send a test to ${mail.owner.account.email}`);
  assert.equal(tested.status, 200, "with the former password");
  await dashboard.fill(await page(), "Save server", { port: "1" });
  assert.equal((await settings()).own.hasPassword, false, "it is not used for another server");
});

Deno.test("the refusal of a mail server is shown in its own words", async () => {
  await using fixture = await openServerPage();
  const { dashboard, page, mail } = fixture;
  await using own = await startSmtpServer({ user: USER });
  const wrong = { ...enteredServer(own.port), password: "wrong-one" };
  const shown = await dashboard.follow(await dashboard.fill(await page(), "Save server", wrong));
  const tested = await dashboard.fill(shown, `Send a test to ${mail.owner.account.email}`);
  assert.equal(tested.status, 422);
  assert.match(tested.document.querySelector("[role=alert]")!.textContent, /535/);
  assert.ok(!tested.text.includes("wrong-one"));
  assert.equal(own.mails.length, 0);
});

Deno.test("an invalid server is reported in its form, which keeps all entries but the password", async () => {
  await using fixture = await openServerPage({ env: { ALLOW_PRIVATE_ENDPOINTS: "false" } });
  const { dashboard, page, settings } = fixture;
  const first = await page();
  const fit = { ...enteredServer(587), host: "smtp.example.com" };
  const cases: readonly [Partial<typeof fit>, RegExp][] = [
    [{ host: "" }, /Check host and port/],
    [{ host: "a b" }, /Check host and port/],
    [{ port: "many" }, /Check host and port/],
    [{ user: "" }, /Check host and port/],
    [{ host: "10.0.0.1" }, /private network/],
    [{ from: "nobody" }, /"from" must be/],
    [{ from: "" }, /"from" must be/],
    [{ replyTo: "nobody" }, /"replyTo" must be/],
    ...HOSTILE_TEXTS.map((
      text,
    ): [Partial<typeof fit>, RegExp] => [{ from: text }, /"from" must be/]),
  ];
  for (const [input, says] of cases) {
    const refused = await dashboard.fill(first, "Save server", { ...fit, ...input });
    assert.equal(refused.status, 400, JSON.stringify(input));
    const alert = refused.document.querySelector("[role=alert]")!;
    assert.match(alert.textContent, says, JSON.stringify(input));
    assert.ok(
      alert.closest("form")!.querySelector("[name=host]"),
      "the error is in the form of the server",
    );
    for (const [name, text] of Object.entries({ ...fit, ...input })) {
      const shown = refused.document.querySelector(`[name=${name}]`)!.getAttribute("value");
      assert.equal(shown, name === "password" ? null : text);
    }
    assert.ok(!refused.text.includes("stays"));
    assertHarmless(refused);
  }
  assert.equal((await settings()).own, null);
});

Deno.test("a server is disconnected after a question that says what is lost", async () => {
  await using fixture = await openServerPage();
  const { dashboard, page, mail, settings } = fixture;
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(mail.smtp) }));
  const shown = await page();
  const ask = shown.document.querySelector("details.ask p")!.textContent;
  assert.match(ask, /Mails that wait for this server fail/);
  const cleared = await dashboard.follow(await dashboard.fill(shown, "Disconnect the server"));
  assert.match(cleared.words, /The mail server is disconnected/);
  assert.equal((await settings()).own, null);
});

Deno.test("the language of mails is set, refused next to its field, and cleared", async () => {
  await using fixture = await openServerPage();
  const { dashboard, page, settings } = fixture;
  const refused = await dashboard.fill(await page(), "Save language", {
    mailLanguage: "no tongue",
  });
  assert.equal(refused.status, 400);
  const alert = refused.document.querySelector("[role=alert]")!;
  assert.match(alert.textContent, /must name a language/);
  const field = alert.closest("form")!.querySelector("[name=mailLanguage]")!;
  assert.equal(field.getAttribute("value"), "no tongue");
  assert.equal((await settings()).mailLanguage, null);
  await dashboard.fill(await page(), "Save language", { mailLanguage: "pt-br" });
  assert.equal((await settings()).mailLanguage, "pt-BR");
  await dashboard.fill(await page(), "Save language", { mailLanguage: "" });
  assert.equal((await settings()).mailLanguage, null);
});

Deno.test("viewers read how mail is sent, and cannot change it", async () => {
  await using fixture = await openServerPage();
  const { mail: { app, projectId, owner, smtp }, path, settings } = fixture;
  ok(await owner.asOwner({ method: "PUT", path: "/mail", body: ownServer(smtp) }));
  const before = await settings();
  const viewer = await openAccount(app);
  await joinProject(app.services, projectId, viewer.accountId, "viewer");
  const pages = openDashboard(app, viewer);
  const page = await pages.get(path);
  assert.match(page.words, new RegExp(`127.0.0.1:${smtp.port}`));
  assert.deepEqual([...page.document.querySelectorAll("main form")], []);
  for (const what of ["", "/language", "/check", "/clear"]) {
    assert.equal((await pages.submit(path + what, enteredServer(1))).status, 403, what);
  }
  assert.deepEqual(await settings(), before);
  assert.equal(smtp.mails.length, 0);
});
