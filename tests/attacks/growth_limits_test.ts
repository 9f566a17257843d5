import assert from "node:assert/strict";
import { readDocumentBytes } from "@/lib/documents/quota.ts";
import { recountDocuments } from "@/lib/documents/recount.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { MAILS_WAITING_MAX } from "@/lib/limits.ts";
import { resendMail } from "@/lib/mail/log.ts";
import { MAIL_TEXTS, type MailRecord, MAILS } from "@/lib/mail/mails.ts";
import { type Plan, PLANS } from "@/lib/projects/plans.ts";
import { DELIVERIES, type DeliveryRecord } from "@/lib/projects/delivery_records.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { maintain } from "@/routes/maintenance.ts";
import { createCollection } from "../support/given.ts";
import { type Answer, type Call, send } from "../support/conforming_client.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { mailEnv } from "../api/outbox_fixture.ts";
import { ok, refused, tally, times } from "../api/test_collection.ts";
import { change, openWebhooks, type WebhookFixture } from "../api/webhooks.ts";
import { declareFields, logIn, PASSWORD, setAuth, signUp, userCall } from "../api/user_email.ts";

/** A free account that fills the server with users, mails and messages. */

const KB = 1_024;
const HOUR_MS = 3_600_000;

interface NearlyFullProject {
  asPublic(call: Call): Promise<Answer>;
  asSecret(call: Call): Promise<Answer>;
}

/** Opens an app with a project whose plan has this many bytes left. */
async function withBytesLeft(
  { services }: TestApp,
  { projectId, publishableKey, secretKey }: TestProject,
  bytes: number,
): Promise<NearlyFullProject> {
  const plan: Plan = {
    ...PLANS.free,
    documentBytes: await readDocumentBytes(services.engine, projectId) + bytes,
  };
  const app = createApp({
    ...services,
    plans: { ...services.plans, ofProject: () => Promise.resolve(plan) },
  });
  const as = (key: string) => (call: Call) =>
    send(app, { ...call, headers: [["x-api-key", key], ...new Headers(call.headers)] });
  return { asPublic: as(publishableKey), asSecret: as(secretKey) };
}

const usedBy = (
  { services }: TestApp,
  { projectId }: Pick<TestProject, "projectId">,
): Promise<number> => readDocumentBytes(services.engine, projectId);

Deno.test("users: their fields count, and concurrent sign-ups do not exceed the plan", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "about", type: "String" });
  const about = "x".repeat(40 * KB);
  const before = await usedBy(app, project);
  const known = await signUp(project, { about });
  const each = await usedBy(app, project) - before;
  assert.ok(each >= about.length);
  const tight = await withBytesLeft(app, project, 3 * each + each / 4); // A waiting mail may be in `each`.
  const users = () => ({ email: `${crypto.randomUUID()}@example.com`, password: PASSWORD, about });
  const answers = await Promise.all(times(8, () => tight.asPublic(userCall("signup", users()))));
  assert.deepEqual(tally(answers), { 201: 3, 403: 5 });
  for (const answer of answers.filter(({ status }) => status === 403)) {
    refused(answer, 403, "DOCUMENT_QUOTA_EXCEEDED");
  }
  const creation = await tight.asSecret({ path: "/api/userAuth/users", body: { about } });
  refused(creation, 403, "DOCUMENT_QUOTA_EXCEEDED");
  const grown = await tight.asSecret({
    method: "PATCH",
    path: `/api/userAuth/users/${known.id}`,
    body: { about: about + about.slice(0, 22 * KB) },
  });
  refused(grown, 403, "DOCUMENT_QUOTA_EXCEEDED");
  // Existing users can still sign in.
  ok(await logIn(project, known.email));
  const smaller = { method: "PATCH", path: `/api/userAuth/users/${known.id}`, body: { about: "" } };
  ok(await tight.asSecret(smaller));
  ok(await tight.asPublic(userCall("signup", users())), 201);
});

Deno.test("users: anonymous users are counted and refused too", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await setAuth(app, project, { anonymous: true });
  const tight = await withBytesLeft(app, project, 2 * KB);
  const answers = [];
  for (let i = 0; i < 12; i++) answers.push(await tight.asPublic(userCall("anonymous")));
  const counts = tally(answers);
  assert.ok(counts[201]! >= 1 && counts[403]! >= 1, JSON.stringify(counts));
  refused(answers.at(-1)!, 403, "DOCUMENT_QUOTA_EXCEEDED");
});

