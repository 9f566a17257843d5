import assert from "node:assert/strict";
import { openConnection } from "../http/egress.ts";
import { parseSmtpUrl } from "../text/mail_addresses.ts";
import { createCertificate } from "@/tests/support/tls.ts";
import { startSmtpServer, type TestSmtpServer } from "@/tests/support/smtp_server.ts";
import { openSmtp } from "./smtp.ts";
import { MailDelayed, MailRefused, type MailTransport, type OutgoingMail } from "./transport.ts";

const MAIL: OutgoingMail = {
  from: { name: "Corbel, Inc.", address: "no-reply@corbel.example" },
  to: "ada@example.com",
  replyTo: "answers@corbel.example",
  subject: "Grüße",
  text: "Guten Tag\n",
  html: "<p>Guten <b>Tag</b></p>",
  messageId: "<one@corbel.example>",
  date: Date.parse("2026-01-31T12:00:00.000Z"),
};

const USER = { name: "mailer@corbel.example", password: "p:/ä s" };

/** Opens a transport to the server as a local one, for which TLS is not required. */
const localTransport = ({ url }: TestSmtpServer, more: { stepMs?: number } = {}): MailTransport =>
  openSmtp(parseSmtpUrl(url)!, { name: "corbel.example", connect: openConnection, ...more });

/** Opens a transport to the server under a public name, which is resolved to this machine. */
function publicTransport(
  server: TestSmtpServer,
  { scheme = "smtp", ca, name = "mail.test" }: {
    scheme?: "smtp" | "smtps";
    ca?: string;
    name?: string;
  } = {},
): MailTransport {
  const userinfo = `${encodeURIComponent(USER.name)}:${encodeURIComponent(USER.password)}`;
  return openSmtp(parseSmtpUrl(`${scheme}://${userinfo}@${name}:${server.port}`)!, {
    name: "corbel.example",
    connect: ({ port, withinMs }) => openConnection({ host: "127.0.0.1", port, withinMs }),
    ...(ca !== undefined && { ca }),
  });
}

const answerOf = async (transport: MailTransport, mail = MAIL): Promise<string> => {
  try {
    return await transport.send(mail);
  } catch (error) {
    assert.ok(error instanceof MailRefused || error instanceof MailDelayed, String(error));
    return `${error.name}: ${error.answer}`;
  }
};

Deno.test("send delivers texts and headers and returns the server's response", async () => {
  await using server = await startSmtpServer();
  assert.match(await localTransport(server).send(MAIL), /^250 /);
  const mail = await server.next("ada@example.com");
  assert.deepEqual([mail.from, mail.to, mail.subject, mail.text.trim()], [
    "no-reply@corbel.example",
    "ada@example.com",
    "Grüße",
    "Guten Tag",
  ]);
  assert.match(mail.html!, /Guten <b>Tag<\/b>/);
  assert.equal(mail.messageId, "<one@corbel.example>");
  assert.deepEqual([...mail.headers.keys()].toSorted(), [
    "auto-submitted",
    "content-type",
    "date",
    "from",
    "message-id",
    "mime-version",
    "reply-to",
    "subject",
    "to",
  ]);
  assert.equal(mail.headers.get("auto-submitted"), "Auto-Submitted: auto-generated");
  assert.equal(mail.headers.get("date"), "Date: Sat, 31 Jan 2026 12:00:00 +0000");
  assert.equal(mail.headers.get("from"), 'From: "Corbel, Inc." <no-reply@corbel.example>');
  assert.match(mail.headers.get("reply-to")!, /answers@corbel\.example/);
});

Deno.test("send without HTML writes a single part", async () => {
  await using server = await startSmtpServer();
  await localTransport(server).send({ ...MAIL, html: null, replyTo: null });
  const mail = await server.next();
  assert.equal(mail.html, null);
  assert.match(mail.headers.get("content-type")!, /text\/plain/);
  assert.ok(!mail.headers.has("reply-to"));
});

Deno.test("send supports STARTTLS and implicit TLS with user and password", async () => {
  const certificate = createCertificate("mail.test");
  for (const tls of ["starttls", "implicit"] as const) {
    await using server = await startSmtpServer({ tls, certificate, user: USER });
    const scheme = tls === "implicit" ? "smtps" : "smtp";
    const transport = publicTransport(server, { scheme, ca: certificate.cert });
    assert.match(await answerOf(transport), /^250 /, tls);
    const mail = await server.next();
    assert.deepEqual([mail.isSecure, mail.user], [true, USER.name]);
  }
});

Deno.test("send gives neither password nor mail to a public server without TLS", async () => {
  await using server = await startSmtpServer({ user: USER });
  let commands = 0;
  server.behave(() => (commands++, null));
  assert.equal(
    await answerOf(publicTransport(server)),
    "MailDelayed: The mail server offers no TLS that can be trusted.",
  );
  assert.equal(commands, 1, "the connection is the only step");
});

