import assert from "node:assert/strict";
import { MAIL_BODY_BYTES_MAX } from "@/lib/limits.ts";
import { MAIL_USAGE } from "@/lib/mail/usage.ts";
import { MAILS } from "@/lib/mail/mails.ts";
import { ALL } from "@/lib/store/filter.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { openTestApp } from "../support/test_app.ts";
import { fakeClock } from "../support/test_services.ts";
import { MAIL, type MailFixture, openMail, ownServer, TO } from "./mail.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";

const addresses = (count: number) => times(count, (index) => `user${index}@example.com`);

const rows = ({ app, projectId }: MailFixture) =>
  app.services.engine.records(projectId, MAILS).count(ALL);

const used = async (mail: MailFixture) => {
  const [usage] = await Array.fromAsync(
    mail.app.services.engine.records("control", MAIL_USAGE).find({ filter: ALL }),
  );
  return usage?.count ?? 0;
};

const setTemplate = async (mail: MailFixture, place: string, body: unknown) =>
  ok(await mail.owner.asOwner({ method: "PUT", path: `/mail/templates/${place}`, body }));

Deno.test("sendMail sends through the platform's server and counts the mail", async () => {
  await using mail = await openMail();
  const sent = ok(
    await mail.send({ ...MAIL, html: "<p>How are <b>you</b>?</p>", replyTo: "a@b.c" }),
  );
  assert.match(sent.id, /^[0-9a-f]{24}$/);
  assert.deepEqual(sent, {
    id: sent.id,
    ids: [sent.id],
    provider: "default",
    monthlyUsage: 1,
    monthlyLimit: 50,
  });
  const { from, to, subject, text, html, headers } = await mail.smtp.next(TO);
  assert.deepEqual([from, to, subject, text.trim()], [
    "no-reply@corbel.example",
    TO,
    "Hello",
    "How are you?",
  ]);
  assert.match(html!, /<b>you<\/b>/);
  assert.match(headers.get("reply-to")!, /a@b\.c/);
  assert.equal(headers.get("auto-submitted"), "Auto-Submitted: auto-generated");
  const [logged] = await mail.logged();
  assert.deepEqual([logged!.id, logged!.state, logged!.tries], [sent.id, "sent", 1]);
});

Deno.test("each of several addresses gets its own mail, which names no other recipient", async () => {
  await using mail = await openMail();
  const to = addresses(50);
  const sent = ok(await mail.send({ ...MAIL, to: [...to, to[0]].slice(1) }));
  assert.equal(sent.ids.length, 50);
  assert.equal(sent.monthlyUsage, 50);
  await mail.logged();
  assert.deepEqual(mail.smtp.mails.map((one) => one.to).toSorted(), to.toSorted());
  for (const { raw, to } of mail.smtp.mails) {
    assert.deepEqual(new Set(raw.match(/user\d+@example\.com/g)), new Set([to]));
  }
  assert.equal(new Set(mail.smtp.mails.map(({ messageId }) => messageId)).size, 50);
});

Deno.test("an address that is given twice gets one mail and counts once", async () => {
  await using mail = await openMail();
  const sent = ok(await mail.send({ ...MAIL, to: [TO, TO] }));
  assert.deepEqual([sent.ids.length, sent.monthlyUsage], [1, 1]);
  assert.equal((await mail.logged()).length, 1);
});

Deno.test("HTML without text gets a generated text with the link targets", async () => {
  await using mail = await openMail();
  ok(
    await mail.send({
      to: TO,
      subject: "Hi",
      html: '<style>p{}</style><p>Hello &amp; welcome</p><a href="https://x.example/a">Open</a>',
    }),
  );
  assert.equal(
    (await mail.smtp.next()).text.trim(),
    "Hello & welcome\n\nOpen (https://x.example/a)",
  );
});

Deno.test("variables are replaced once and escaped in HTML; without any the text is sent unchanged", async () => {
  await using mail = await openMail();
  const body = {
    to: TO,
    subject: "Hi {{name}}",
    text: "{{name}} {{count}} {{unknown}}.",
    html: "<p>{{ name }}</p>",
  };
  const name = "<b>{{count}}</b>\r\nBcc: eve@example.com";
  ok(await mail.send({ ...body, variables: { name, count: 3 } }));
  const filled = await mail.smtp.next();
  assert.equal(filled.subject, "Hi <b>{{count}}</b> Bcc: eve@example.com");
  assert.match(filled.text, /^<b>\{\{count\}\}<\/b>\nBcc: eve@example.com 3 \./);
  assert.match(filled.html!, /^<p>&lt;b&gt;/);
  assert.ok(!filled.headers.has("bcc"));
  ok(await mail.send(body));
  assert.equal((await mail.smtp.next()).text.trim(), body.text);
});

