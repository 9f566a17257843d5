import assert from "node:assert/strict";
import { Secret } from "../crypto/secret.ts";
import { commandEnvironment, ConfigError, loadConfig } from "./config.ts";
import type { Environment } from "./settings.ts";

const FROM = "Corbel <no-reply@example.com>";

/** Returns the problems of an environment that must be refused. */
function problemsOf(env: Environment): string {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems.join("\n");
  }
  return assert.fail("expected the environment to be refused");
}

Deno.test("MAIL_URL is a secret that is not printed", () => {
  const url = "smtp://mailer:p%40ss@smtp.example.com:587";
  const { mail } = loadConfig({ MAIL_URL: url, MAIL_FROM: FROM });
  assert.ok(mail.url instanceof Secret);
  assert.equal(mail.url.reveal(), url);
  assert.deepEqual([mail.keeps, mail.from], [false, FROM]);
  assert.ok(!JSON.stringify(mail).includes("p%40ss"));
  assert.ok(!Deno.inspect(mail).includes("p%40ss"));
});

Deno.test("an invalid MAIL_URL is refused without repeating it", () => {
  for (
    const url of [
      "smtp://mailer:hush@",
      "smtp://mailer@smtp.example.com",
      "smtp://:hush@smtp.example.com",
      "smtp://mailer:hush@smtp.example.com/x",
      "smtp://mailer:hush@smtp.example.com?pool=true",
      "smtp://mailer:hush@smtp.example.com#x",
      "smtp://mailer:hush%0d%0aRCPT@smtp.example.com",
      "smtp://mailer:hush%zz@smtp.example.com",
      "smtp://mailer:hu sh@smtp.example.com",
      "smtp://mailer:hush@smtp.example.com:99999",
      "https://mailer:hush@smtp.example.com",
      "mailer:hush@smtp.example.com",
      "keep:hush",
      "keep",
    ]
  ) {
    const problems = problemsOf({ MAIL_URL: url, MAIL_FROM: FROM });
    assert.match(problems, /^MAIL_URL must be smtp:/, url);
    assert.ok(!problems.includes("\n") && !/hush|mailer|example/.test(problems), problems);
  }
});

Deno.test("MAIL_FROM is an address on one line, with or without a name", () => {
  for (const from of ["no-reply@example.com", FROM, '"Corbel, Inc." <a@b.example>', "Ünï <a@b>"]) {
    assert.equal(loadConfig({ MAIL_FROM: from }).mail.from, from);
  }
  for (
    const from of [
      "no-reply",
      "a@b, c@d",
      "<a@b> <c@d>",
      "Corbel a@b",
      "Corbel\r\nBcc: x@y <a@b>",
      "Corbel <a@b>\nx",
      'Cor"bel <a@b>',
    ]
  ) assert.match(problemsOf({ MAIL_FROM: from }), /^MAIL_FROM must be one address/, from);
});

Deno.test("MAIL_FROM is required with a mail server but not with keep:", () => {
  assert.match(problemsOf({ MAIL_URL: "smtps://smtp.example.com" }), /^MAIL_FROM is needed/);
  const { mail } = loadConfig({ MAIL_URL: "keep:" });
  assert.deepEqual(mail, { url: null, keeps: true, from: "" });
});

Deno.test("without MAIL_URL, dev keeps mails and start sends none", () => {
  const mailOf = (command: string, value?: string) =>
    loadConfig(commandEnvironment(command, (name) => name === "MAIL_URL" ? value : undefined)).mail;
  for (const missing of [undefined, ""]) {
    assert.equal(mailOf("dev", missing).keeps, true);
    for (const command of ["start", "admin"]) {
      assert.deepEqual(mailOf(command, missing), { url: null, keeps: false, from: "" });
    }
  }
});