Deno.test("send rejects a certificate that is not trusted or has another name", async () => {
  const [certificate, other] = [createCertificate("mail.test"), createCertificate("other.test")];
  for (const tls of ["starttls", "implicit"] as const) {
    const scheme = tls === "implicit" ? "smtps" : "smtp";
    await using server = await startSmtpServer({ tls, certificate, user: USER });
    await using otherServer = await startSmtpServer({ tls, certificate: other, user: USER });
    for (
      const transport of [
        publicTransport(server, { scheme }),
        publicTransport(server, { scheme, ca: other.cert }),
        publicTransport(otherServer, { scheme, ca: other.cert }),
      ]
    ) {
      assert.equal(
        await answerOf(transport),
        "MailDelayed: The mail server offers no TLS that can be trusted.",
      );
    }
    assert.equal(server.mails.length + otherServer.mails.length, 0);
  }
});

Deno.test("send accepts every certificate of a local server", async () => {
  const certificate = createCertificate("mail.test");
  for (const tls of ["starttls", "implicit"] as const) {
    await using server = await startSmtpServer({ tls, certificate, user: USER });
    assert.match(await answerOf(localTransport(server)), /^250 /);
    assert.equal((await server.next()).isSecure, true);
  }
});

Deno.test("send throws MailRefused for 5xx and MailDelayed for 4xx, with the response", async () => {
  await using server = await startSmtpServer();
  for (const step of ["mail", "recipient", "data"] as const) {
    for (const [code, kind] of [[550, "MailRefused"], [451, "MailDelayed"]] as const) {
      server.behave((at) => at === step ? { code, message: `5.1.1 not\r\n at ${step}` } : null);
      assert.equal(await answerOf(localTransport(server)), `${kind}: ${code} 5.1.1 not at ${step}`);
    }
  }
  server.behave(() => ({ code: 421, message: "busy" }));
  assert.match(await answerOf(localTransport(server)), /^MailDelayed: 421 busy/);
  assert.equal(server.mails.length, 0);
});

Deno.test("send throws MailRefused for a wrong password without repeating it", async () => {
  const certificate = createCertificate("mail.test");
  await using server = await startSmtpServer({
    tls: "starttls",
    certificate,
    user: { ...USER, password: "another" },
  });
  const error = await publicTransport(server, { ca: certificate.cert }).send(MAIL).catch((error) =>
    error
  );
  assert.ok(error instanceof MailRefused);
  assert.match(error.answer, /^535 5\.7\.8 Wrong password/);
  for (const text of [error.answer, error.message]) assert.ok(!text.includes(USER.password));
});

Deno.test("send throws MailDelayed if the server cannot be reached or closes the connection", async () => {
  await using server = await startSmtpServer();
  for (const step of ["connect", "mail", "recipient", "data"] as const) {
    server.behave((at) => at === step ? "cut" : null);
    const answer = await answerOf(localTransport(server));
    assert.equal(answer, "MailDelayed: The connection broke off.", step);
  }
  const { port } = server;
  await server[Symbol.asyncDispose]();
  const unreachable = openSmtp(parseSmtpUrl(`smtp://127.0.0.1:${port}`)!, {
    name: "corbel.example",
    connect: openConnection,
  });
  assert.equal(
    await answerOf(unreachable),
    "MailDelayed: The mail server cannot be reached (ECONNREFUSED).",
  );
});

Deno.test("send throws MailDelayed for a server with another greeting", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = listener.accept().then(async (connection) => {
    await connection.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
    return connection;
  });
  const website = openSmtp(parseSmtpUrl(`smtp://127.0.0.1:${listener.addr.port}`)!, {
    name: "corbel.example",
    connect: openConnection,
  });
  assert.match(await answerOf(website), /^MailDelayed: /);
  (await serving).close();
});

Deno.test("send gives up a server that is silent in any step", async () => {
  await using server = await startSmtpServer();
  for (const step of ["connect", "mail", "recipient", "data"] as const) {
    server.behave((at) => at === step ? "silence" : null);
    const began = performance.now();
    assert.equal(
      await answerOf(localTransport(server, { stepMs: 300 })),
      "MailDelayed: The mail server did not answer in time.",
    );
    assert.ok(performance.now() - began >= 290);
  }
});

Deno.test("no text of a mail can add a header, a recipient or another mail", async () => {
  await using server = await startSmtpServer();
  const hostile = "x\r\nBcc: eve@example.com\r\n\r\n.\r\nMAIL FROM:<eve@example.com>\r\n";
  const transport = localTransport(server);
  await transport.send({
    ...MAIL,
    from: { name: hostile, address: MAIL.from.address },
    subject: hostile,
    text: hostile,
    html: hostile,
    messageId: "<one@corbel.example>",
  });
  const mail = await server.next();
  assert.equal(mail.to, "ada@example.com");
  assert.ok(!mail.headers.has("bcc"));
  assert.equal(mail.text.trim(), hostile.replaceAll("\r", "").trim(), "the text arrives as it is");
  assert.equal(server.mails.length, 1);
  const twice = await answerOf(transport, { ...MAIL, to: "ada@example.com>\r\nRCPT TO:<eve@x.y" });
  assert.doesNotMatch(twice, /^250/);
  assert.equal(server.mails.length, 1);
});

Deno.test("twenty concurrent mails arrive once each", async () => {
  await using server = await startSmtpServer();
  const transport = localTransport(server);
  const to = Array.from({ length: 20 }, (_, index) => `user${index}@example.com`);
  await Promise.all(to.map((to) => transport.send({ ...MAIL, to })));
  assert.deepEqual(server.mails.map(({ to }) => to).toSorted(), to.toSorted());
});