Deno.test("a template is chosen by name and language, or by id", async () => {
  await using mail = await openMail();
  const english = await setTemplate(mail, "order/en", { subject: "Order {{n}}", text: "Thanks" });
  await setTemplate(mail, "order/de-AT", { subject: "Bestellung {{n}}", html: "<p>Danke</p>" });
  const template = { to: TO, templateName: "order", variables: { n: 7 } };
  const subject = async (body: object) => {
    ok(await mail.send({ ...template, ...body }));
    return (await mail.smtp.next()).subject;
  };
  assert.equal(await subject({}), "Order 7");
  assert.equal(await subject({ language: "de" }), "Bestellung 7");
  assert.equal(await subject({ language: "fr" }), "Order 7");
  assert.equal(await subject({ subject: "Another {{n}}" }), "Another 7");
  const byId = { templateName: undefined, templateId: english.id };
  assert.equal(await subject(byId), "Order 7");
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body: { mailLanguage: "de" } }));
  assert.equal(await subject({}), "Bestellung 7");
  const none = { to: TO, templateName: "receipt" };
  refused(await mail.send(none), 404, "MAIL_TEMPLATE_NOT_FOUND");
  refused(await mail.send({ to: TO, templateName: "code" }), 404, "MAIL_TEMPLATE_NOT_FOUND");
  const mistyped = { to: TO, templateName: "ordre" };
  refused(await mail.send(mistyped), 404, "MAIL_TEMPLATE_NOT_FOUND", /Did you mean "order"\?$/);
  const unknown = { to: TO, templateId: UNKNOWN_ID };
  refused(await mail.send(unknown), 404, "MAIL_TEMPLATE_NOT_FOUND");
});

Deno.test("an invalid mail is refused, and nothing is stored, sent or counted", async () => {
  await using mail = await openMail();
  const breaks = ["\r\n", "\n", "\r", "\u2028", "\u0085", "\0"];
  const wrong: [object, string | RegExp][] = [
    [{}, '"to"'],
    [{ ...MAIL, to: [] }, '"to"'],
    [{ ...MAIL, to: addresses(51) }, '"to"'],
    [{ ...MAIL, to: "Ada <ada@example.com>" }, '"to"'],
    [{ ...MAIL, to: "ada@example.com, eve@example.com" }, '"to"'],
    [{ ...MAIL, to: [TO, 1] }, '"to"'],
    [{ ...MAIL, to: null }, '"to"'],
    ...breaks.flatMap((text): [object, string][] => [
      [{ ...MAIL, to: `ada@example.com${text}Bcc: eve@example.com` }, '"to"'],
      [{ ...MAIL, to: [`${text}ada@example.com`] }, '"to"'],
      [{ ...MAIL, subject: `Hello${text}Bcc: eve@example.com` }, '"subject"'],
      [{ ...MAIL, replyTo: `ada@example.com${text}Bcc: eve@example.com` }, '"replyTo"'],
    ]),
    [{ ...MAIL, subject: "" }, '"subject"'],
    [{ ...MAIL, subject: "  " }, '"subject"'],
    [{ ...MAIL, subject: "x".repeat(201) }, '"subject"'],
    [{ ...MAIL, text: "" }, '"text"'],
    [{ ...MAIL, text: "x".repeat(65_537) }, '"text"'],
    [{ ...MAIL, text: "x\0" }, '"text"'],
    [{ ...MAIL, html: 1 }, '"html"'],
    [{ to: TO, subject: "Hello" }, 'Send a "subject"'],
    [{ to: TO, text: "Hello" }, 'Send a "subject"'],
    [{ ...MAIL, templateName: "order" }, 'Send a "subject"'],
    [{ to: TO, templateName: "order", templateId: UNKNOWN_ID }, 'Send a "subject"'],
    [{ to: TO, templateName: "../order" }, '"templateName"'],
    [{ to: TO, templateId: "order" }, '"templateId"'],
    [{ ...MAIL, language: "klingon-the-long" }, '"language"'],
    [{ ...MAIL, variables: [] }, '"variables"'],
    [{ ...MAIL, variables: { "a b": "x" } }, '"variables"'],
    [{ ...MAIL, variables: { a: { b: "x" } } }, '"variables"'],
    [{ ...MAIL, variables: { a: "x".repeat(10_001) } }, '"variables"'],
    [{ ...MAIL, variables: Object.fromEntries(times(51, (i) => [`a${i}`, "x"])) }, '"variables"'],
    [{ ...MAIL, text: "{{a}}".repeat(20), variables: { a: "x".repeat(10_000) } }, "too long"],
    [{ ...MAIL, bcc: TO }, "The body may have only"],
  ];
  for (const [body, says] of wrong) refused(await mail.send(body), 400, "INVALID_BODY", says);
  await mail.app.services.jobRunner.idle();
  assert.deepEqual([await rows(mail), await used(mail), mail.smtp.mails.length], [0, 0, 0]);
});

Deno.test("a body over the size limit is refused", async () => {
  await using mail = await openMail();
  const text = "x".repeat(MAIL_BODY_BYTES_MAX);
  refused(await mail.send({ ...MAIL, text }), 413, "BODY_TOO_LARGE");
});

