import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const call = (body: unknown) => ({ method: "POST", path: "/mail/templates/preview", body });
const preview = (owner: TestOwner, body: unknown) => owner.as("admin", call(body));

Deno.test("a preview fills in samples, which given values replace", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const subject = "{{code}} for {{project}}";
  const html = "<p>{{email}} {{more}}</p>";
  assert.deepEqual(ok(await preview(owner, { subject, html })), {
    subject: "123456 for Test",
    text: "ada@example.com \n",
    html: "<p>ada@example.com </p>",
  });
  const variables = { code: "7", more: "<b>", project: "X\nY" };
  assert.deepEqual(ok(await preview(owner, { subject, text: "{{more}}", html, variables })), {
    subject: "7 for X Y",
    text: "<b>",
    html: "<p>ada@example.com &lt;b&gt;</p>",
  });
});

Deno.test("the sample link suits the template's purpose and leads to the project's own site", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const link = async (body: Record<string, unknown>) =>
    ok(await preview(owner, { subject: "Hi", text: "{{link}}", ...body })).text.trim();
  const at = (site: string, purpose: string) =>
    `${site}/auth/verify?purpose=${purpose}&email=ada%40example.com#code=123456`;
  const sample = "https://app.example.com";
  for (const name of ["verify", "resetPassword", "code", "emailChange"]) {
    assert.equal(await link({ name }), at(sample, name));
  }
  assert.equal(await link({}), at(sample, "verify"));
  ok(await owner.asOwner({ method: "PATCH", path: "", body: { siteUrl: "https://ada.example" } }));
  assert.equal(await link({ name: "code" }), at("https://ada.example", "code"));
  refused(
    await preview(owner, { subject: "Hi", text: "x", name: "a b" }),
    400,
    "INVALID_BODY",
    "name",
  );
});

Deno.test("an invalid template is refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const good = { subject: "Hi", text: "Text" };
  for (
    const [body, says] of [
      [{ subject: "Hi" }, 'Send "html" or "text"'],
      [{ ...good, subject: "a\nb" }, '"subject"'],
      [{ ...good, variables: { a: null } }, '"variables"'],
      [{ ...good, text: "{{a}}".repeat(9), variables: { a: "x".repeat(10_000) } }, "too long"],
      [{ ...good, to: "a@b.c" }, "The body may have only"],
    ] as const
  ) refused(await preview(owner, body), 400, "INVALID_BODY", says);
  await owner.isForAdmins(call(good));
});
