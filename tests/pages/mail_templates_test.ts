import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer, textAreaValue } from "../support/pages.ts";
import { mailsOf } from "../support/mailbox.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openTemplates(app: TestApp) {
  const pages = await openProjectPages(app);
  const owner = await pages.project.owner();
  const list = `${pages.home}/mail/templates`;
  const api = `/api/projects/${pages.project.projectId}/mail/templates`;
  return {
    ...pages,
    list,
    page: (name: string, language = "en") => pages.dashboard.get(`${list}/${name}/${language}`),
    stored: async () => (await owner.send({ path: api })).body.data.items,
    async mailTo(email: string) {
      const body = { email, password: "seven wet stones 41" };
      await pages.project.asPublic({ path: "/api/userAuth/signup", body });
      return (await mailsOf(app.services, pages.project.projectId, email)).at(-1)!;
    },
  };
}

const textIn = ({ document }: PageAnswer, name: string): string =>
  textAreaValue(document.querySelector(`[name=${name}]`)!);

const TEXTS = { subject: "{{code}} für {{project}}", text: "Ihr Code: {{code}}", html: "" };

Deno.test("the templates list every kind of mail, and whether it was changed", async () => {
  await using app = await openTestApp();
  const { dashboard, list, page } = await openTemplates(app);
  const before = await dashboard.get(list);
  const links = ({ document }: PageAnswer) =>
    [...document.querySelectorAll(".rows a")].map((one) => one.getAttribute("aria-label"));
  assert.equal(links(before).length, 7);
  assert.ok(links(before).includes("Verify an e-mail, Corbel's words"));
  assert.ok(links(before).includes("Invitation, Corbel's words"));
  await dashboard.fill(await page("verify", "de"), "Save template", TEXTS);
  await dashboard.fill(await page("weekly"), "Save template", TEXTS);
  const after = links(await dashboard.get(list));
  assert.ok(after.includes("Verify an e-mail, de"));
  assert.ok(!after.includes("Verify an e-mail, Corbel's words"));
  assert.ok(after.includes("weekly, en"));
});