Deno.test("of 50 concurrent mails only those within the plan pass, with correct counts", async () => {
  await using mail = await openMail();
  ok(await mail.send({ ...MAIL, to: addresses(20) }));
  const answers = await Promise.all(times(50, () => mail.send(MAIL)));
  assert.deepEqual(tally(answers), { 200: 30, 429: 20 });
  const usages = answers.filter(({ status }) => status === 200)
    .map(({ body }) => body.data.monthlyUsage);
  assert.deepEqual(usages.toSorted((a, b) => a - b), times(30, (index) => 21 + index));
  const last = await mail.send(MAIL);
  refused(last, 429, "MAIL_QUOTA_EXCEEDED", /^The free plan's 50 mails of this month .* one more/);
  assert.equal(last.headers.get("ratelimit-limit"), null);
  await mail.logged();
  assert.deepEqual([await rows(mail), await used(mail), mail.smtp.mails.length], [50, 50, 50]);
});

Deno.test("a mail to several addresses is refused if not all fit the quota", async () => {
  await using mail = await openMail();
  ok(await mail.send({ ...MAIL, to: addresses(49) }));
  const answer = await mail.send({ ...MAIL, to: ["a@b.c", "d@e.f"] });
  refused(answer, 429, "MAIL_QUOTA_EXCEEDED", "2 more");
  assert.deepEqual([await rows(mail), await used(mail)], [49, 49]);
  assert.equal(ok(await mail.send(MAIL)).monthlyUsage, 50);
});

Deno.test("the count restarts each month in UTC; pro has 1,000 mails", async () => {
  const clock = fakeClock(Date.parse("2026-01-31T23:59:59.000Z"));
  await using mail = await openMail({ clock });
  ok(await mail.send({ ...MAIL, to: addresses(50) }));
  clock.advance(999);
  refused(await mail.send(MAIL), 429, "MAIL_QUOTA_EXCEEDED");
  clock.advance(1);
  assert.equal(ok(await mail.send(MAIL)).monthlyUsage, 1);
  await using pro = await openMail({ plan: "pro" });
  assert.equal(ok(await pro.send(MAIL)).monthlyLimit, 1000);
});

Deno.test("a failed mail is uncounted in the month that counted it", async () => {
  const clock = fakeClock(Date.parse("2026-01-31T23:59:00.000Z"));
  await using mail = await openMail({ clock });
  mail.smtp.behave(() => ({ code: 451, message: "later" }));
  ok(await mail.send({ ...MAIL, to: addresses(3) }));
  await mail.logged();
  clock.advance(120_000);
  mail.smtp.behave(() => ({ code: 550, message: "never" }));
  ok(await mail.send(MAIL));
  await mail.later(0);
  const states = (await mail.logged()).map(({ state }) => state);
  assert.deepEqual(states, ["failed", "failed", "failed", "failed"]);
  const usages = await Array.fromAsync(
    mail.app.services.engine.records("control", MAIL_USAGE).find({ filter: ALL }),
  );
  assert.deepEqual(usages.map(({ count }) => count), [0, 0]);
});

Deno.test("a project's own server sends without a limit and with its own sender", async () => {
  await using mail = await openMail();
  await using own = await startSmtpServer({ user: { name: "blog", password: "s e:cret" } });
  const body = ownServer(own);
  ok(await mail.owner.asOwner({ method: "PUT", path: "/mail", body }));
  const sent = ok(await mail.send({ ...MAIL, to: addresses(50) }));
  assert.deepEqual([sent.provider, sent.monthlyUsage, sent.monthlyLimit], ["byok", 0, 50]);
  ok(await mail.send(MAIL));
  const { from, user, headers } = await own.next(TO);
  assert.deepEqual([from, user], ["blog@blog.example", "blog"]);
  assert.match(headers.get("reply-to")!, /answers@blog\.example/);
  assert.match(headers.get("message-id")!, /@blog\.example>$/);
  assert.equal((await mail.logged()).length, 51);
  assert.equal(mail.smtp.mails.length, 0);
});

Deno.test("without a mail server sendMail is 503; with keep: mails are stored and not counted", async () => {
  await using none = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await none.project();
  const call = { path: "/api/mail/send", body: MAIL };
  refused(await project.asSecret(call), 503, "MAIL_NOT_CONFIGURED");
  assert.equal(await none.services.engine.records(project.projectId, MAILS).count(ALL), 0);
  await using kept = await openTestApp();
  const dev = await kept.project();
  const sent = ok(await dev.asSecret(call));
  assert.deepEqual([sent.provider, sent.monthlyUsage], ["default", 0]);
  const [row] = ok(await dev.asSecret({ path: "/api/mail/logs" })).items;
  assert.deepEqual([row.state, row.provider, row.tries], ["kept", null, 0]);
});

Deno.test("a publishable key cannot send mail", async () => {
  await using mail = await openTestApp();
  const project = await mail.project();
  const answer = await project.asPublic({ path: "/api/mail/send", body: MAIL });
  refused(answer, 403, "SECRET_KEY_REQUIRED");
});
