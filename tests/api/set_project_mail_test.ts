import assert from "node:assert/strict";
import { KeyRing } from "@/lib/crypto/key_ring.ts";
import { MAIL_SETTINGS } from "@/lib/mail/settings.ts";
import { reseal } from "@/lib/operations/reseal.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const PASSWORD = "a-password-that-stays-inside";
const URL = `smtp://blog:${PASSWORD}@smtp.example.com:2525`;
const SERVER = { url: URL, from: "Blog <blog@example.com>" };

const put = (owner: TestOwner, body: unknown) =>
  owner.asOwner({ method: "PUT", path: "/mail", body });

const stored = ({ app, projectId }: TestOwner) =>
  Array.fromAsync(app.services.engine.records(projectId, MAIL_SETTINGS).find({ filter: ALL }));

Deno.test("setProjectMail keeps omitted settings, and never shows or stores the password in clear", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const own = { host: "smtp.example.com", port: 2525, from: SERVER.from, hasPassword: true };
  const first = await put(owner, { ...SERVER, replyTo: "a@b.c", mailLanguage: "pt-br" });
  assert.deepEqual(ok(first), { own: { ...own, replyTo: "a@b.c" }, mailLanguage: "pt-BR" });
  const second = await put(owner, { from: " c@d.e " });
  assert.deepEqual(ok(second).own, { ...own, from: "c@d.e", replyTo: "a@b.c" });
  const third = ok(await put(owner, { replyTo: null, mailLanguage: null }));
  assert.deepEqual(third, { own: { ...own, from: "c@d.e", replyTo: null }, mailLanguage: null });
  const open = ok(await put(owner, { url: "smtps://[2606:4700::1111]" }));
  assert.deepEqual([open.own.host, open.own.port, open.own.hasPassword], [
    "2606:4700::1111",
    465,
    false,
  ]);
  ok(await put(owner, SERVER));
  const rows = await stored(owner);
  assert.equal(rows.length, 1);
  for (const text of [first.text, second.text, JSON.stringify(rows)]) {
    assert.ok(!text.includes(PASSWORD));
  }
});

Deno.test("a language can be set without a server", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.deepEqual(ok(await put(owner, { mailLanguage: "DE" })), { own: null, mailLanguage: "de" });
  assert.deepEqual(ok(await put(owner, {})), { own: null, mailLanguage: "de" });
});

Deno.test("resealing includes the mail server's password", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  ok(await put(owner, SERVER));
  const [before] = await stored(owner);
  const keyRing = await KeyRing.parse(`new:${btoa("n".repeat(32))}`);
  const result = await reseal({ ...app.services, keyRing });
  assert.ok(
    result.unopened.some(({ kind }) => kind === "_mailSettings"),
    "resealing includes mail settings",
  );
  assert.deepEqual(await stored(owner), [before]);
});

Deno.test("a server without a sender, or a sender without a server, is refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  refused(await put(owner, { url: URL }), 400, "INVALID_INPUT", '"from" is missing');
  refused(await put(owner, { from: "a@b.c" }), 400, "INVALID_INPUT", '"url" is missing');
  refused(await put(owner, { replyTo: "a@b.c" }), 400, "INVALID_INPUT", '"url" is missing');
  assert.deepEqual(await stored(owner), []);
});

Deno.test("an address in a private network is refused, unless the deployment allows it", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  for (const host of ["127.0.0.1", "127.1", "10.0.0.1", "169.254.169.254", "[::1]", "0x7f000001"]) {
    const answer = await put(owner, { ...SERVER, url: `smtp://a:${PASSWORD}@${host}` });
    refused(answer, 400, "INVALID_INPUT", "private network");
    assert.ok(!answer.text.includes(PASSWORD));
  }
  assert.deepEqual(await stored(owner), []);
  await using open = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const own = await createTestOwner(open);
  assert.equal(ok(await put(own, { ...SERVER, url: "smtp://10.0.0.1:25" })).own.port, 25);
});

Deno.test("an invalid setting is refused, and no part of the address is repeated", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const wrong: [object, string][] = [
    [{ ...SERVER, url: `http://blog:${PASSWORD}@smtp.example.com` }, '"url"'],
    [{ ...SERVER, url: `smtp://${PASSWORD}@smtp.example.com` }, '"url"'],
    [{ ...SERVER, url: `${URL}/path` }, '"url"'],
    [{ ...SERVER, url: `${URL}?tls=no` }, '"url"'],
    [{ ...SERVER, url: `smtp://blog:${PASSWORD}%0d%0aX@smtp.example.com` }, '"url"'],
    [{ ...SERVER, url: `smtp://blog:${PASSWORD}\r\n@smtp.example.com` }, '"url"'],
    [{ ...SERVER, url: null }, '"url"'],
    [{ ...SERVER, from: "Blog" }, '"from"'],
    [{ ...SERVER, from: "Blog\r\nBcc: eve@example.com <blog@example.com>" }, '"from"'],
    [{ ...SERVER, from: "a@b.c, d@e.f" }, '"from"'],
    [{ ...SERVER, replyTo: "Blog <blog@example.com>" }, '"replyTo"'],
    [{ ...SERVER, replyTo: "a@b.c\n" }, '"replyTo"'],
    [{ ...SERVER, mailLanguage: "English" }, '"mailLanguage"'],
    [{ ...SERVER, password: PASSWORD }, "The body may have only"],
  ];
  for (const [body, says] of wrong) {
    const answer = await put(owner, body);
    refused(answer, 400, "INVALID_BODY", says);
    assert.ok(!answer.text.includes(PASSWORD), answer.text);
  }
  assert.deepEqual(await stored(owner), []);
});

Deno.test("concurrent calls all succeed and leave one record", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const answers = await Promise.all(
    times(20, (index) => put(owner, { ...SERVER, from: `user${index}@example.com` })),
  );
  assert.deepEqual(tally(answers), { 200: 20 });
  assert.equal((await stored(owner)).length, 1);
});

Deno.test("only admins and the owner set a server", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const call = { method: "PUT", path: "/mail", body: SERVER };
  await owner.isForAdmins(call);
  assert.deepEqual(await stored(owner), []);
  ok(await owner.as("admin", call));
});
