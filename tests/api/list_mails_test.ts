import assert from "node:assert/strict";
import { MAIL_LOG_MS } from "@/lib/limits.ts";
import { MAILS } from "@/lib/mail/mails.ts";
import { maintain } from "@/routes/maintenance.ts";
import { ALL } from "@/lib/store/filter.ts";
import { MAIL, openMail, TO } from "./mail.ts";
import { ok, refused, times } from "./test_collection.ts";

Deno.test("listMails returns each mail with its state, newest first, without its text", async () => {
  await using mail = await openMail();
  ok(await mail.send({ ...MAIL, text: "a confidential word" }));
  await mail.logged();
  mail.app.clock.advance(1000);
  mail.smtp.behave(() => ({ code: 550, message: "unknown mailbox" }));
  ok(await mail.send({ ...MAIL, to: "bob@example.com" }));
  const logged = await mail.logged();
  const { id, ...failed } = logged[0]!;
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.deepEqual(failed, {
    kind: "custom",
    to: "bob@example.com",
    subject: "Hello",
    state: "failed",
    provider: "default",
    tries: 1,
    answer: "550 unknown mailbox",
    hasCode: false,
    createdAt: "2026-01-31T12:00:01.000Z",
    sentAt: null,
  });
  const { to, state, answer, sentAt } = logged[1]!;
  assert.deepEqual([to, state, sentAt], [TO, "sent", "2026-01-31T12:00:00.000Z"]);
  assert.match(answer!, /^250 /);
  assert.ok(!JSON.stringify(logged).includes("a confidential word"));
});

Deno.test("listMails returns pages of the mails of one project", async () => {
  await using mail = await openMail();
  for (const index of times(5, (index) => index)) {
    ok(await mail.send({ ...MAIL, subject: `Mail ${index}` }));
    mail.app.clock.advance(1000);
  }
  const other = await mail.app.project();
  assert.deepEqual(ok(await other.asSecret({ path: "/api/mail/logs" })).items, []);
  const headers = { "x-api-key": mail.owner.project.secretKey };
  const list = (query: string) => mail.app.send({ path: `/api/mail/logs${query}`, headers });
  const subjects: string[] = [];
  for (let query: string | null = "?limit=2"; query !== null;) {
    const { items, nextCursor } = ok(await list(query));
    subjects.push(...items.map(({ subject }: { subject: string }) => subject));
    query = nextCursor === null ? null : `?limit=2&cursor=${nextCursor}`;
  }
  assert.deepEqual(subjects, times(5, (index) => `Mail ${4 - index}`));
  refused(await list("?limit=0"), 400, "INVALID_QUERY", "limit");
  refused(await list("?cursor=x"), 400, "INVALID_CURSOR");
  refused(await other.asPublic({ path: "/api/mail/logs" }), 403, "SECRET_KEY_REQUIRED");
});

Deno.test("maintenance deletes a mail from the log after 30 days", async () => {
  await using mail = await openMail();
  ok(await mail.send(MAIL));
  await mail.logged();
  const countMails = () => mail.app.services.engine.records(mail.projectId, MAILS).count(ALL);
  mail.app.clock.advance(MAIL_LOG_MS);
  await maintain(mail.app.services);
  assert.equal(await countMails(), 1);
  mail.app.clock.advance(1);
  await maintain(mail.app.services);
  assert.equal(await countMails(), 0);
});