Deno.test("a template begins with Corbel's texts, is saved, sent, and deleted", async () => {
  await using app = await openTestApp();
  const { dashboard, page, stored, mailTo, list } = await openTemplates(app);
  const first = await page("verify");
  assert.match(first.words, /Corbel's words/);
  assert.match(textIn(first, "text"), /This address was used to sign up to \{\{project\}\}/);
  assert.match(textIn(first, "html"), /^<!doctype html>/);
  assert.deepEqual(await stored(), []);
  const saved = await dashboard.fill(first, "Save template", TEXTS);
  assert.equal(saved.location, `${list}/verify/en?done=saved`);
  const mail = await mailTo("ada@example.com");
  assert.match(mail.subject, /^\d{6} für Test$/);
  assert.match(mail.text!, /^Ihr Code: \d{6}$/);
  assert.equal(mail.html, null);
  const own = await dashboard.follow(saved);
  assert.match(own.words, /The template is saved/);
  assert.match(own.words, /yours/);
  assert.equal(textIn(own, "text"), TEXTS.text);
  const deleted = await dashboard.follow(await dashboard.fill(own, "Delete the template"));
  assert.match(deleted.words, /Corbel's own words are sent again/);
  assert.deepEqual(await stored(), []);
  assert.equal((await dashboard.submit(`${list}/verify/en/delete`)).status, 404);
});

Deno.test("texts are returned exactly as they were saved, including empty lines and signs", async () => {
  await using app = await openTestApp();
  const { dashboard, page, stored } = await openTemplates(app);
  const text = "\n\n  Hello {{name}} <b>&amp;\n";
  const html = `<p title="a">${HOSTILE_TEXTS.join("\n")}</p>\n`;
  const fields = { subject: 'A "quoted" & <subject>', text, html };
  await dashboard.fill(await page("weekly"), "Save template", fields);
  const [{ subject, ...one }] = await stored();
  assert.deepEqual([subject, one.text, one.html], [fields.subject, text, html]);
  const again = await page("weekly");
  assertHarmless(again);
  await dashboard.fill(again, "Save template");
  const [twice] = await stored();
  assert.deepEqual([twice.subject, twice.text, twice.html], [fields.subject, text, html]);
});

Deno.test("the preview shows the entered text as it would be sent, in a separate frame", async () => {
  await using app = await openTestApp();
  const { dashboard, page, stored, list } = await openTemplates(app);
  const first = await page("verify");
  const frame = first.document.querySelector("iframe[name=preview]")!;
  assert.equal(frame.getAttribute("sandbox"), "");
  const before = await dashboard.get(frame.getAttribute("src")!);
  assert.equal(
    before.document.querySelector("h1")!.textContent,
    "123456 verifies your e-mail for Test",
  );
  const button = [...first.document.querySelectorAll("button")]
    .find((one) => one.textContent === "Preview")!;
  assert.equal(button.getAttribute("formtarget"), "preview");
  assert.ok(button.hasAttribute("formnovalidate"));
  const html = "<p style='color: red'>{{code}} for {{project}}</p><script>1</script>";
  const preview = await dashboard.fill(first, "Preview", { subject: "Now {{code}}", html });
  assert.equal(preview.status, 200);
  assert.equal(preview.document.querySelector("h1")!.textContent, "Now 123456");
  const inner = preview.document.querySelector("iframe")!;
  assert.equal(inner.getAttribute("sandbox"), "");
  assert.match(inner.getAttribute("srcdoc")!, /123456 for Test<\/p><script>/);
  assert.deepEqual([...preview.document.querySelectorAll("script")], []);
  for (const answer of [before, preview]) {
    const policy = answer.headers.get("content-security-policy")!;
    assert.match(policy, /^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/);
    assert.equal(answer.headers.get("x-frame-options"), "SAMEORIGIN");
  }
  for (const subject of HOSTILE_TEXTS) {
    const hostile = await dashboard.submit(`${list}/verify/en/preview`, { subject, text: subject });
    assert.equal(hostile.document.querySelector("h1")!.textContent, subject);
    assert.deepEqual([...hostile.document.querySelectorAll("script, img, svg")], []);
  }
  const refused = await dashboard.fill(first, "Preview", { subject: "" });
  assert.equal(refused.status, 400);
  assert.match(refused.words, /"subject" must be one line/);
  assert.deepEqual(await stored(), [], "a preview saves nothing");
});

Deno.test("a refusal is shown at its field, all texts stay, and nothing is saved", async () => {
  await using app = await openTestApp();
  const { dashboard, page, stored } = await openTemplates(app);
  const first = await page("verify");
  const cases: readonly [Partial<typeof TEXTS>, RegExp][] = [
    [{ subject: "" }, /"subject" must be one line/],
    [{ subject: "x".repeat(201) }, /"subject" must be one line/],
    [{ text: "a\u0000" }, /"text" must be text/],
    [{ html: "a\u0000" }, /"html" must be text/],
    [{ text: "" }, /Send "html" or "text"/],
  ];
  for (const [input, says] of cases) {
    const typed = { ...TEXTS, ...input };
    const refused = await dashboard.fill(first, "Save template", typed);
    assert.equal(refused.status, 400, JSON.stringify(input));
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, says);
    assert.equal(
      refused.document.querySelector("[name=subject]")!.getAttribute("value"),
      typed.subject,
    );
  }
  assert.deepEqual(await stored(), []);
});

Deno.test("a new template is opened by name and language, and an invalid name is refused", async () => {
  await using app = await openTestApp();
  const { dashboard, list } = await openTemplates(app);
  const page = await dashboard.get(list);
  const led = await dashboard.fill(page, "Write it", { name: "weekly", language: "pt-br" });
  assert.equal(led.location, `${list}/weekly/pt-BR`);
  assert.equal((await dashboard.follow(led)).status, 200);
  for (
    const [name, language, says] of [
      ["a/b", "en", /begins with a small letter/],
      ["", "en", /begins with a small letter/],
      ["weekly", "no tongue", /language/],
      [HOSTILE_TEXTS[1], "en", /small letter/],
    ] as const
  ) {
    const refused = await dashboard.fill(page, "Write it", { name, language });
    assert.equal(refused.status, 400);
    assert.match(refused.document.querySelector("[role=alert]")!.textContent, says);
    assert.equal(refused.document.querySelector("[name=name]")!.getAttribute("value"), name);
    assertHarmless(refused);
  }
  assert.equal((await dashboard.get(`${list}/Weekly/en`)).status, 404);
  assert.equal((await dashboard.get(`${list}/weekly/no-such-language-at-all`)).status, 404);
});

Deno.test("viewers read templates and cannot change them", async () => {
  await using app = await openTestApp();
  const { as, dashboard, page, list, stored } = await openTemplates(app);
  await dashboard.fill(await page("verify"), "Save template", TEXTS);
  const viewer = await as("viewer");
  assert.doesNotMatch((await viewer.get(list)).words, /New template/);
  const shown = await viewer.get(`${list}/verify/en`);
  assert.deepEqual([...shown.document.querySelectorAll("main button")], []);
  assert.ok(shown.document.querySelector("fieldset")!.hasAttribute("disabled"));
  assert.equal((await viewer.get(`${list}/verify/en/preview`)).status, 200);
  for (const what of ["", "/preview", "/delete"]) {
    const refused = await viewer.submit(`${list}/verify/en${what}`, { subject: "a", text: "b" });
    assert.equal(refused.status, 403, what);
  }
  assert.equal((await viewer.get(`${list}/new?name=a&language=en`)).status, 403);
  assert.equal((await (await as(null)).get(list)).status, 404);
  assert.equal((await stored())[0].text, TEXTS.text);
});
