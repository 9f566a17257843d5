import assert from "node:assert/strict";
import { inspect } from "node:util";
import { openConnection } from "../http/egress.ts";
import { parseSmtpUrl } from "../text/mail_addresses.ts";
import { startSmtpServer, type TestSmtpServer } from "@/tests/support/smtp_server.ts";
import { openSmtp } from "./smtp.ts";
import { MailDelayed, MailRefused, type OutgoingMail } from "./transport.ts";

const MAIL: OutgoingMail = {
  from: { name: "Bücherei, \u{1f4da} am Park", address: "no-reply@corbel.example" },
  to: "ada@example.com",
  replyTo: "Zoë <zoe@corbel.example>",
  subject:
    "Grüße aus 東京 für Łukasz, immer wieder und in mehr Zeichen, als in eine Zeile gehen \u{1f4da}",
  text: "Guten Tag\n",
  html: null,
  messageId: "<one@corbel.example>",
  date: Date.parse("2026-01-31T12:00:00.000Z"),
};

const local = ({ url }: { readonly url: string }, more: { stepMs?: number; allMs?: number } = {}) =>
  openSmtp(parseSmtpUrl(url)!, { name: "corbel.example", connect: openConnection, ...more });

/** Sends a mail and returns it as it arrived. */
async function sendTo(server: TestSmtpServer, change: Partial<OutgoingMail>) {
  await local(server).send({ ...MAIL, ...change });
  return await server.next();
}

Deno.test("send encodes names and subjects of all scripts in 7 bits", async () => {
  await using server = await startSmtpServer();
  const { raw, subject, headers, parsed } = await sendTo(server, { html: "<p>Łukasz 東京</p>" });
  assert.equal(subject, MAIL.subject);
  assert.deepEqual(parsed.from!.value, [MAIL.from]);
  assert.deepEqual(parsed.replyTo!.value, [{ name: "Zoë", address: "zoe@corbel.example" }]);
  assert.match(parsed.html || "", /Łukasz 東京/);
  // deno-lint-ignore no-control-regex -- The test is about ASCII bytes.
  assert.match(raw, /^[\x09\x0a\x0d\x20-\x7e]*$/);
  assert.match(headers.get("from")!, /^From: =\?UTF-8\?/);
});

const LONG_LINES = [
  "x".repeat(5000),
  "word ".repeat(1000),
  `https://app.example.com/auth/verify?email=${"a".repeat(300)}%40example.com#code=123456`,
];

Deno.test("send keeps a text unchanged, with single dots, long lines and trailing blanks", async () => {
  await using server = await startSmtpServer();
  const lines = [
    ".",
    "..",
    ".x",
    "a",
    ".",
    "",
    "From me",
    "> quoted",
    "-- ",
    "  two",
    "tab\tend\t",
    "=3D=",
    ...LONG_LINES,
  ];
  const text = `${lines.join("\n")}\nend\n`;
  const html = `<pre>${text}</pre>`;
  for (const mail of [await sendTo(server, { text }), await sendTo(server, { text, html })]) {
    assert.equal(mail.text.replace(/\n+$/, "\n"), text);
    const longest = Math.max(...mail.raw.split("\r\n").map((line) => line.length));
    assert.ok(longest <= 78, `a line has ${longest} characters`);
    assert.ok(!/[^\r]\n/.test(mail.raw), "every line ends with CRLF");
  }
});

Deno.test("send writes the given Message-ID once", async () => {
  await using server = await startSmtpServer();
  for (const messageId of ["<one@corbel.example>", "<a-b_C9@xn--bcher-kva.example>"]) {
    const { raw } = await sendTo(server, { messageId });
    assert.deepEqual(raw.match(/^message-id:.*$/gim), [`Message-ID: ${messageId}`]);
    assert.equal(raw.match(/^date:/gim)!.length, 1);
    assert.equal(raw.match(/^auto-submitted: auto-generated\r$/gim)!.length, 1);
  }
});

