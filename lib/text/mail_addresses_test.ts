import assert from "node:assert/strict";
import { parseMailbox, parseSmtpUrl } from "./mail_addresses.ts";

function parsed(url: string) {
  const server = parseSmtpUrl(url);
  if (server === null) return null;
  const { user, ...rest } = server;
  return { ...rest, user: user && [user.name, user.password.reveal()] };
}

Deno.test("parseSmtpUrl reads host, port, TLS, and percent-encoded credentials", () => {
  const far = { host: "smtp.example.com", isLocal: false };
  const table = [
    ["smtp://smtp.example.com", { ...far, port: 587, isSecure: false, user: null }],
    ["smtps://smtp.example.com/", { ...far, port: 465, isSecure: true, user: null }],
    ["smtp://a:b@SMTP.example.com:2525", {
      ...far,
      port: 2525,
      isSecure: false,
      user: ["a", "b"],
    }],
    ["smtps://a%40b.example:p%3A%2F%20%C3%BC@smtp.example.com", {
      ...far,
      port: 465,
      isSecure: true,
      user: ["a@b.example", "p:/ ü"],
    }],
  ] as const;
  for (const [url, server] of table) assert.deepEqual(parsed(url), server, url);
});

Deno.test("parseSmtpUrl recognizes this machine in every spelling of its addresses", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1", "2130706433", "[::1]", "[0:0::1]"]) {
    assert.equal(parseSmtpUrl(`smtp://${host}:25`)?.isLocal, true, host);
  }
  assert.equal(parseSmtpUrl("smtp://[::1]:25")?.host, "::1");
  for (const host of ["localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "[fe80::1]"]) {
    assert.equal(parseSmtpUrl(`smtp://${host}`)?.isLocal, false, host);
  }
});

Deno.test("parseSmtpUrl returns null for invalid addresses", () => {
  for (
    const url of [
      "",
      "smtp:",
      "smtp://",
      "smtp:///x",
      "SMTP//x",
      "http://smtp.example.com",
      "smtp.example.com:587",
      "smtp://smtp.example.com:587/path",
      "smtp://smtp.example.com?x=1",
      "smtp://smtp.example.com?",
      "smtp://smtp.example.com#x",
      "smtp://smtp.example.com\\x",
      "smtp://smtp. example.com",
      "smtp://smtp.exam%00ple.com",
      "smtp://user@smtp.example.com",
      "smtp://:password@smtp.example.com",
      "smtp://a%0d%0ab:c@smtp.example.com",
      "smtp://a:b%0@smtp.example.com",
      "smtp://a:b@smtp.example.com:0x19",
      `smtp://${"a".repeat(2048)}.example.com`,
    ]
  ) assert.equal(parseSmtpUrl(url), null, url);
});

Deno.test("parseMailbox reads an address with an optional name", () => {
  const table = [
    ["a@b.example", { name: null, address: "a@b.example" }],
    ["  a@b.example ", { name: null, address: "a@b.example" }],
    ["<a@b.example>", { name: null, address: "a@b.example" }],
    ["Ada Lovelace <a@b.example>", { name: "Ada Lovelace", address: "a@b.example" }],
    ['"Lovelace, Ada" <a@b.example>', { name: "Lovelace, Ada", address: "a@b.example" }],
  ] as const;
  for (const [text, mailbox] of table) assert.deepEqual(parseMailbox(text), mailbox, text);
});

Deno.test("parseMailbox returns null for text that could inject a header", () => {
  for (
    const text of [
      "",
      "Ada",
      "<>",
      "Ada <>",
      "a@b, c@d",
      "Ada <a@b> x",
      "Ada <a@b> <c@d>",
      "Ada\n <a@b>",
      "Ada\r\nBcc: c@d <a@b>",
      "Ada <a@b\r\nBcc: c@d>",
      "A\u2028da <a@b>",
      "Ada\0 <a@b>",
      'A"da <a@b>',
      "A\\da <a@b>",
      `${"a".repeat(101)} <a@b>`,
      "\ud800 <a@b>",
    ]
  ) assert.equal(parseMailbox(text), null, JSON.stringify(text));
});
