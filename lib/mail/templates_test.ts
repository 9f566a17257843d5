import assert from "node:assert/strict";
import { processorMsOf } from "@/tests/attacks/cost.ts";
import { MAIL_BODY_LENGTH_MAX, MAIL_SUBJECT_LENGTH_MAX } from "../limits.ts";
import { MAIL_KINDS } from "./mails.ts";
import { htmlToText } from "./html_text.ts";
import { builtInTemplate, builtInTemplates, renderMail, sampleVariables } from "./templates.ts";

const render = (text: string, variables: Record<string, string>) =>
  renderMail({ subject: text, text, html: text }, variables);

Deno.test("renderMail fills variables in, escaped in HTML and on one line in the subject", () => {
  const value = `<a href="x">&'\r\nBcc: x`;
  assert.deepEqual(render("{{ a }}-{{a}}", { a: value }), {
    subject: `<a href="x">&' Bcc: x-<a href="x">&' Bcc: x`,
    text: `${value}-${value}`,
    html: Array(2).fill("&lt;a href=&quot;x&quot;&gt;&amp;&#39;\r\nBcc: x").join("-"),
  });
});

Deno.test("renderMail leaves missing variables empty and does not fill in values", () => {
  assert.equal(render("[{{a}}{{b}}]", { b: "{{c}}", c: "x" })!.text, "[{{c}}]");
  for (const name of ["constructor", "toString", "hasOwnProperty"]) {
    assert.equal(render(`[{{${name}}}]`, {})!.text, "[]");
  }
});

Deno.test("renderMail keeps invalid placeholders unchanged", () => {
  for (const text of ["{{}}", "{{ }}", "{a}", "{{a b}}", "{{1a}}", "{{a", "a}}", "{{_a}}"]) {
    assert.equal(render(text, { a: "x" })!.text, text);
  }
});

Deno.test("renderMail truncates a long subject without splitting a character", () => {
  const subject = render("{{a}}", { a: "x".repeat(MAIL_SUBJECT_LENGTH_MAX - 1) + "😀" })!.subject;
  assert.equal(subject, "x".repeat(MAIL_SUBJECT_LENGTH_MAX - 1));
});

Deno.test("renderMail returns null for a mail that is too long, without building it first", () => {
  const template = "{{a}}".repeat(10_000);
  assert.equal(render(template, { a: "x".repeat(10_000) }), null);
  const fits = "{{a}}".repeat(6);
  assert.equal(render(fits, { a: "x".repeat(10_000) })!.text.length, 60_000);
  assert.equal(render("<{{a}}>", { a: "x".repeat(MAIL_BODY_LENGTH_MAX - 1) }), null);
  assert.equal(render("{{a}}", { a: "<".repeat(20_000) }), null, "escapes count");
});

Deno.test("renderMail takes linear time", async () => {
  for (const hostile of ["{{", "{{ ", "{{a", "{{a ", "{{a}", "{{{{a}}", " "]) {
    const text = hostile.repeat(Math.floor(65_000 / hostile.length));
    const fill = () => Promise.resolve(render(text, { a: "x" }));
    assert.ok(await processorMsOf(fill, 500) < 500, hostile);
  }
});

Deno.test("every built-in template renders in text and HTML, with its code and link", () => {
  for (const hasLink of [true, false]) {
    for (const { name, ...template } of builtInTemplates(hasLink)) {
      const { subject, text, html } = renderMail(template, sampleVariables(name))!;
      assert.ok(subject.length > 10 && subject.length < 80, name);
      for (const part of [subject, text, html!]) assert.ok(!/\{\{|\}\}|undefined/.test(part), name);
      assert.match(html!, /^<!doctype html>/);
      assert.ok(
        !/<script|<img|https?:\/\/(?!app\.example\.com)/.test(html!),
        `${name} loads nothing from other servers`,
      );
      const hasCode = ["verify", "resetPassword", "code", "emailChange"].includes(name);
      assert.equal(/\b123456\b/.test(text) && />123456<\/p>/.test(html!), hasCode, name);
      assert.equal(text.includes(`/auth/verify?purpose=${name}&`), hasCode && hasLink, name);
    }
  }
});

Deno.test("no built-in template contains a variable that a caller chooses", () => {
  const ALLOWED = ["code", "minutes", "link", "project", "url", "what"];
  for (const kind of MAIL_KINDS) {
    const { subject, text, html } = builtInTemplate(kind, true);
    for (const [, name] of `${subject} ${text} ${html}`.matchAll(/\{\{(\w+)\}\}/g)) {
      assert.ok(ALLOWED.includes(name!), `${kind} has ${name}`);
    }
  }
  assert.ok(!JSON.stringify(builtInTemplate("invitation", true)).includes("{{project}}"));
});

Deno.test("htmlToText returns a line for each block and the URLs of links", () => {
  const table = [
    ["<p>One</p><p>Two</p>", "One\n\nTwo\n"],
    ["One<br>Two<br/>Three", "One\nTwo\nThree\n"],
    ["<ul><li>One</li><li>Two</li></ul>", "One\nTwo\n"],
    ["<h1>Hi</h1>\n  there,\n  <b>you</b>", "Hi\n\nthere, you\n"],
    ['<a href="https://x.example/?a=1&amp;b=2">Open</a>', "Open (https://x.example/?a=1&b=2)\n"],
    ["<a href='https://x.example'>https://x.example</a>", "https://x.example\n"],
    ["<a name=x>Open</a>", "Open\n"],
    ["&lt;b&gt; &amp;amp; &quot;&#39;&nbsp;&eacute;", "<b> &amp; \"' &eacute;\n"],
    ["<style>p { color: red }</style><p>One</p><script>x < y</script>", "One\n"],
    ["<head><title>No</title></head><body>Yes</body>", "Yes\n"],
    ["One<!-- <p>not</p> -->Two", "OneTwo\n"],
    ["One<!-- <p>not", "One\n"],
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2\n"],
    ["", "\n"],
  ] as const;
  for (const [html, text] of table) assert.equal(htmlToText(html), text, html);
});

Deno.test("htmlToText takes linear time", async () => {
  for (
    const hostile of [
      "<",
      "<a ",
      '<a href="',
      "<a href='x'>",
      "</a>",
      "<!--",
      "<!",
      "&amp",
      "<style>",
      "<p>",
      " ",
      "\n",
      '<a href="x" href="',
    ]
  ) {
    const html = hostile.repeat(Math.floor(65_000 / hostile.length));
    const read = () => Promise.resolve(htmlToText(html));
    assert.ok(await processorMsOf(read, 500) < 500, hostile);
  }
});
