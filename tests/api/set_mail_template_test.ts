import assert from "node:assert/strict";
import { MAIL_BODY_BYTES_MAX, MAIL_TEMPLATES_MAX } from "@/lib/limits.ts";
import { enqueueMail, requireMailContext } from "@/lib/mail/outbox.ts";
import { MAIL_TEMPLATES } from "@/lib/mail/template_store.ts";
import { ALL } from "@/lib/store/filter.ts";
import { mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const put = (owner: TestOwner, place: string, body: unknown) =>
  owner.asOwner({ method: "PUT", path: `/mail/templates/${place}`, body });

const count = ({ app, projectId }: TestOwner) =>
  app.services.engine.records(projectId, MAIL_TEMPLATES).count(ALL);

/** Sends a mail to a reader of these languages and returns its subject. */
async function subjectOf(owner: TestOwner, language: string | null): Promise<string> {
  const { app: { services }, projectId } = owner;
  const context = await requireMailContext(services, projectId, { kinds: ["code"], language });
  const mail = { kind: "code", to: "ada@example.com", variables: { code: "123456" } } as const;
  await services.engine.transaction(projectId, (tx) => enqueueMail(tx, services, context, mail));
  return (await mailsOf(services, projectId)).at(-1)!.subject;
}

Deno.test("a template replaces the built-in one, in the reader's language", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.equal(await subjectOf(owner, "de"), "123456 signs you in to Test");
  const stored = ok(
    await put(owner, "code/pt-br", { subject: "{{code}} é o código", html: "<p>Olá</p>" }),
  );
  assert.match(stored.id, /^[0-9a-f]{24}$/);
  assert.deepEqual(stored, {
    id: stored.id,
    name: "code",
    language: "pt-BR",
    subject: "{{code}} é o código",
    text: "Olá\n",
    html: "<p>Olá</p>",
    updatedAt: "2026-01-31T12:00:00.000Z",
  });
  assert.equal(
    await subjectOf(owner, "de"),
    "123456 é o código",
    "any template of the project precedes the built-in one",
  );
  ok(await put(owner, "code/en", { subject: "{{code}} for {{project}}", text: "Hello" }));
  ok(await put(owner, "code/de", { subject: "{{code}} auf Deutsch", text: "Hallo" }));
  assert.equal(await subjectOf(owner, null), "123456 for Test");
  assert.equal(await subjectOf(owner, "fr, de-AT;q=0.9, pt;q=0.5"), "123456 auf Deutsch");
  assert.equal(await subjectOf(owner, "pt"), "123456 é o código");
  ok(await owner.asOwner({ method: "PUT", path: "/mail", body: { mailLanguage: "de" } }));
  assert.equal(await subjectOf(owner, "fr"), "123456 auf Deutsch");
});

Deno.test("setMailTemplate replaces the entire template", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const first = ok(await put(owner, "order/en", { subject: "One", text: "Text", html: "<p>" }));
  app.clock.advance(1000);
  const second = ok(await put(owner, "order/EN", { subject: "Two", text: "Other" }));
  assert.deepEqual(second, {
    ...first,
    subject: "Two",
    text: "Other",
    html: null,
    updatedAt: "2026-01-31T12:00:01.000Z",
  });
  assert.equal(await count(owner), 1);
});

Deno.test("a mail that a template would make too long uses the built-in text", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const text = "{{project}} {{code}} ".repeat(3_000) + "{{code}}".repeat(200);
  ok(await put(owner, "code/en", { subject: "Own", text: text.slice(0, 65_536) }));
  assert.equal(await subjectOf(owner, null), "Own");
  ok(await put(owner, "code/en", { subject: "Own", text: "{{project}}".repeat(5_000) }));
  const body = { name: "x".repeat(60) };
  ok(await owner.asOwner({ method: "PATCH", path: "", body }));
  assert.match(await subjectOf(owner, null), /^123456 signs you in to x+$/);
});

Deno.test("a project has at most 100 templates, even with concurrent calls", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { subject: "Hi", text: "Text" };
  for (const index of times(MAIL_TEMPLATES_MAX - 5, (index) => index)) {
    ok(await put(owner, `t${index}/en`, body));
  }
  const answers = await Promise.all(times(20, (index) => put(owner, `u${index}/en`, body)));
  assert.deepEqual(tally(answers), { 200: 5, 409: 15 });
  refused(await put(owner, "another/en", body), 409, "MAIL_TEMPLATE_LIMIT_REACHED");
  ok(await put(owner, "t0/en", body));
  assert.equal(await count(owner), MAIL_TEMPLATES_MAX);
});

Deno.test("an invalid template is refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const good = { subject: "Hi", text: "Text" };
  const wrong: [object, string][] = [
    [{ subject: "Hi" }, 'Send "html" or "text"'],
    [{ text: "Text" }, '"subject"'],
    [{ ...good, subject: "Hi\r\nBcc: eve@example.com" }, '"subject"'],
    [{ ...good, subject: "x".repeat(201) }, '"subject"'],
    [{ ...good, text: "x".repeat(65_537) }, '"text"'],
    [{ ...good, html: "" }, '"html"'],
    [{ ...good, name: "code" }, "The body may have only"],
  ];
  for (const [body, says] of wrong) {
    refused(await put(owner, "code/en", body), 400, "INVALID_BODY", says);
  }
  for (const place of ["Code/en", "1/en", "a_b/en", `${"a".repeat(51)}/en`]) {
    refused(await put(owner, place, good), 400, "INVALID_INPUT", "name");
  }
  for (const place of ["code/english", "code/e", "code/en_US"]) {
    refused(await put(owner, place, good), 400, "INVALID_INPUT", "language");
  }
  const text = "x".repeat(MAIL_BODY_BYTES_MAX);
  refused(await put(owner, "code/en", { ...good, text }), 413, "BODY_TOO_LARGE");
  assert.equal(await count(owner), 0);
});

Deno.test("only admins and the owner set a template", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const body = { subject: "Hi", text: "Text" };
  const call = { method: "PUT", path: "/mail/templates/code/en", body };
  await owner.isForAdmins(call);
  assert.equal(await count(owner), 0);
  ok(await owner.as("admin", call));
});