Deno.test("users, mails and messages share the documents' quota, and a recount changes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await createCollection(app.services, project.projectId, { name: "notes", fields: [] });
  await declareFields(app, project, { key: "about", type: "String" });
  const tight = await withBytesLeft(app, project, 60 * KB);
  ok(
    await tight.asPublic(userCall("signup", {
      email: "ada@example.com",
      password: PASSWORD,
      about: "x".repeat(50 * KB),
    })),
    201,
  );
  const note = { path: "/api/data/notes", body: { text: "x".repeat(20 * KB) } };
  refused(await tight.asSecret(note), 403, "DOCUMENT_QUOTA_EXCEEDED");
  await app.services.jobRunner.idle();
  const used = await usedBy(app, project);
  const { documentBytes: counted, corrected } = await recountDocuments(
    app.services,
    project.projectId,
  );
  assert.deepEqual([counted, corrected], [used, 0]);
});

const addressesOf = (count: number, name = "user") =>
  times(count, (i) => `${name}${i}@example.com`);

Deno.test("mails: a text for all recipients is stored once, sent to each, and counts", async () => {
  await using server = await startSmtpServer();
  await using app = await openTestApp({ env: mailEnv(server) });
  const project = await app.project();
  const html = "y".repeat(60 * KB);
  const before = await usedBy(app, project);
  const mail = { to: addressesOf(50), subject: "News", text: "Hello", html };
  ok(await project.asSecret({ path: "/api/mail/send", body: mail }));
  await app.services.jobRunner.idle();
  const grown = await usedBy(app, project) - before;
  assert.ok(grown >= html.length && grown < html.length + 50 * 2 * KB, `${grown} bytes`);
  assert.equal(await app.services.engine.records(project.projectId, MAIL_TEXTS).count(ALL), 1);
  assert.equal(server.mails.length, 50);
  for (const received of server.mails) {
    assert.equal(received.text.trim(), "Hello");
    assert.ok(received.html!.includes(html.slice(0, 500)));
  }
  const texts = () => app.services.engine.records(project.projectId, MAIL_TEXTS).count(ALL);
  app.clock.advance(23 * HOUR_MS);
  await maintain(app.services);
  assert.equal(await texts(), 1);
  app.clock.advance(HOUR_MS);
  await maintain(app.services);
  assert.equal(await texts(), 0);
  assert.ok(await usedBy(app, project) - before < 50 * 2 * KB);
});

Deno.test("mails: a shared text is kept for a retry, and the text of a sent mail is deleted", async () => {
  await using server = await startSmtpServer();
  await using app = await openTestApp({ env: mailEnv(server) });
  const project = await app.project();
  server.behave((_step, to) => to?.includes("user1@") ? { code: 550, message: "No" } : null);
  const mail = { to: addressesOf(2), subject: "News", text: "Hello" };
  ok(await project.asSecret({ path: "/api/mail/send", body: mail }));
  const one = { to: addressesOf(1), subject: "News", text: "Only you" };
  ok(await project.asSecret({ path: "/api/mail/send", body: one }));
  await app.services.jobRunner.idle();
  const mails = app.services.engine.records<MailRecord>(project.projectId, MAILS);
  const failed = (await mails.findOne(eq("state", "failed")))!.value;
  for await (const { text } of mails.find({ filter: eq("state", "sent") })) {
    assert.equal(text, null);
  }
  app.clock.advance(25 * HOUR_MS);
  await maintain(app.services);
  server.behave(() => null);
  await resendMail(app.services, project.projectId, failed._id);
  await app.services.jobRunner.idle();
  assert.equal(server.mails.at(-1)!.text.trim(), "Hello");
  await maintain(app.services);
  assert.equal(await app.services.engine.records(project.projectId, MAIL_TEXTS).count(ALL), 0);
});

Deno.test("mails: a plan without space refuses them, and no mail is counted or sent", async () => {
  await using server = await startSmtpServer();
  await using app = await openTestApp({ env: mailEnv(server) });
  const project = await app.project();
  const tight = await withBytesLeft(app, project, 10 * KB);
  const mail = { to: addressesOf(2), subject: "News", html: "y".repeat(20 * KB) };
  refused(
    await tight.asSecret({ path: "/api/mail/send", body: mail }),
    429,
    "MAIL_QUOTA_EXCEEDED",
  );
  const small = { to: addressesOf(1), subject: "News", text: "Hello" };
  assert.equal(ok(await tight.asSecret({ path: "/api/mail/send", body: small })).monthlyUsage, 1);
  await app.services.jobRunner.idle();
  assert.equal(server.mails.length, 1);
});