Deno.test("send throws MailDelayed if the server cannot check the password now", async () => {
  await using server = await startSmtpServer({ user: { name: "u", password: "p" } });
  server.behave((step) => step === "auth" ? { code: 454, message: "4.7.0 not now" } : null);
  const error = await local(server).send(MAIL).catch((error) => error);
  assert.ok(error instanceof MailDelayed, String(error));
  assert.equal(error.answer, "454 4.7.0 not now");
});

Deno.test("send throws MailRefused for a refusal that mentions certificates", async () => {
  await using server = await startSmtpServer();
  const message = "5.7.1 a client certificate is required";
  server.behave((step) => step === "mail" ? { code: 550, message } : null);
  const error = await local(server).send(MAIL).catch((error) => error);
  assert.ok(error instanceof MailRefused, String(error));
  assert.equal(error.answer, `550 ${message}`);
});

const SECRET = "p:/ä s ecret";

Deno.test("no error contains the password in any encoding, nor does its cause", async () => {
  const user = { name: "mailer", password: SECRET };
  const utf8 = (text: string) => new TextEncoder().encode(text).toBase64();
  const spellings = [SECRET, encodeURIComponent(SECRET), utf8(SECRET), utf8(`\0mailer\0${SECRET}`)];
  await using right = await startSmtpServer({ user });
  await using other = await startSmtpServer({ user: { ...user, password: "another" } });
  const wrong = { url: right.url.replace(`:${right.port}`, `:${other.port}`) };
  const failures: unknown[] = [await local(wrong).send(MAIL).catch((error) => error)];
  assert.ok(failures[0] instanceof MailRefused);
  for (const step of ["auth", "mail", "recipient", "data"] as const) {
    for (const answer of ["cut", "silence", { code: 550, message: "no" }] as const) {
      right.behave((at) => at === step ? answer : null);
      failures.push(await local(right, { stepMs: 200 }).send(MAIL).catch((error) => error));
    }
  }
  for (const failure of failures) {
    const seen = inspect(failure, { depth: 10, showHidden: true });
    assert.match(seen, /Mail(?:Refused|Delayed)/);
    for (const spelling of spellings) assert.ok(!seen.includes(spelling), seen);
  }
});

/** Greets a client and then repeats a line of a response that never ends. */
async function answerEndlessly(
  listener: Deno.TcpListener,
  { word, everyMs }: { readonly word: string; readonly everyMs: number },
): Promise<void> {
  const connection = await listener.accept();
  const say = (text: string) => connection.write(new TextEncoder().encode(text));
  let isOver = false;
  const reading = (async () => {
    const bytes = new Uint8Array(1024);
    while (await connection.read(bytes).catch(() => null) !== null);
    isOver = true;
  })();
  await say("220 endless\r\n");
  while (!isOver) {
    await say(`250-${word}\r\n`).catch(() => isOver = true);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  connection.close();
  await reading;
}

Deno.test("send gives up a slow server after the time limit of a mail", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = answerEndlessly(listener, { word: "SIZE", everyMs: 20 });
  const url = `smtp://127.0.0.1:${listener.addr.port}`;
  const began = performance.now();
  const error = await local({ url }, { stepMs: 5_000, allMs: 300 }).send(MAIL).catch((e) => e);
  const tookMs = performance.now() - began;
  assert.ok(error instanceof MailDelayed, String(error));
  assert.equal(error.answer, "The mail server took too long.");
  assert.ok(tookMs >= 290 && tookMs < 3_000, `${tookMs} ms`);
  await serving;
});

Deno.test("send gives up a server with an endless response before the time limit", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = answerEndlessly(listener, { word: "x".repeat(16_000), everyMs: 1 });
  const url = `smtp://127.0.0.1:${listener.addr.port}`;
  const error = await local({ url }, { allMs: 20_000 }).send(MAIL).catch((e) => e);
  assert.ok(error instanceof MailDelayed, String(error));
  assert.equal(error.answer, "The server there is not a mail server.");
  await serving;
});