Deno.test("mails: at most a thousand are queued, and a code request then gets its usual response", async () => {
  await using server = await startSmtpServer();
  await using app = await openTestApp({ env: { ...mailEnv(server), PLANS: "off" } });
  server.behave(() => ({ code: 450, message: "Later" }));
  const project = await app.project();
  const statuses: number[] = [];
  const sending = (name: string) => {
    const mail = { to: addressesOf(50, name), subject: "News", text: "Hello" };
    return project.asSecret({ path: "/api/mail/send", body: mail });
  };
  for (let i = 1; i < MAILS_WAITING_MAX / 50; i++) {
    statuses.push((await sending(`n${i}u`)).status);
  }
  assert.deepEqual([...new Set(statuses)], [200]);
  const atOnce = await Promise.all(times(4, (i) => sending(`o${i}u`)));
  assert.deepEqual(tally(atOnce), { 200: 1, 429: 3 });
  ok(await project.asPublic(userCall("code/request", { email: "ada@example.com" })));
  await app.services.jobRunner.idle();
  assert.equal(
    await app.services.engine.records(project.projectId, JOBS).count(ALL),
    MAILS_WAITING_MAX,
  );
});

const largeChanges = (count: number, bytes: number) =>
  times(count, (i) => {
    const recordId = i.toString(16).padStart(24, "0");
    const after = JSON.stringify({ _id: recordId, text: "x".repeat(bytes), isDeleted: false });
    return change({ recordId, after });
  });

/** Maximum bytes of queued messages of a project on the free plan. */
const WAITING_BYTES_MAX = PLANS.free.documentBytes / 4;

const getDelivery = (hooks: WebhookFixture, webhookId: string, id = "") =>
  hooks.owner.asOwner({ path: `/webhooks/${webhookId}/deliveries${id && `/${id}`}` });

Deno.test("messages: the queue of an unreachable address is bounded, and writes continue", async () => {
  await using hooks = await openWebhooks();
  const { app, owner, server } = hooks;
  const { id } = await hooks.create();
  server.behave(500);
  const bytes = 512 * KB;
  for (let i = 0; i < 8; i++) await hooks.dispatch(...largeChanges(4, bytes));
  const deliveries = await hooks.deliveries();
  const waiting = deliveries.filter(({ state }) => state === "queued");
  const most = Math.floor(WAITING_BYTES_MAX / bytes);
  assert.ok(waiting.length <= most && waiting.length >= most - 2, `${waiting.length} wait`);
  const refusedOnes = deliveries.filter(({ state }) => state === "failed");
  assert.equal(refusedOnes.length, 32 - waiting.length);
  for (const { body, tries } of refusedOnes) assert.deepEqual([body, tries], [null, 0]);
  const { items } = ok(await getDelivery(hooks, id));
  const notSent = items.find(({ state }: { state: string }) => state === "failed");
  assert.match(
    notSent.error,
    /^It was not sent: the project.s queued messages have reached their size limit/,
  );
  assert.ok(await usedBy(app, hooks) < WAITING_BYTES_MAX + 1_024 * KB);
  const written = { method: "POST", path: "/collections/posts/documents", body: { title: "One" } };
  ok(await owner.asOwner(written), 201);
  // Delivering messages frees the space of their bodies.
  server.behave(200);
  await hooks.later(60_000);
  const left = (await hooks.deliveries()).map(({ state }) => state);
  assert.ok(!left.includes("queued"), left.join(" "));
  await hooks.dispatch(...largeChanges(4, bytes));
  const newest = (await hooks.deliveries()).slice(-4);
  assert.deepEqual(newest.map(({ state }) => state), times(4, () => "delivered"));
});

Deno.test("messages: delivered ones lose their bodies after a day, but not their rows", async () => {
  await using hooks = await openWebhooks();
  const { app, owner, server } = hooks;
  const { id } = await hooks.create();
  await hooks.dispatch(change({ recordId: "1".padStart(24, "0") }));
  server.behave(500);
  await hooks.dispatch(change({ recordId: "2".padStart(24, "0") }));
  app.clock.advance(23 * HOUR_MS);
  await maintain(app.services);
  const bodies = async () => (await hooks.deliveries()).map(({ body }) => body !== null);
  assert.deepEqual(await bodies(), [true, true]);
  app.clock.advance(HOUR_MS);
  await maintain(app.services);
  assert.deepEqual(await bodies(), [false, true]);
  // A message that an earlier version delivered has no recorded body.
  const ended = { body: "{}", bodyBytes: null, bodyUntil: null };
  const records = app.services.engine.records<DeliveryRecord>(hooks.projectId, DELIVERIES);
  await records.updateOne(eq("state", "delivered"), { set: ended });
  await maintain(app.services);
  assert.deepEqual(await bodies(), [false, true]);
  const [delivered] = await hooks.deliveries();
  const gone = ok(await getDelivery(hooks, id, delivered!._id));
  assert.partialDeepStrictEqual(gone, { body: null, state: "delivered", status: 200 });
  const replay = `/webhooks/${id}/deliveries/${delivered!._id}/replay`;
  const answer = await owner.asOwner({ method: "POST", path: replay });
  refused(answer, 404, "DELIVERY_NOT_FOUND");
  assert.match(answer.body.message, /not kept any more/);
  assert.equal((await hooks.deliveries())[0]!.state, "delivered");
});
